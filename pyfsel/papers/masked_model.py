"""A fitted model that sees only some features: its loss where all others hold a constant (paper 002).

Nothing is trained for a mask: the model was fitted with all features and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures.arrays import one_thread
from pyfsel.measures.tables.model_tables import FoldTables, ModelColumns, fitted, require_weighted
from pyfsel.measures.tables.rows import grouped_part
from pyfsel.measures.tables.table import Table
from pyfsel.papers.subset.criteria import Criterion
from pyfsel.problem.checks import finite_array, finite_number, one_of, share, shown
from pyfsel.problem.objectives import FeatureSet
from pyfsel.selectors.evaluation.models import estimator_of, words_of_others

FILLS = ("mean", "median", "zero")
LOSSES = ("mse", "log_loss")
MODELS = ("hist", "mlp", "forest")
MOST_CELLS = 1_000_000  # of a batch; beyond the processor's cache trees take five times as long
DIGITS = 12  # of a loss: fewer than a float has, so features without effect cost exactly nothing
SMALL_TREES = {"max_leaf_nodes": 7, "learning_rate": 0.05, "max_iter": 40, "min_samples_leaf": 5}

Loss = Callable[[Any, Any], float]


class MaskedModel(Criterion):
    """The loss of a fitted model on validation rows in which features outside of a set hold a constant.

    It is a criterion of the classic searches (minus the loss) and a score for `GreedyWrapper`. Losses are
    rounded to twelve significant digits, so features the model does not use cost exactly nothing.

    Parameters
    ----------
    estimator : fitted estimator
        Anything with ``predict``, or ``predict_proba`` for the log loss.
    X_val : DataFrame or array, shape (n_rows, n_features)
        Rows that the model was not fitted to; in its columns, in their order.
    y_val : array-like, shape (n_rows,)
    loss : {"mse", "log_loss"} or callable, optional
        A callable takes y and predictions and returns a number of at least 0. By default the log loss for a
        classifier, else the mean squared error.
    fill : {"mean", "median", "zero"}
        The constants. The paper has zero, which is neutral only after standardisation; with a tree any value
        goes down one branch.
    reference : array, optional
        The rows of which "mean" and "median" are taken, such as the training rows; `X_val` unless given.
        Text and categories hold their most frequent value.
    parts : sequence of arrays of int, optional
        The columns of each feature, which are masked together; each column is a feature unless given.
    weights : array of float, shape (n_rows,), optional
        How much each row counts in the loss.

    Attributes
    ----------
    n_predictions : int
        How many masks were predicted with.

    Raises
    ------
    InputError
        If the model is not fitted or has other columns, values are missing, a class was not in the training
        rows, or a loss is negative.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    >>> y = 3 * X[:, 0] + X[:, 1]
    >>> masked = MaskedModel(LinearRegression().fit(X, y), X, y)
    >>> [round(loss, 6) for loss in masked.losses([(0, 1), (0,), (1,), ()])]
    [0.0, 1.0, 9.0, 10.0]
    """

    batch_size = 4096

    def __init__(
        self,
        estimator: Any,
        X_val: Any,
        y_val: Any,
        loss: str | Loss | None = None,
        fill: str = "mean",
        reference: Any = None,
        parts: Sequence[Indices] | None = None,
        weights: Reals | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_predictions = 0
        self.X, names = _rows(estimator, X_val, is_encoded=parts is not None)
        n = self.X.shape[1]
        self.parts = [np.array([j]) for j in range(n)] if parts is None else list(parts)
        self.feature_names: tuple[str, ...] = names or tuple(f"x{j}" for j in range(len(self.parts)))
        self.weights = weights
        self.loss: str | Loss = _loss_of(estimator, loss)
        self.y = np.asarray(y_val)
        if self.y.shape != (len(self.X),):
            raise InputError(f"y_val: has shape {self.y.shape}. Expected ({len(self.X)},)")
        if self.loss == "log_loss":
            self.y = _positions(estimator, self.y)
        elif self.loss == "mse":
            self.y = finite_array("y_val", self.y, (None,))
        elif weights is not None:
            raise InputError(
                f"sample_weight: loss={shown(loss)} gets no weights; choose {' or '.join(LOSSES)}"
            )
        import pandas as pd

        one_of("fill", fill, FILLS)
        known = X_val if reference is None else reference
        self.fill = [_constant(fill, column) for _, column in pd.DataFrame(known).items()]

    def losses(self, sets: Sequence[Sequence[int]]) -> list[float]:
        """Return the loss with each set of features; many sets are predicted at once."""
        at_once = max(1, MOST_CELLS // self.X.size)
        parts = (sets[start : start + at_once] for start in range(0, len(sets), at_once))
        return [loss for part in parts for loss in self._predicted(part)]

    def keys(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return minus the loss of each set, see `Criterion`."""
        return [-loss for loss in self.losses(sets)]

    __call__ = keys
    """The score that `GreedyWrapper` takes."""

    def _predicted(self, sets: Sequence[Sequence[int]]) -> list[float]:
        """Return the loss of each set, by predictions for a copy of the validation rows for each of them."""
        n = self.X.shape[1]
        kept = np.zeros((len(sets), n), dtype=bool)
        for row, members in zip(kept, sets, strict=True):
            row[np.concatenate([np.empty(0, np.intp), *(self.parts[j] for j in members)])] = True
        given = np.asarray(self.X)
        rows = np.where(kept[:, None], given, np.array(self.fill, given.dtype)).reshape(-1, n)
        if given is not self.X:
            rows = type(self.X)(rows, columns=self.X.columns).astype(self.X.dtypes)
        self.n_predictions += len(sets)
        with one_thread():
            return [_checked_loss(loss) for loss in self._losses_of(rows, len(sets))]

    def _losses_of(self, rows: Any, n_sets: int) -> Any:
        """Return the loss of each of the copies of the validation rows."""
        shape = (n_sets, len(self.y))
        if self.loss == "log_loss":
            shares = np.asarray(self.estimator.predict_proba(rows)).reshape(*shape, -1)
            own = shares[:, np.arange(shape[1]), self.y]
            return np.average(-np.log(np.clip(own, np.finfo(float).eps, 1)), axis=1, weights=self.weights)
        predictions = np.asarray(self.estimator.predict(rows)).reshape(shape)
        if callable(self.loss):
            return [self.loss(self.y, predicted) for predicted in predictions]
        return np.average((predictions - self.y) ** 2, axis=1, weights=self.weights)


def fitted_masked_model(
    table: Table,
    estimator: Any = None,
    *,
    validation: float = 0.3,
    loss: str | Loss | None = None,
    fill: str = "mean",
    random_state: int = 0,
) -> MaskedModel:
    """Fit a model to a part of the rows and return it with the others as validation rows.

    Parameters
    ----------
    table : Table
    estimator : estimator, optional
        Histogram gradient boosting with small trees unless given; a `random_state` that is None is set.
    validation : float
        Share of the rows, in (0, 1). Classes are shared out evenly; one of a single row stays in training.
    loss, fill
        As for `MaskedModel`; constants are of the training rows.
    random_state : int
    """
    training, held_out = _split(table, validation, random_state)
    chosen = named_model("hist", table.task, random_state) if estimator is None else estimator
    model = estimator_of(chosen, table.task, random_state)
    if table.weights is not None:
        require_weighted(estimator, model)
    weights = [None if table.weights is None else table.weights[rows] for rows in (training, held_out)]
    members = range(table.n_features)
    tables = FoldTables(ModelColumns.of(table), model, training, held_out)
    X_train, X_test = tables(members)
    with one_thread(), words_of_others(f"estimator={estimator!r}"):
        model = fitted(tables.model(members), X_train, table.y[training], weights[0])
    masked = MaskedModel(
        model, X_test, table.y[held_out], loss, fill, X_train, tables.parts(members), weights[1]
    )
    masked.feature_names = table.feature_names
    return masked


def named_model(name: str, task: str, random_state: int) -> Any:
    """Return an unfitted model for masks: "hist" (gradient boosting), "mlp" (standardised) or "forest"."""
    from sklearn import ensemble, neural_network
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    one_of("model", name, MODELS)
    kind = "Classifier" if task == "classification" else "Regressor"
    if name == "hist":
        boosting = getattr(ensemble, f"HistGradientBoosting{kind}")
        return boosting(**SMALL_TREES, random_state=random_state)
    if name == "forest":
        return getattr(ensemble, f"RandomForest{kind}")(random_state=random_state)
    network = getattr(neural_network, f"MLP{kind}")(max_iter=2000, random_state=random_state)
    return make_pipeline(StandardScaler(), network)


def _rows(estimator: Any, X: Any, is_encoded: bool) -> tuple[Any, tuple[str, ...] | None]:
    """Return the rows as the model gets them, an array or a table, and the names of their columns."""
    import pandas as pd
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except (NotFittedError, TypeError):
        raise InputError(f"estimator={shown(estimator)}: must be a fitted model") from None
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    if not is_encoded:
        X = finite_array("X_val", X, (None, None))
    wanted = getattr(estimator, "n_features_in_", X.shape[1])
    if X.shape[1] != wanted:
        raise InputError(f"X_val: has {X.shape[1]} columns, the model was fitted to {wanted}")
    known = getattr(estimator, "feature_names_in_", None)
    if names is not None and known is not None and names != tuple(map(str, known)):
        raise InputError("X_val: has other columns than the model was fitted to, or in another order")
    if not len(X):
        raise InputError("X_val: has no rows, must have at least one")
    if known is None:
        return np.asarray(X, np.float64), names
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=known)
    return table.astype({name: float for name in table if _is_number(table[name])}), tuple(map(str, known))


def _is_number(column: Any) -> bool:
    return column.dtype.kind in "biuf"


def _loss_of(estimator: Any, loss: Any) -> Any:
    from sklearn.base import is_classifier

    if loss is None:
        loss = "log_loss" if is_classifier(estimator) else "mse"
    if not callable(loss):
        one_of("loss", loss, LOSSES, "or a function of y and predictions")
    if loss == "log_loss" and not hasattr(estimator, "predict_proba"):
        raise InputError(f"loss='log_loss': needs a model with predict_proba, not {shown(estimator)}")
    return loss


def _positions(estimator: Any, y: Array) -> Indices:
    """Return the column of predict_proba of each row's class."""
    places = {label: place for place, label in enumerate(estimator.classes_.tolist())}
    for label in y.tolist():
        if label not in places:
            raise InputError(f"y_val: holds the class {label!r}, which the model was not fitted to")
    return np.array([places[label] for label in y.tolist()], dtype=np.intp)


def _constant(fill: str, column: Any) -> Any:
    """Return what a column holds where it is masked: text and categories their most frequent value."""
    if not _is_number(column):
        return column.value_counts().index[0]
    return 0.0 if fill == "zero" else getattr(column, fill)()


def _checked_loss(loss: Any) -> float:
    number = finite_number("loss", loss)
    if number < 0:
        raise InputError(f"loss: gives {number:g}, must give at least 0")
    return float(f"{number:.{DIGITS}g}")


def _split(table: Table, validation: Any, random_state: int) -> tuple[Indices, Indices]:
    from sklearn.model_selection import train_test_split

    part = share("validation", validation)
    if part in (0, 1):
        raise InputError(f"validation={part:g}: must be between 0 and 1")
    if table.groups is not None:
        return grouped_part(table, part, random_state)
    rows = np.arange(len(table.y))
    strata: list[Any] = [None]
    if table.task == "classification":
        counts = np.bincount(table.y)
        strata.insert(0, np.where(counts[table.y] > 1, table.y, counts.argmax()))
    for stratify in strata:
        with suppress(ValueError):
            training, held_out = train_test_split(
                rows, test_size=part, random_state=random_state, stratify=stratify
            )
            is_known = np.isin(table.y[held_out], table.y[training]) | (len(strata) == 1)
            if is_known.any():
                return np.sort(np.concatenate([training, held_out[~is_known]])), np.sort(held_out[is_known])
    raise InputError(f"X: has {len(rows)} rows, too few to hold out validation={part:g}")
