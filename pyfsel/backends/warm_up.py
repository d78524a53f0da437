"""Small problems of each kind: solving them compiles the loops of a backend."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.problem.graph_score import graph_score_problem
from pyfsel.problem.make import make_problem
from pyfsel.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_FEATURES = 18


def problems_of_sets() -> Iterator[Problem]:
    """Yield problems of the objectives of paper 000."""
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


def problem_of_scores(n_features: int = N_FEATURES) -> Problem:
    """Return a problem with the graph score of paper 004."""
    delta, similarity = _numbers(n_features)
    return graph_score_problem(delta - 0.5, similarity - 1)


def _numbers(n_features: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return random qualities and redundancies."""
    random = np.random.default_rng(0)
    quality, half = random.random(n_features), random.random((n_features, n_features))
    return quality, half + half.T
