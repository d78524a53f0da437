"""Other ways to ask: what to look for instead of the best sets, or around them.

For whoever has a question that is not "the best sets". Read `asking` (limits, decisions, bisection), then the
questions: `most_dissimilar`, `most_sets` (with `most_sets_bounds` and `most_sets_packing`), `min_then_sum`,
`ties` (with `enumeration`), `cheapest`, `feasible` (with `small_families`), `sweep`, `consistency` and
`masks`;
`least_share` takes a least quality as a share of the best set's, `display` has the parts of which answers
are drawn, `support` the page of who takes what.
"""

from pyfsel.questions.asking import Trial
from pyfsel.questions.min_then_sum import MinThenSum, min_then_sum
from pyfsel.questions.most_dissimilar import MostDissimilar, most_dissimilar
from pyfsel.questions.most_sets import MostSets, most_sets
from pyfsel.questions.ties import Ties, ties

__all__ = [
    "MinThenSum",
    "MostDissimilar",
    "MostSets",
    "Ties",
    "Trial",
    "min_then_sum",
    "most_dissimilar",
    "most_sets",
    "ties",
]
