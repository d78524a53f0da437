"""Importances of features in a fitted scikit-learn model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Array, Floats, Ints
from pyfsel.measures.correlation import standardised
from pyfsel.measures.parts import in_parts
from pyfsel.measures.tables.model_tables import FoldTables, ModelColumns, fitted, require_weighted
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import generator_of, integer_in

TEST_SHARE = 1 / 3
TARGET_STEP = 2.0**-20


def model_importance(table: Table, *, random_state: Any = None, estimator: Any = None) -> Floats:
    """Return the importances in a fitted model, by default an entropy decision tree (paper 000: Model Gain).

    Any scikit-learn model with ``feature_importances_`` or ``coef_`` will do, also as the last step of a
    pipeline that keeps the features. Coefficients count by absolute value, summed over the classes;
    importances of a category's columns are added up. Your own model gets the numbers as they are, in their
    units; the tree gets them standardised.
    """
    table = table if estimator is not None else _standardised(table)
    model = _model(table, estimator, random_state)
    if table.weights is not None:
        require_weighted(estimator, model)
    rows, members = np.arange(len(table.y)), range(table.n_features)
    tables = FoldTables(ModelColumns.of(table), model, rows, rows[:1], is_named=False)
    model = fitted(tables.model(members), tables(members)[0], table.y, table.weights)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    importances = getattr(last, "feature_importances_", None)
    if importances is None:
        coefficients = getattr(last, "coef_", None)
        if coefficients is None:
            raise InputError(f"estimator={estimator}: must have feature_importances_ or coef_ when fitted")
        importances = np.abs(np.atleast_2d(coefficients)).sum(axis=0)
    importances = np.asarray(importances, dtype=np.float64)
    parts = tables.parts(members)
    if importances.shape != (sum(map(len, parts)),):
        raise InputError(
            f"estimator={estimator}: must have one importance for each of {table.n_features} features"
        )
    return np.array([importances[part].sum() for part in parts])


def permutation_importance(
    table: Table,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    estimator: Any = None,
    n_repeats: int = 10,
) -> Floats:
    """Loss of score on a third of the rows, held out, when one feature is shuffled; may be negative.

    The default model is a random forest on standardised columns; any scikit-learn model will do. The numbers
    equal `sklearn.inspection.permutation_importance`; a category's columns are shuffled together.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.model_selection import train_test_split

    n_repeats = integer_in("n_repeats", n_repeats, 1, None)
    if estimator is None:
        table = _standardised(table)
        estimator = RandomForestClassifier() if table.task == "classification" else RandomForestRegressor()
    state = generator_of(random_state)
    counts = np.bincount(table.y) if table.task == "classification" else np.zeros(1)
    can_stratify = counts.min() >= 2 and len(counts) <= int(len(table.y) * TEST_SHARE)
    stratify, every = table.y if can_stratify else None, np.arange(len(table.y))
    train, test = train_test_split(every, test_size=TEST_SHARE, random_state=state, stratify=stratify)
    members, y_test = range(table.n_features), table.y[test]
    tables = FoldTables(ModelColumns.of(table), _model(table, estimator, state), train, test, is_named=False)
    X_train, X_test = tables(members)
    model = tables.model(members).fit(X_train, table.y[train])
    seed, parts = state.randint(np.iinfo(np.int32).max + 1), tables.parts(members)
    scores = in_parts(
        _shuffled_scores,
        table.n_features,
        lambda j: (model, X_test, y_test, parts[j], n_repeats, seed),
        n_jobs,
    )
    return np.asarray((model.score(X_test, y_test) - scores).mean(axis=1))


def _standardised(table: Table) -> Table:
    """Return the table for trees, which work in single precision: numbers, also the target's, standardised.

    Trees use only the order of values: few whole numbers become ranks, which differ far from 0 as well. The
    target is in multiples of 2**-20: sums are exact, so splits of equal gain stay equal in any unit.
    """
    X = standardised(table.X) * len(table.X) ** 0.5
    for j in np.flatnonzero(table.is_discrete):
        X[:, j] = np.unique(table.X[:, j], return_inverse=True)[1]
    if table.task == "classification":
        return replace(table, X=X)
    y = standardised(table.y[:, None])[:, 0] * len(table.y) ** 0.5
    return replace(table, X=X, y=np.round(y / TARGET_STEP) * TARGET_STEP)


def _shuffled_scores(model: Any, X: Any, y: Array, columns: Ints, n_repeats: int, seed: int) -> list[float]:
    """Return the scores of a model after each time that the columns of one feature were shuffled."""
    shuffled, order = X.copy(), np.arange(len(X))
    state = np.random.RandomState(seed)
    scores = []
    for _ in range(n_repeats):
        state.shuffle(order)
        if hasattr(X, "iloc"):
            name = X.columns[columns[0]]
            shuffled[name] = shuffled[name].array[order]
        else:
            shuffled[:, columns] = shuffled[np.ix_(order, columns)]
        scores.append(float(model.score(shuffled, y)))
    return scores


def _model(table: Table, estimator: Any, random_state: Any) -> Any:
    """Return an unfitted copy of the model, with the seed where it takes one and has none."""
    from sklearn.base import clone, is_classifier, is_regressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    wants_classes = table.task == "classification"
    if estimator is None:
        estimator = DecisionTreeClassifier(criterion="entropy") if wants_classes else DecisionTreeRegressor()
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise InputError(f"estimator={estimator!r}: must be a scikit-learn model")
    if (is_regressor if wants_classes else is_classifier)(estimator):
        raise InputError(f"estimator={estimator}: does not fit task={table.task!r}")
    model = clone(estimator)
    seeds = {
        name: generator_of(random_state).randint(np.iinfo(np.int32).max)
        for name, value in sorted(model.get_params().items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**seeds)
