"""Every measure under changes of the table: the numbers stay, unless the definition says otherwise."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse
from sklearn import ensemble

from pyfsel import InputError
from pyfsel.measures import prepare, quality, redundancy
from pyfsel.measures.registry import OTHER_TARGETS, PAIRS, QUALITY, measures
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.target import times_with_events

N_ROWS = 200
UNITS = {
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
    events = rng.random(N_ROWS) < 0.7
    times = times_with_events(np.exp(X[:, 0] / 2 + rng.normal(size=N_ROWS)), events)
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
    (QUALITY, measure, target)
    for measure in measures(QUALITY).values()
    for target in TARGETS
    if task_of(target) in measure.tasks
]
REDUNDANCY = [
    (PAIRS, measure, target)
    for measure in measures(PAIRS).values()
    for target in (TARGETS if measure.sees_target else ["two"])
    if target not in OTHER_TARGETS
]


every = pytest.mark.parametrize(
    ("kind", "measure", "target"), RELEVANCE + REDUNDANCY, ids=lambda value: getattr(value, "name", None)
)


def read(target, X, y):
    return prepare(X, y, task=task_of(target))


def measured(kind, measure, table, **options):
    if kind == PAIRS:
        return redundancy(table, measure.name, random_state=0, **options)
    few = {"n_repeats": 2} if measure.name == "permutation_importance" else {}
    return quality(table, measure=measure.name, random_state=0, **few, **options)


def same(found, expected, tolerance=1e-6):
    """Whether numbers differ by what rounding a column at an offset of 1e9 does to it, at most."""
    return np.isfinite(found).all() and np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    for name in ("RandomForestClassifier", "RandomForestRegressor"):
        monkeypatch.setattr(ensemble, name, partial(getattr(ensemble, name), 10))


@every
def test_numbers_do_not_depend_on_units_and_zeros(kind, measure, target):
    expected = measured(kind, measure, read(target, X, TARGETS[target]))
    assert np.ptp(expected) > 0 or measure.name == "itself"
    changed = {
        name
        for name, change in UNITS.items()
        if not same(measured(kind, measure, read(target, change(X), TARGETS[target])), expected)
    }
    assert changed == {name for own, name in BY_DEFINITION if own == measure.name}
    if target == "regression" and kind == QUALITY:
        for name, change in UNITS.items():
            y = change(TARGETS[target][:, None])[:, 0]
            assert name == "negation" or same(measured(kind, measure, read(target, X, y)), expected), name


# Other changes: a table, another one, and where the numbers of the second are in those of the first.

MIXED = X.astype(np.float32).astype(float)
MIXED[np.abs(MIXED) < 0.5] = 0
MIXED[:, 4] = RNG.integers(0, 3, N_ROWS) + (MIXED[:, 0] > 0)
COLUMNS, ROWS = RNG.permutation(5), RNG.permutation(N_ROWS)
TIMES = RNG.integers(0, 4, N_ROWS)
REPEATED = np.repeat(np.arange(N_ROWS), TIMES)


def of_rows(rows):
    return lambda table, y: table(MIXED[rows], None if y is None else y[rows])


def weighted(weights):
    return lambda table, y: with_rows(table(MIXED, y), weights)


def named(y):
    return np.array(["z", "m", "a"])[y.astype(int)] if y is not None and y.dtype.kind in "ib" else y


OTHERS = {
    "a constant column": lambda table, y: table(np.insert(MIXED, 2, 5.0, axis=1), y),
    "names of classes": lambda table, y: table(MIXED, named(y)),
    "single precision": lambda table, y: table(MIXED.astype(np.float32), y),
    "sparse": lambda table, y: table(scipy.sparse.csr_array(MIXED), y),
    "columns in another order": lambda table, y: table(MIXED[:, COLUMNS], y),
    "rows in another order": of_rows(ROWS),
    "equal weights": weighted(np.full(N_ROWS, 0.25)),
    "other units of weights": weighted(TIMES / 7),
    "rows of weight 0": weighted((TIMES > 0) * 2.5),
    "weights as numbers of rows": weighted(TIMES),
}
EXPECTED = {
    "other units of weights": weighted(TIMES / 17),
    "rows of weight 0": of_rows(TIMES > 0),
    "weights as numbers of rows": of_rows(REPEATED),
}
"""What has the same numbers; otherwise it is the first table as it is."""
IS_DRAWN = {"mutual_info", "mutual_info_numeric", "model_importance", "permutation_importance"}
"""What depends on random numbers, which are drawn by column and by row."""
BEYOND_CHANCE = {"information", "information_share", "co_information"}
"""Unequal weights count as fewer rows than they add up to, and bins are those of all rows."""
EXCLUDED = {
    "names of classes": IS_DRAWN,
    "columns in another order": IS_DRAWN,
    "rows in another order": IS_DRAWN,
    "other units of weights": IS_DRAWN,
    "weights as numbers of rows": IS_DRAWN | BEYOND_CHANCE,
    "rows of weight 0": IS_DRAWN | BEYOND_CHANCE,
}
PLACES = {"a constant column": [0, 1, 3, 4, 5], "columns in another order": np.argsort(COLUMNS)}


@pytest.mark.filterwarnings("ignore:X. column 'x2' is constant")
@every
def test_numbers_do_not_depend_on_how_a_table_is_given(kind, measure, target, monkeypatch):
    """In blocks of two columns where a measure works column by column, and in two processes."""
    changed, y = set(), TARGETS[target]
    monkeypatch.setattr("pyfsel.measures.tables.table.BLOCK_ENTRIES", 2 * N_ROWS)
    for name, change in OTHERS.items():
        if measure.name in EXCLUDED.get(name, ()) or ("weight" in name and not measure.weighted):
            continue
        table = partial(read, target)
        same_as = EXPECTED.get(name, lambda table, y: table(MIXED, y))
        found, expected = (measured(kind, measure, make(table, y)) for make in (change, same_as))
        places = PLACES.get(name, range(5))
        picked = found[np.ix_(places, places)] if found.ndim == 2 else found[places]
        if not same(picked, expected, 1e-9) or np.count_nonzero(found) > np.count_nonzero(expected):
            changed.add(name)
    assert changed == set()
    table = read(target, MIXED, y)
    assert (measured(kind, measure, table) == measured(kind, measure, table, n_jobs=2)).all()
    if measure.weighted:
        weighted = with_rows(table, TIMES)
        assert np.abs(measured(kind, measure, weighted) - measured(kind, measure, table)).max() > 1e-3
    else:
        with pytest.raises(InputError, match=f"{kind}='{measure.name}' takes no weights; those that"):
            measured(kind, measure, with_rows(table, TIMES))
