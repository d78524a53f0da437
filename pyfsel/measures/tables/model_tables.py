"""Tables for models: a feature is its block of columns, encoded by the training rows of a fold.

Everything that trains a model takes its tables from here: wrapper, subsets by a model, masks, held-out scores
and importances. A category becomes one column for each frequent value, so a linear model can use it. An
estimator that looks at names or types of columns itself gets the user's own columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.core.arrays import Bools, Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures.tables.entries import as_dense, of_moderate_size
from pyfsel.measures.tables.table import Columns

if TYPE_CHECKING:
    import pandas as pd

LARGE_EXPONENT = 100
"""Models get numbers beyond 2¹⁰⁰ in other units: trees compute in single precision, which ends at 2¹²⁸."""
RARE = 5
"""Categories of fewer training rows share one column."""
MOST_COLUMNS, MOST_LEVELS = 50, 200
"""The maximum number of categories of a feature as columns, and for models that accept categories (255)."""
OF_CATEGORIES = ("categorical_features", "cat_features", "enable_categorical")
"""Parameters with which an estimator says that it encodes categories itself."""
Block = tuple[Reals, Reals]


@dataclass(frozen=True, eq=False)
class ModelColumns:
    """The features of a table before they are encoded for a model.

    Parameters
    ----------
    values : array of float, shape (n_rows, n_features)
        Numbers, or codes of categories; NaN where a value is missing.
    names : tuple of str
    is_category : array of bool, shape (n_features,)
    keeps_gaps : bool
        Whether a missing value is a category of its own, and a column of its own next to a number.
    source : (DataFrame, names, rows), optional
        The user's table, the names of its columns, and which of its rows these are.
    """

    values: Reals
    names: tuple[str, ...]
    is_category: Bools
    keeps_gaps: bool = False
    source: tuple[Any, tuple[str, ...], Indices] | None = None

    @classmethod
    def of(cls, table: Columns) -> ModelColumns:
        """Return the columns of a table, with missing values where they were filled in.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyfsel.measures.tables.table import prepare_columns
        >>> frame = pd.DataFrame({"a": [1.5, None, 2], "b": ["x", "y", "x"]})
        >>> ModelColumns.of(prepare_columns(frame, missing="impute")).values.tolist()
        [[1.5, 0.0], [nan, 1.0], [2.0, 0.0]]
        """
        values = of_moderate_size(as_dense(table.X), LARGE_EXPONENT)
        if table.filled is not None:
            values = np.where(as_dense(table.filled).astype(bool), np.nan, values)
        source = None if table.source is None else (*table.source, table.rows)
        return cls(values, table.feature_names, table.is_category, table.gaps is not None, source)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what was computed from them is not hashed or sent to workers."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def has_gaps(self) -> Bools:
        """Which features have missing values."""
        return np.asarray(np.isnan(self.values).any(axis=0))

    @cached_property
    def is_plain(self) -> bool:
        """Whether all features are numbers without missing values."""
        return not (self.has_gaps.any() or self.is_category.any())

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The features as a DataFrame: text, categories, booleans and whole numbers as the user has them.

        What `prepare` turned into numbers, such as dates, is numbers here.
        """
        import pandas as pd

        if self.source is None:
            return pd.DataFrame(self.values, columns=list(self.names))
        X, all_names, rows = self.source
        place = {name: j for j, name in enumerate(all_names)}
        columns: dict[str, Any] = {}
        for j, name in enumerate(self.names):
            own = X.iloc[:, place[name]]
            is_own = self.is_category[j] or (isinstance(own.dtype, np.dtype) and own.dtype.kind in "biuf")
            columns[name] = own.iloc[rows].array if is_own else self.values[:, j]
        return pd.DataFrame(columns)

    def filled(self, rows: Indices, members: Sequence[int]) -> Reals:
        """Return numbers and codes without missing values, one column a feature, for selectors of others."""
        from sklearn.impute import SimpleImputer

        values = self.values[np.ix_(rows, np.asarray(members))]
        filled: Reals = SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(values)
        return filled


def encoding_of(model: Any, columns: ModelColumns, is_named: bool = True) -> str:
    """Return how a model gets its tables: as "blocks", as "frame", or with categories as "levels".

    `is_named` is whether estimators of other packages get names of columns, if the user's table has them.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from sklearn.linear_model import Ridge
    >>> columns = ModelColumns(np.array([[0.0, np.nan], [1, 2]]), ("a", "b"), np.array([True, False]))
    >>> encoding_of(Ridge(), columns), encoding_of(HistGradientBoostingClassifier(), columns)
    ('blocks', 'levels')
    """
    from sklearn.compose import ColumnTransformer

    parts = [model, *model.get_params().values()]
    if any(isinstance(part, ColumnTransformer) for part in parts):
        return "frame"
    if columns.is_plain:
        is_named &= columns.source is not None
        return "frame" if is_named and any(_may_look(part) for part in parts) else "blocks"
    first = model.steps[0][1] if hasattr(model, "steps") else model
    given = first.get_params(deep=False) if hasattr(first, "get_params") else {}
    return "levels" if any(given.get(name) not in (None, False) for name in OF_CATEGORIES) else "blocks"


def _may_look(part: Any) -> bool:
    """Return whether a step may look at names of columns: only scikit-learn's estimators surely do not."""
    from sklearn.preprocessing import FunctionTransformer

    is_foreign = hasattr(part, "fit") and not type(part).__module__.startswith("sklearn.")
    return is_foreign or isinstance(part, FunctionTransformer)


@dataclass(eq=False)
class FoldTables:
    """The tables of sets of features for one model in one fold; each feature is encoded once.

    Parameters
    ----------
    columns : ModelColumns
    estimator : unfitted estimator
    train, test : array of int
        Rows; what is encoded is fitted to the first.
    is_named : bool
        As for `encoding_of`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> columns = ModelColumns(np.array([[0.5, 0], [1, 1], [2, 0]]), ("a", "b"), np.array([False, True]))
    >>> tables = FoldTables(columns, Ridge(), np.arange(3), np.arange(1))
    >>> tables([0])[0].tolist(), tables.model([0])
    ([[0.5], [1.0], [2.0]], Ridge())
    """

    columns: ModelColumns
    estimator: Any
    train: Indices
    test: Indices
    is_named: bool = True
    _known: dict[int, Block] = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        """How the model gets its tables, see `encoding_of`."""
        return encoding_of(self.estimator, self.columns, self.is_named)

    def model(self, members: Sequence[int]) -> Any:
        """Return an unfitted model for a set; columns that it lists are those that the set has."""
        from sklearn.base import clone

        model = clone(self.estimator)
        if self.kind != "blocks":
            _restrict(model, self.columns.names, {self.columns.names[j] for j in members})
        return model

    def __call__(self, members: Iterable[int]) -> tuple[Any, Any]:
        """Return the training and the held-out table of a set."""
        chosen = np.asarray(list(members), dtype=np.intp)
        if self.kind == "frame":
            some = self.columns.frame.iloc[:, chosen]
            return some.iloc[self.train], some.iloc[self.test]
        if self.kind == "levels":
            return self._with_levels(chosen)
        if (self.columns.has_gaps | self.columns.is_category)[chosen].any():
            blocks = [self._block(j) for j in chosen.tolist()]
            first, second = (np.hstack([block[side] for block in blocks]) for side in (0, 1))
            return first, second
        first, second = (self.columns.values[np.ix_(rows, chosen)] for rows in (self.train, self.test))
        return first, second

    def parts(self, members: Sequence[int]) -> list[Indices]:
        """Return which columns of a table belong to each feature of a set."""
        if self.kind != "blocks":
            return [np.array([place]) for place in range(len(members))]
        ends = np.cumsum([0, *(self._block(j)[0].shape[1] for j in members)])
        return [np.arange(begin, end) for begin, end in pairwise(ends.tolist())]

    def _block(self, j: int) -> Block:
        """Return the columns of a feature: without missing values, and categories as 0 and 1."""
        if j not in self._known:
            train, test = (self.columns.values[rows, j, None] for rows in (self.train, self.test))
            if self.columns.is_category[j] or self.columns.has_gaps[j]:
                encoder = _encoder(self.columns.is_category[j], self.columns.keeps_gaps)
                train, test = encoder.fit_transform(train), encoder.transform(test)
            self._known[j] = train, test
        return self._known[j]

    def _with_levels(self, members: Indices) -> tuple[Any, Any]:
        """Return frames of numbers as they are and of categories as such, rare ones together."""
        import pandas as pd
        from sklearn.preprocessing import OrdinalEncoder

        names = np.array(self.columns.names, dtype=object)[members]
        values = (self.columns.values[np.ix_(rows, members)] for rows in (self.train, self.test))
        train, test = (pd.DataFrame(some, columns=names) for some in values)
        coded = names[self.columns.is_category[members]].tolist()
        if coded:
            encoder = OrdinalEncoder(
                handle_unknown="use_encoded_value",
                unknown_value=np.nan,
                min_frequency=RARE,
                max_categories=MOST_LEVELS,
            ).set_output(transform="pandas")
            known = encoder.fit_transform(train[coded]).astype("category")
            train[coded], test[coded] = known, encoder.transform(test[coded]).astype(known.dtypes.to_dict())
        return train, test


def fitted(model: Any, X: Any, y: Any, weights: Reals | None) -> Any:
    """Fit a model, or a pipeline, to rows that may have weights, and return it.

    Only proportions of weights count: they are given in units of their mean, so penalties of the model weigh
    as much as without weights.
    """
    if weights is None:
        return model.fit(X, y)
    weights = weights / (weights.mean() or 1.0)
    step = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""
    return model.fit(X, y, **{f"{step}sample_weight": weights})


def require_weighted(name: Any, model: Any) -> None:
    """Raise `InputError` if the last step of an estimator does not accept weights of rows."""
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(model.steps[-1][1] if hasattr(model, "steps") else model, "sample_weight"):
        raise InputError(f"sample_weight: estimator={name!r} takes no weights in fit")


def _encoder(is_category: bool, keeps_gaps: bool) -> Any:
    """Return what fills in missing values, and makes a column of 0 and 1 for each frequent category.

    Rare categories share one. If missing values count, they are a category, and a column next to a number.
    """
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    if not is_category:
        return SimpleImputer(strategy="median", add_indicator=keeps_gaps, keep_empty_features=True)
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=RARE,
        max_categories=MOST_COLUMNS,
        sparse_output=False,
    )
    usual = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    return encoder if keeps_gaps else make_pipeline(usual, encoder)


def _restrict(model: Any, names: Sequence[str], kept: set[str]) -> None:
    """Take columns that a set has not out of the lists of an estimator and of what it holds."""
    from sklearn.compose import ColumnTransformer

    for part in [model, *model.get_params().values()]:
        if isinstance(part, ColumnTransformer):
            part.transformers = [
                (name, step, _those_kept(listed, names, kept)) for name, step, listed in part.transformers
            ]
        for name in OF_CATEGORIES:
            listed = getattr(part, name, None)
            if hasattr(part, "get_params") and isinstance(listed, (list, tuple, np.ndarray)):
                part.set_params(**{name: _those_kept(listed, names, kept) or None})


def _those_kept(listed: Any, names: Sequence[str], kept: set[str]) -> Any:
    """Return the names of those listed columns that are kept; a function of the table stays."""
    import pandas as pd

    if callable(listed):
        return listed
    every = pd.Series(names, index=list(names), dtype=object)
    words = [listed.start, listed.stop] if isinstance(listed, slice) else np.ravel(listed).tolist()
    by_name = any(isinstance(word, str) for word in words)
    for word in words:
        if isinstance(word, str) and word not in names:
            raise InputError(f"estimator: names the column {word!r}, which the table does not have")
    found = every.loc[listed] if by_name else every.iloc[listed]
    if isinstance(found, str):  # its step gets one dimension
        return found if found in kept else []
    return [name for name in found if name in kept]
