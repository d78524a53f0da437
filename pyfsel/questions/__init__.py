"""Other ways to ask: dissimilarity as the objective, as many sets as possible, min then sum, all optima."""

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
