"""Distances to the k-th neighbour are those among all points, whatever is left to windows or the tree."""

import numpy as np
import pytest
from scipy.spatial import KDTree
from sklearn.feature_selection import mutual_info_regression

from pyfsel.measures import strips
from pyfsel.measures.neighbours import information_with
from pyfsel.measures.strips import kth_distances


def columns(n, rng):
    """Even, both signs, ties with noise and without, constant stretches, heavy tails, far off."""
    normal = rng.standard_normal(n)
    noise = 1e-10 * rng.standard_normal(n)
    return {
        "normal": normal,
        "ties": rng.integers(0, 3, n) + noise,
        "equal values": rng.integers(0, 3, n) / 3,
        "constant": np.full(n, 0.1),
        "mostly zero": normal * (rng.random(n) < 0.3) + noise,
        "a stretch": np.where(np.arange(n) < n / 2, -1.0, normal),
        "heavy tails": rng.standard_cauchy(n) ** 3,
        "far off": 1e9 + np.round(normal, 2),
        "near copy": normal + 1e-3 * rng.standard_normal(n),
    }


def among_all(x, y, k):
    apart = np.maximum(np.abs(x[:, None] - x), np.abs(y[:, None] - y))
    return np.sort(apart, axis=1)[:, k] if k < len(x) else np.full(len(x), np.inf)


def found(x, y, k):
    return kth_distances(x, y, k, np.argsort(x), np.argsort(y))


UNLIMITED = {
    "FEWEST_POINTS": 0,
    "FEW": 0,
    "MOST_STEPS": 999,
    "STEPS_ON_AVERAGE": 999,
    "MOST_STRIPS_AWAY": 999,
}


@pytest.mark.parametrize(
    "limits",
    [
        {"_of_some": None},
        {"FEW": 8, "MOST_STRIPS_AWAY": 1, "TREE_PER_POINT": np.inf},
        {"MOST_STEPS": 2, "TREE_PER_POINT": 0},
        {"STEPS_ON_AVERAGE": 1, "WIDTH": 4.0, "TREE_PER_POINT": np.inf},
    ],
    ids=["strips alone", "windows", "tree", "windows, wide strips"],
)
def test_distances_are_those_among_all_points(monkeypatch, limits):
    for name, limit in (UNLIMITED | limits).items():
        monkeypatch.setattr(strips, name, limit)
    rng = np.random.default_rng(0)
    for n, k in ((1, 1), (2, 1), (3, 3), (7, 2), (40, 6), (200, 1), (200, 3)):
        kinds = list(columns(n, rng).items())
        for shift in (0, 1, 4, 7):
            for (name_x, x), (name_y, y) in zip(kinds, kinds[shift:] + kinds[:shift], strict=True):
                assert found(x, y, k).tolist() == among_all(x, y, k).tolist(), (n, k, name_x, name_y)


def test_many_points():
    """As many as are searched so by default; the tree, which gives the same, is asked for some at most."""
    rng = np.random.default_rng(2)
    kinds = columns(strips.FEWEST_POINTS, rng)
    for name_x, name_y in (("normal", "near copy"), ("ties", "normal"), ("mostly zero", "heavy tails")):
        points = np.column_stack([kinds[name_x], kinds[name_y]])
        wanted = KDTree(points).query(points, k=[4], p=np.inf)[0][:, 0]
        assert found(*points.T, 3).tolist() == wanted.tolist()


def test_information_of_many_rows_is_that_of_scikit_learn():
    rng = np.random.default_rng(3)
    n = strips.FEWEST_POINTS
    X = np.column_stack([rng.standard_normal(n), rng.integers(0, 5, n), np.exp(3 * rng.standard_normal(n))])
    y = X[:, 0] + X[:, 1] + rng.standard_normal(n)
    given = {"n_neighbors": 3, "random_state": 4}
    ours = information_with(X, y, is_discrete=np.zeros(3, bool), discrete_target=False, **given)
    assert ours == pytest.approx(mutual_info_regression(X, y, **given), abs=1e-9, rel=0)
