"""Alternative feature selection: several dissimilar, provably best feature sets.

Importing the package loads no solver library; each backend loads its own when it runs.
"""

from importlib.metadata import version as _version

from pyfsel.backends import describe_backends as backends
from pyfsel.errors import (
    BackendError,
    BackendMissingError,
    InfeasibleError,
    InputError,
    PyfselError,
    UnsupportedError,
    VerificationError,
)
from pyfsel.problem import Problem, make_problem
from pyfsel.result import Answer, Incumbent, Result, Status, Step, StopReason
from pyfsel.search import SequentialSearch
from pyfsel.solve import solve
from pyfsel.verify import violations as verify

__version__ = _version("pyfsel")

__all__ = [
    "Answer",
    "BackendError",
    "BackendMissingError",
    "Incumbent",
    "InfeasibleError",
    "InputError",
    "Problem",
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
