"""Alternative feature selection: several dissimilar, provably best feature sets.

The rooms, each of which imports only those before it: `errors`, `problem` (what is asked), `results` (what is
claimed and what stands), `measures` (from a table to numbers), `reductions`, `solvers` (programs of others),
`algorithms` (our own searches), `backends`, `solving`, `questions` (other ways to ask), `bench`, `selectors`
(scikit-learn), and `cli`, which stands above this file: it only hands names on.

Importing the package loads neither a solver library nor scikit-learn; what needs one loads it then.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from pyfsel.backends import describe_backends as backends
from pyfsel.backends.decode import decode
from pyfsel.backends.minizinc.instance import minizinc_instance
from pyfsel.errors import (
    BackendError,
    BackendMissingError,
    InfeasibleError,
    InputError,
    NoSolutionError,
    PyfselError,
    UnsupportedError,
    VerificationError,
)
from pyfsel.problem.graph_score import graph_score_problem
from pyfsel.problem.make import make_problem
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import Group
from pyfsel.questions import (
    MinThenSum,
    MostDissimilar,
    MostSets,
    Ties,
    min_then_sum,
    most_dissimilar,
    most_sets,
    ties,
)
from pyfsel.questions.cheapest import CheapestSets, cheapest_sets
from pyfsel.results.answer import Answer, Incumbent, ProvedBound, Status, Step, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations as verify
from pyfsel.solving.sequential import SequentialSearch
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    from pyfsel.bench.instances.solution_score import solution_score
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector
    from pyfsel.selectors.graph import ASDPSelector, GraphSelector
    from pyfsel.selectors.subset.selector import SubsetSelector
    from pyfsel.selectors.wrapper.selector import GreedyWrapperSelector

__version__ = _version("pyfsel")

__all__ = [
    "ASDPSelector",
    "AlternativeFeatureSelector",
    "Answer",
    "BackendError",
    "BackendMissingError",
    "CheapestSets",
    "GraphSelector",
    "GreedyWrapperSelector",
    "Group",
    "Incumbent",
    "InfeasibleError",
    "InputError",
    "MinThenSum",
    "MostDissimilar",
    "MostSets",
    "NoSolutionError",
    "Problem",
    "ProvedBound",
    "PyfselError",
    "Result",
    "SequentialSearch",
    "Status",
    "Step",
    "StopReason",
    "SubsetSelector",
    "Ties",
    "UnsupportedError",
    "VerificationError",
    "backends",
    "cheapest_sets",
    "decode",
    "graph_score_problem",
    "make_problem",
    "min_then_sum",
    "minizinc_instance",
    "most_dissimilar",
    "most_sets",
    "solution_score",
    "solve",
    "ties",
    "verify",
]


LAZY = {
    "solution_score": "pyfsel.bench.instances.solution_score",
    "ASDPSelector": "pyfsel.selectors.graph",
    "AlternativeFeatureSelector": "pyfsel.selectors.alternatives",
    "GraphSelector": "pyfsel.selectors.graph",
    "GreedyWrapperSelector": "pyfsel.selectors.wrapper.selector",
    "SubsetSelector": "pyfsel.selectors.subset.selector",
}


def __getattr__(name: str) -> Any:
    """Load an estimator, and scikit-learn with it, or what is for benchmarks, when it is first asked for."""
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LAZY[name]), name)
