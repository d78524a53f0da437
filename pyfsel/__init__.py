"""Alternative feature selection: several dissimilar, provably best feature sets.

Importing the package loads neither a solver library nor scikit-learn; what needs one loads it then.
"""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from pyfsel.backends import describe_backends as backends
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
from pyfsel.from_floats import make_problem
from pyfsel.problem import Problem
from pyfsel.result import Answer, Incumbent, ProvedBound, Result, Status, Step, StopReason
from pyfsel.search import SequentialSearch
from pyfsel.solve import solve
from pyfsel.verify import violations as verify

if TYPE_CHECKING:
    from pyfsel.estimator import AlternativeFeatureSelector

__version__ = _version("pyfsel")

__all__ = [
    "AlternativeFeatureSelector",
    "Answer",
    "BackendError",
    "BackendMissingError",
    "Incumbent",
    "InfeasibleError",
    "InputError",
    "NoSolutionError",
    "Problem",
    "ProvedBound",
    "PyfselError",
    "Result",
    "SequentialSearch",
    "Status",
    "Step",
    "StopReason",
    "UnsupportedError",
    "VerificationError",
    "backends",
    "make_problem",
    "solve",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load the estimator, and scikit-learn with it, when it is first asked for."""
    if name == "AlternativeFeatureSelector":
        from pyfsel.estimator import AlternativeFeatureSelector

        return AlternativeFeatureSelector
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
