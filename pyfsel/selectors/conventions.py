"""Conventions of scikit-learn that all selectors follow."""

from collections.abc import Callable
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from pyfsel.core.arrays import Bools, Indices
from pyfsel.errors import InputError
from pyfsel.measures.tables.containers import (
    ANNDATA,
    ARRAY,
    SPARSE,
    as_array,
    columns_of,
    in_library,
    is_lazy,
    kind_of,
    names_of,
)
from pyfsel.measures.tables.encoding import as_numbers_if_possible
from pyfsel.measures.tables.rows import with_constant, with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import LARGEST_SEED, generator_of, seed_or_generator
from pyfsel.selectors.splits import split_times


def seed_of(random_state: Any) -> int | None:
    """Return the seed that a selector's `random_state` means, checked; a generator draws one."""
    seed_or_generator(random_state)
    if random_state is None:
        return None
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator_of(random_state).randint(LARGEST_SEED))


def prepared_in_time(X: Any, y: Any, cv: Any, **reading: Any) -> Table:
    """Return the table; the column of times that `cv` may name is a constant in it."""
    X = as_numbers_if_possible(X)
    others, times, gap = split_times(X, cv)
    table = with_rows(prepare(others, y, **reading), times=times, time_gap=gap)
    if X is not others:
        names = [str(name) for name in names_of(X) or ()]
        place = next(j for j, name in enumerate(names) if name not in table.feature_names)
        table = with_constant(table, place, names[place])
    return table


class TargetMixin(SelectorMixin):  # type: ignore[misc]
    """For selectors that need a target; they accept every kind of table in `fit` and in `transform`.

    So do they weights and groups of rows: ``fit(X, y, groups=…, sample_weight=…)``.
    """

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"groups": None, "sample_weight": None}

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected features.

        Columns are chosen first, and only what was chosen is converted.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame, LazyFrame, Arrow table or AnnData, shape (n_rows, n_features)

        Returns
        -------
        array, sparse matrix or DataFrame, shape (n_rows, n_selected)
            What `set_output` specifies; by default an array or a sparse matrix. A LazyFrame, or a DataFrame
            of Spark, stays lazy.
        """
        check_is_fitted(self)
        names = list(self.get_feature_names_out())
        if is_lazy(X) and set(names) <= set(names_of(X) or ()):  # the target may be one of its columns
            found = X.select(names)
        else:
            found = columns_of(self._checked(X), self.get_support(indices=True))
        library = _get_output_config("transform", estimator=self)["dense"]
        if library == "default":
            return as_array(found)
        return in_library(found, library, names)

    def _checked(self, X: Any) -> Any:
        """Return a table after comparing its columns with those that `fit` got, and an array's numbers."""
        if kind_of(X) not in (ARRAY, SPARSE):
            self._remember_columns(X, reset=False)
            return X
        finite = not get_tags(self).input_tags.allow_nan
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=None, ensure_all_finite=finite)

    def _remember_columns(self, X: Any, reset: bool = True) -> None:
        """Set the number and the names of the columns as scikit-learn does, or compare them."""
        if kind_of(X) == ANNDATA or is_lazy(X):
            import pandas as pd

            X = pd.DataFrame(columns=names_of(X))
        validate_data(self, X, reset=reset, skip_check_array=True)

    def _read(self, X: Any, y: Any, **metadata: Any) -> Table:
        """Return the table of `fit`, read as `task`, `missing` and `dates` specify, with what rows have."""
        self._require_target(y)
        of_rows = self._of_rows(metadata)
        table = prepared_in_time(X, y, getattr(self, "cv", None), **self._given_to(prepare)).untimed()
        self._remember_columns(X)
        return with_rows(table, **of_rows)

    def _of_rows(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return what `fit` got for each row in addition to the target.

        It is not in the signature of `fit`: scikit-learn would take `sample_weight` there for the promise
        that a weight of 2 is the same as a row that stands twice, which measures of neighbours and bins
        cannot keep.

        Raises
        ------
        TypeError
            If `fit` does not know it.
        """
        for name in metadata:
            if name not in self.get_metadata_routing().fit.requests:
                raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
        return {name: values for name, values in metadata.items() if values is not None}

    def _given_to(self, function: Callable[..., Any], **changed: Any) -> dict[str, Any]:
        """Return the parameters that a function has as well, by the same names, some changed."""
        given = self.get_params(deep=False)
        return {name: given[name] for name in given.keys() & signature(function).parameters} | changed

    def _require_target(self, y: Any) -> None:
        """Raise `InputError`, in the words that scikit-learn's own tests look for, without a target."""
        if y is None:
            raise InputError(
                f"y: This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags


class OneSetMixin(TargetMixin):
    """For selectors whose `fit` finds one set, `features_`."""

    features_: Indices
    n_features_in_: int

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self, "features_")
        return np.isin(np.arange(self.n_features_in_), self.features_)
