"""Compiling the machine code of all searches at once, so that no later solve waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.backends import get_backend
from pyfsel.errors import UnsupportedError
from pyfsel.problem.graph_score import graph_score_problem
from pyfsel.problem.make import make_problem
from pyfsel.problem.problem import Problem
from pyfsel.results.control import Control
from pyfsel.solving.sessions import SessionPool
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMPILED = ("columns", "counts", "gray-code", "ksubgraph", "packing", "sdp-bound")
N_FEATURES = 18
N_BRANCHED = 36  # so many that the search for the graph score has to branch


def compile_searches(
    on_backend: Callable[[str], None] = lambda name: None, names: Sequence[str] = COMPILED
) -> None:
    """Solve small problems of each kind with every backend that has compiled loops.

    The machine code is kept beside the package, or in the user's cache folder where that is read-only: the
    first call takes up to a minute or two, the next one some seconds.

    Parameters
    ----------
    on_backend : callable
        Called with the name of each backend before its code is compiled.
    names : sequence of str
        The backends; all that have compiled loops unless given.
    """
    with SessionPool() as sessions:
        for name in names:
            if get_backend(name).missing() is not None:
                continue
            on_backend(name)
            for problem, search in product(_problems(name), ("simultaneous", "sequential")):
                with suppress(UnsupportedError):
                    solve(problem, name, search, sessions=sessions, time_limit=None)
            if name == "columns":
                _branch_on_uses()


def _branch_on_uses() -> None:
    """Solve a small problem by the search that has its turn in hard problems only."""
    from pyfsel.algorithms.columns.by_uses.search import UseSearch

    quality, redundancy = _numbers(N_FEATURES)
    problem = make_problem(quality, redundancy / 4, objective="fcbf", k=4, n_alternatives=2, max_overlap=2)
    search = UseSearch(problem, Control())
    search.relax()
    search.branch_on_uses()


def _numbers(n_features: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return random qualities and redundancies."""
    random = np.random.default_rng(0)
    quality, half = random.random(n_features), random.random((n_features, n_features))
    return quality, half + half.T


def _problems(name: str) -> Iterator[Problem]:
    quality, redundancy = _numbers(N_FEATURES)
    pairwise = {"univariate": None, "fcbf": redundancy / 4, "mrmr": redundancy}
    for objective, max_overlap, aggregate in product(pairwise, (0, 1, 2, 3), ("sum", "min")):
        yield make_problem(
            quality,
            pairwise[objective],
            objective=objective,
            k=5,
            n_alternatives=2,
            max_overlap=max_overlap,
            aggregate=aggregate,
        )
    for smallest in (None, 1):
        yield make_problem(
            quality, redundancy, objective="cfs", k=5, min_k=smallest, n_alternatives=1, max_overlap=4
        )
    delta, similarity = _numbers(N_BRANCHED if name == "sdp-bound" else N_FEATURES)
    yield graph_score_problem(delta - 0.5, similarity - 1)
