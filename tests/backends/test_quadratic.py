"""Quadratic models of one set: energies are values, wrong sizes never win."""

from itertools import product

import numpy as np
import pytest

from pyfsel.backends.export import export
from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve


def problem(objective, seed, **more):
    rng = np.random.default_rng(seed)
    r = rng.integers(-9, 10, (6, 6))
    pairs = None if objective == "univariate" else np.triu(r, 1) + np.triu(r, 1).T
    sizes = {"n_sets": 1, "k": 3, "max_shared": 3} | more
    return Instance(rng.integers(-9, 10, 6), objective=objective, pairs=pairs, **sizes)


ALL_SIZES = {"k": 6, "max_shared": 6, "k_min": 1}
CASES = [("univariate", {}), ("mrmr", {}), ("jmi", {}), ("mifs", {}), ("graph_score", ALL_SIZES)]


def energies_of_qubo(text):
    rows = [line.split() for line in text.splitlines() if line[0] not in "cp"]
    return lambda x: sum(int(w) * x[int(i)] * x[int(j)] for i, j, w in rows)


@pytest.mark.parametrize(("objective", "more"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_energies_are_values_and_wrong_sizes_never_win(objective, more, seed):
    asked = problem(objective, seed, **more)
    text = export(asked, "qubo")
    energy, constant = energies_of_qubo(text), int(text.split()[3])
    worth = {x: energy(x) + constant for x in product((0, 1), repeat=6)}
    for x, found in worth.items():
        members = tuple(np.flatnonzero(x).tolist())
        if len(members) in asked.sizes:
            assert found == -values.value(asked, members)
    best = solve(asked, "brute-force").integer_objective
    assert min(worth.values()) == -best


@pytest.mark.parametrize(
    "more",
    [
        {"n_sets": 2},
        {"forced": [1]},
        {"conflicts": [(0, 1)]},
        {"k_min": 2},
        {"min_quality": 1},
        {**ALL_SIZES, "quality": [-1] * 6},
    ],
)
def test_what_has_no_quadratic_model_is_refused(more):
    with pytest.raises(InputError, match="a quadratic model"):
        export(problem("univariate", 0).replace(**more), "qubo")
