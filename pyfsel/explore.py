"""Other questions about a problem than which sets are best.

Each is a function of a `pyfsel.Problem` and returns a `pyfsel.Answer`. Further arguments are passed to
`pyfsel.solve`.

Examples
--------
>>> from pyfsel import explore
>>> from pyfsel.interface.problem import Problem
>>> problem = Problem([9, 8, 7, 3, 2, 1], k=3, n_sets=3, dissimilarity="shared:2")
>>> explore.atlas(problem, loss=0.2).low
2.0
"""

from pyfsel.questions.atlas import atlas
from pyfsel.questions.cheapest import cheapest
from pyfsel.questions.most_dissimilar import most_dissimilar
from pyfsel.questions.most_sets import most_sets
from pyfsel.questions.sweep import sweep
from pyfsel.questions.ties import ties

__all__ = ["atlas", "cheapest", "most_dissimilar", "most_sets", "sweep", "ties"]
