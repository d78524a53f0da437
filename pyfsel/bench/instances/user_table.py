"""Instances from any table."""

from __future__ import annotations

import numpy as np

from pyfsel.bench.instances.registry import Generated, Request, family
from pyfsel.errors import InputError
from pyfsel.measures.from_table import problem_from_table


@family(
    "table",
    "the qualities of a table's features, with any measure and objective",
    "shrinks the differences of the qualities to their mean: at 0 as measured, at 1 a hundredth of it",
)
def table(request: Request, rng: np.random.Generator) -> Generated:
    """Return the problem of the user's table, or of a random choice of its features."""
    if request.table is None:
        raise InputError("table: is missing; the family table needs one")
    chosen = request.table
    n = request.features_or(chosen.n_features)
    if n > chosen.n_features:
        raise InputError(f"n_features={n}: the table has {chosen.n_features}")
    if n < chosen.n_features:
        chosen = chosen.select(np.sort(rng.choice(chosen.n_features, n, replace=False)).tolist())
    problem = problem_from_table(
        chosen,
        k=request.k,
        n_sets=request.n_sets,
        dissimilarity=f"shared:{request.overlap}",
        objective=request.objective,
        measure=request.measure,
        aggregate=request.search or "sum",
        random_state=int(rng.integers(2**31)),
        chance="off",
    ).replace(evidence=None)
    mean = problem.quality.mean()
    spread = (problem.quality - mean) * (1 - 0.99 * request.difficulty)
    if request.difficulty:
        quality = np.rint(mean + spread).astype(np.int64)
        problem = problem.replace(quality=quality, exact_quality=None)
    return Generated(problem, facts={"measure": request.measure})
