"""What the words of a report mean: kinds of problems and backends, for readers who know neither."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.backends import registry
from pyfsel.bench.report.advice import Advice
from pyfsel.bench.report.runs import OBJECTIVE_NAMES, Kind

OBJECTIVE_WORDS = {
    "univariate": "a set is as good as the sum of the qualities of its features",
    "fcbf": "the sum of the qualities, without pairs of features that are redundant for each other",
    "mrmr": "the relevance of the features minus the redundancy between them",
    "cfs": "the relevance of the features relative to the correlation between them",
    "graph_score": "the qualities of the features minus the correlations between them, in sets of any size",
}
SEARCH_WORDS = {
    "sequential": "one set after another, each the best one that is dissimilar enough to those before it",
    "simultaneous": "all sets at once, with the best sum of their qualities, or the best worst set (min)",
}
Entry = tuple[str, str]


def words_of_kinds(kinds: Iterable[Kind]) -> list[Entry]:
    """Return the words in the names of some kinds of problems, and what they mean.

    Examples
    --------
    >>> words_of_kinds([Kind("cfs", "one set")])
    [('CFS', 'the relevance of the features relative to the correlation between them')]
    """
    kinds = list(kinds)
    objectives = dict.fromkeys(kind.objective for kind in kinds)
    entries = [(OBJECTIVE_NAMES.get(o, o), OBJECTIVE_WORDS[o]) for o in objectives if o in OBJECTIVE_WORDS]
    searches = dict.fromkeys(kind.search for kind in kinds)
    return entries + [(search, SEARCH_WORDS[search]) for search in searches if search in SEARCH_WORDS]


def recommended_backends(advice: Iterable[Advice]) -> list[Entry]:
    """Return the backends that do the work of what is recommended, and what they are."""
    known = registry()
    names = {name for line in advice if not line.found_nothing for name in line.first.solvers}
    return [(name, known[name].summary) for name in sorted(names) if name in known]
