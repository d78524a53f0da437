"""Alternative feature selection: several dissimilar, provably best feature sets.

The rooms, each of which imports only those before it: `errors`, `problem` (what is asked), `results` (what is
claimed and what stands), `measures` (from a table to numbers), `reductions`, `solvers` (programs of others),
`algorithms` (our own searches), `backends`, `solving`, `questions` (other ways to ask), `bench`, `selectors`
(scikit-learn), and `cli`, which stands above this file: it only hands names on.

Each name loads what it needs when it is first asked for: importing the package takes a fifth of a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pyfsel.backends import describe_backends as backends

if TYPE_CHECKING:
    from pyfsel.backends.decode import decode
    from pyfsel.backends.minizinc.instance import minizinc_instance
    from pyfsel.bench.compare import compare
    from pyfsel.bench.instances.solution_score import solution_score
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
    from pyfsel.questions.cheapest import CheapestSets, cheapest_sets
    from pyfsel.questions.masks import best_masks
    from pyfsel.questions.min_then_sum import MinThenSum, min_then_sum
    from pyfsel.questions.most_dissimilar import MostDissimilar, most_dissimilar
    from pyfsel.questions.most_sets import MostSets, most_sets
    from pyfsel.questions.optimal_part import optimal_part
    from pyfsel.questions.sweep.sweep import sweep
    from pyfsel.questions.ties import Ties, ties
    from pyfsel.results.answer import Answer, Incumbent, ProvedBound, Status, Step, StopReason
    from pyfsel.results.result import Result
    from pyfsel.results.verify import violations as verify
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector
    from pyfsel.selectors.evaluation.evaluate import evaluate
    from pyfsel.selectors.graph import ASDPSelector, GraphSelector
    from pyfsel.selectors.subset.mask import MaskSelector
    from pyfsel.selectors.subset.selector import SubsetSelector
    from pyfsel.selectors.wrapper.selector import GreedyWrapperSelector
    from pyfsel.solving.sequential import SequentialSearch
    from pyfsel.solving.solve import solve

    __version__: str

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
    "MaskSelector",
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
    "best_masks",
    "cheapest_sets",
    "compare",
    "consistency",
    "decode",
    "evaluate",
    "graph_score_problem",
    "make_problem",
    "min_then_sum",
    "minizinc_instance",
    "most_dissimilar",
    "most_sets",
    "optimal_part",
    "solution_score",
    "solve",
    "sweep",
    "ties",
    "verify",
]

LAZY = {
    "ASDPSelector": ("pyfsel.selectors.graph", "ASDPSelector"),
    "AlternativeFeatureSelector": ("pyfsel.selectors.alternatives", "AlternativeFeatureSelector"),
    "Answer": ("pyfsel.results.answer", "Answer"),
    "BackendError": ("pyfsel.errors", "BackendError"),
    "BackendMissingError": ("pyfsel.errors", "BackendMissingError"),
    "CheapestSets": ("pyfsel.questions.cheapest", "CheapestSets"),
    "GraphSelector": ("pyfsel.selectors.graph", "GraphSelector"),
    "GreedyWrapperSelector": ("pyfsel.selectors.wrapper.selector", "GreedyWrapperSelector"),
    "Group": ("pyfsel.problem.side_constraints", "Group"),
    "Incumbent": ("pyfsel.results.answer", "Incumbent"),
    "InfeasibleError": ("pyfsel.errors", "InfeasibleError"),
    "InputError": ("pyfsel.errors", "InputError"),
    "MaskSelector": ("pyfsel.selectors.subset.mask", "MaskSelector"),
    "MinThenSum": ("pyfsel.questions.min_then_sum", "MinThenSum"),
    "MostDissimilar": ("pyfsel.questions.most_dissimilar", "MostDissimilar"),
    "MostSets": ("pyfsel.questions.most_sets", "MostSets"),
    "NoSolutionError": ("pyfsel.errors", "NoSolutionError"),
    "Problem": ("pyfsel.problem.problem", "Problem"),
    "ProvedBound": ("pyfsel.results.answer", "ProvedBound"),
    "PyfselError": ("pyfsel.errors", "PyfselError"),
    "Result": ("pyfsel.results.result", "Result"),
    "SequentialSearch": ("pyfsel.solving.sequential", "SequentialSearch"),
    "Status": ("pyfsel.results.answer", "Status"),
    "Step": ("pyfsel.results.answer", "Step"),
    "StopReason": ("pyfsel.results.answer", "StopReason"),
    "SubsetSelector": ("pyfsel.selectors.subset.selector", "SubsetSelector"),
    "Ties": ("pyfsel.questions.ties", "Ties"),
    "UnsupportedError": ("pyfsel.errors", "UnsupportedError"),
    "VerificationError": ("pyfsel.errors", "VerificationError"),
    "best_masks": ("pyfsel.questions.masks", "best_masks"),
    "cheapest_sets": ("pyfsel.questions.cheapest", "cheapest_sets"),
    "compare": ("pyfsel.bench.compare", "compare"),
    "consistency": ("pyfsel.questions.consistency", ""),
    "decode": ("pyfsel.backends.decode", "decode"),
    "evaluate": ("pyfsel.selectors.evaluation.evaluate", "evaluate"),
    "graph_score_problem": ("pyfsel.problem.graph_score", "graph_score_problem"),
    "make_problem": ("pyfsel.problem.make", "make_problem"),
    "min_then_sum": ("pyfsel.questions.min_then_sum", "min_then_sum"),
    "minizinc_instance": ("pyfsel.backends.minizinc.instance", "minizinc_instance"),
    "most_dissimilar": ("pyfsel.questions.most_dissimilar", "most_dissimilar"),
    "most_sets": ("pyfsel.questions.most_sets", "most_sets"),
    "optimal_part": ("pyfsel.questions.optimal_part", "optimal_part"),
    "solution_score": ("pyfsel.bench.instances.solution_score", "solution_score"),
    "solve": ("pyfsel.solving.solve", "solve"),
    "sweep": ("pyfsel.questions.sweep.sweep", "sweep"),
    "ties": ("pyfsel.questions.ties", "ties"),
    "verify": ("pyfsel.results.verify", "violations"),
}
"""By name: the module where it is, and what it is called there; nothing if it is the module."""


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("pyfsel")
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place, called = LAZY[name]
    module = import_module(place)
    found = globals()[name] = getattr(module, called) if called else module
    return found


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
