"""Fields of an instance that are right by themselves and must not be together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in
from pyfsel.problem.fields import LARGEST_SUM, LARGEST_TOTAL
from pyfsel.problem.fractions import R2
from pyfsel.problem.known_objectives import OBJECTIVES, check_sizes


def contradictions(problem: Any) -> Iterator[tuple[object, str]]:
    """Yield what fields that are right by themselves must not be together, and whether they are so."""
    n, k, sizes = problem.n_features, problem.k, problem.sizes
    aggregate = f"aggregate={problem.aggregate!r}"
    yield (
        problem.search == "sequential" and problem.aggregate != "sum",
        f"{aggregate}: is for sets that are found together, not search='sequential'",
    )
    check_sizes(problem.objective, sizes)
    yield (
        problem.shared_price and problem.aggregate != "sum",
        f"shared_price: is taken from a sum, not from {aggregate}",
    )
    is_missing = problem.pairs is None is problem.lazy_pairs and not OBJECTIVES[problem.objective].is_sum
    yield is_missing, f"pairs: is missing; objective={problem.objective!r} needs it"
    if problem.objective_criterion is not None:
        _check_criterion(problem)
    both = problem.names_of(sorted(set(problem.forced) & set(problem.forbidden)))
    yield both, f"forbidden: {', '.join(map(repr, both))} must not be forced as well"
    yield len(problem.forced) > k, f"forced: {len(problem.forced)} features are more than k={k}"
    left = n - len(problem.forbidden)
    yield left < sizes[0], f"forbidden: leaves {left} features, sets have {problem.sizes_text}"
    if problem.costs is not None:
        least, largest = int(problem.costs.min()), int(np.abs(problem.costs).max())
        yield (
            least < 0 < problem.quality.max(),
            f"costs: holds {least}, must hold numbers of at least 0",
        )
        yield (
            largest * k > LARGEST_TOTAL or largest * n > LARGEST_SUM,
            "costs: the cost of a set can pass 2**53; use a smaller cost_scale",
        )
    yield problem.budget is not None and problem.costs is None, f"budget={problem.budget}: needs costs"
    weights = f"shared_weight={problem.shared_weight}"
    yield (
        (problem.shared_weight is None) != (problem.size_weight is None),
        f"{weights}, size_weight={problem.size_weight}: go together",
    )
    yield (
        problem.shared_weight is not None and not problem.has_size_range,
        f"{weights}: is for sets that differ in size (k_min)",
    )
    for name, given in (("a range of sizes", problem.has_size_range), ("a price", problem.shared_price)):
        yield (
            len(problem.relatives) and given,
            f"relatives: are for sets of one size with a limit on what they share, without {name}",
        )


def _check_criterion(problem: Any) -> None:
    criterion = f"objective_criterion={problem.objective_criterion!r}"
    if problem.objective != R2.name:
        raise InputError(f"{criterion}: is for objective {R2.name}, not {problem.objective!r}")
    if problem.objective_ridge:
        raise InputError(f"{criterion}: counts coefficients without a penalty")
    if problem.objective_rows is None:
        raise InputError(f"objective_rows: is missing; {criterion} needs it")
    integer_in("objective_rows", problem.objective_rows, problem.k + 2, None)
