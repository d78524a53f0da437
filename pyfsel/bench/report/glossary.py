"""What the words of a report mean: kinds of problems and backends, for readers who know neither."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.backends import registry
from pyfsel.bench.report.advice import Advice
from pyfsel.bench.report.runs import Kind
from pyfsel.problem.objectives import OBJECTIVES

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
    known = [OBJECTIVES[name] for name in objectives if name in OBJECTIVES]
    entries = [(objective.title, objective.meaning) for objective in known]
    searches = dict.fromkeys(kind.search for kind in kinds)
    return entries + [(search, SEARCH_WORDS[search]) for search in searches if search in SEARCH_WORDS]


def recommended_backends(advice: Iterable[Advice]) -> list[Entry]:
    """Return the backends that do the work of what is recommended, and what they are."""
    known = registry()
    names = {name for line in advice if not line.found_nothing for name in line.first.solvers}
    return [(name, known[name].summary) for name in sorted(names) if name in known]
