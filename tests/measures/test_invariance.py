"""Every measure under other units and other zeros: the numbers stay, unless the definition says otherwise."""

import numpy as np
import pytest

from pyfsel.measures import prepare, quality, redundancy
from pyfsel.measures.registry import OTHER_TARGETS, PAIRS, QUALITY, measures

N_ROWS = 200
CHANGES = {
    "offset 1e3": lambda X: X + 2.0**10,
    "offset 1e6": lambda X: X + 2.0**20,
    "offset 1e9": lambda X: X + 2.0**30,
    "scale 1e150": lambda X: X * 1e150,
    "scale 1e-150": lambda X: X * 1e-150,
    "offset and scale": lambda X: (X + 2.0**30) * 1e-150,
    "one scale": lambda X: X * np.append(1e150, np.ones(X.shape[1] - 1)),
    "negation": np.negative,
}
BY_DEFINITION = {
    ("model_importance", "negation"): "of equal splits a tree takes that of the least values",
    ("permutation_importance", "negation"): "of equal splits a tree takes that of the least values",
}
"""What may change a measure, and why; nothing else may."""


def numbers(rng, shape):
    """Numbers of 20 binary digits behind the point: sums with offsets up to 2**30 are exact."""
    return np.round(rng.normal(size=shape) * 2**20) / 2**20


def targets(rng, X):
    times = np.zeros(N_ROWS, dtype=[("event", bool), ("time", float)])
    times["event"], times["time"] = rng.random(N_ROWS) < 0.7, np.exp(X[:, 0] / 2 + rng.normal(size=N_ROWS))
    signal = X[:, 0] + X[:, 1] + numbers(rng, N_ROWS)
    classes = np.digitize(signal, [-1, 1])
    return {
        "two": classes > 0,
        "three": classes,
        "regression": signal,
        "survival": times,
        "unsupervised": None,
    }


RNG = np.random.default_rng(0)
X = numbers(RNG, (N_ROWS, 5))
TARGETS = targets(RNG, X)


def task_of(target):
    return target if target in ("regression", *OTHER_TARGETS) else "classification"


RELEVANCE = [
    (name, target)
    for name, measure in sorted(measures(QUALITY).items())
    for target in TARGETS
    if measure.is_for(task_of(target))
]


def measured(measure, target, X, y, of_pairs=False):
    table = prepare(X, y, task=task_of(target))
    if of_pairs:
        return redundancy(table, measure, random_state=0)
    few = {"n_repeats": 2} if measure == "permutation_importance" else {}
    return quality(table, measure=measure, random_state=0, **few)


def same(found, expected):
    """Whether numbers differ by what rounding a column at an offset of 1e9 does to it, at most."""
    return np.isfinite(found).all() and np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize(("measure", "target"), RELEVANCE)
def test_qualities_do_not_depend_on_units_and_zeros(measure, target):
    expected = measured(measure, target, X, TARGETS[target])
    assert np.ptp(expected) > 0 or measure == "itself"
    changed = {
        name
        for name, change in CHANGES.items()
        if not same(measured(measure, target, change(X), TARGETS[target]), expected)
    }
    assert changed == {name for own, name in BY_DEFINITION if own == measure}
    if target == "regression":
        for name, change in CHANGES.items():
            y = change(TARGETS[target][:, None])[:, 0]
            assert name == "negation" or same(measured(measure, target, X, y), expected), name


@pytest.mark.parametrize(
    ("measure", "target"),
    [
        (name, target)
        for name, measure in sorted(measures(PAIRS).items())
        for target in (TARGETS if measure.sees_target else ["two"])
        if target != "unsupervised"
    ],
)
def test_redundancies_do_not_depend_on_units_and_zeros(measure, target):
    expected = measured(measure, target, X, TARGETS[target], of_pairs=True)
    assert expected.any()
    for name, change in CHANGES.items():
        assert same(measured(measure, target, change(X), TARGETS[target], of_pairs=True), expected), name
