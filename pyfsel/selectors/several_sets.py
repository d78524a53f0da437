"""What selectors of several feature sets have in common."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from pyfsel.errors import NoSetsError
from pyfsel.measures.from_table import n_selectable, tables_of
from pyfsel.measures.tables.encoding import as_numbers_if_possible
from pyfsel.measures.tables.table import Table
from pyfsel.measures.tables.times import UNSUPERVISED
from pyfsel.problem.checks import integer_in
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.wording import number_of
from pyfsel.results.result import Result
from pyfsel.selectors.conventions import TargetMixin, seed_of
from pyfsel.selectors.wrapper.wrapper import WrapperResult

OWN = (
    "n_features_to_select",
    "min_features_to_select",
    "alternative",
    "task",
    "missing",
    "dates",
    "verbose",
)
"""Parameters that the functions behind the selectors do not take, or by another name or value."""


class _OfAlternative:
    """Adds `alternative` to the methods of `SelectorMixin`.

    Not in the estimator's own class, where scikit-learn would wrap `transform` and name the columns of a
    DataFrame after the wrong set.
    """

    def transform(self, X: Any, alternative: int | None = None) -> Any:
        """Reduce a table to the features of one set.

        Parameters
        ----------
        X : table, shape (n_rows, n_features)
            Of any kind, as for `fit`; a LazyFrame, or a DataFrame of Spark, stays lazy.
        alternative : int, optional
            Number of the set: 0 is the original one, 1 the first alternative, …; by default the one that
            `with_alternative` has chosen, else the original.

        Returns
        -------
        array, sparse matrix or DataFrame, shape (n_rows, n_features_to_select)
        """
        return TargetMixin.transform(self._of(alternative), X)

    def get_feature_names_out(self, input_features: Any = None, *, alternative: int | None = None) -> Any:
        """Return the names of the features of one set.

        Parameters
        ----------
        input_features : array of str, optional
            Names of all features; those seen by `fit`, or ``x0``, ``x1``, …, unless given.
        alternative : int, optional
            As for `transform`.

        Returns
        -------
        array of str, shape (n_features_to_select,)
        """
        return SelectorMixin.get_feature_names_out(self._of(alternative), input_features)

    def get_support(self, indices: bool = False, *, alternative: int | None = None) -> Any:
        """Return which features one set holds.

        Parameters
        ----------
        indices : bool
            Return the numbers of the features instead of a mask.
        alternative : int, optional
            As for `transform`.

        Returns
        -------
        array of bool, shape (n_features,), or of int, shape (n_features_to_select,)
        """
        return SelectorMixin.get_support(self._of(alternative), indices)

    def _of(self, alternative: int | None) -> Any:
        selector: Any = self
        return selector if alternative is None else selector.with_alternative(alternative)


class SeveralSetsMixin(_OfAlternative, TargetMixin):
    """For selectors whose `fit` finds several sets and hands them to `_keep`."""

    use_set = 0
    n_features_to_select: int
    n_alternatives: int
    tau: float | None
    max_overlap: int | None
    alternative: int
    task: str
    missing: str
    dates: str
    random_state: Any
    result_: Any
    feature_sets_: list[NDArray[np.intp]]
    feature_names_: list[list[str]]
    alternative_: int
    n_features_in_: int

    def _repr_html_inner(self) -> str:
        """Return the diagram of scikit-learn, and under it the sets if there are some."""
        diagram: str = super()._repr_html_inner()
        drawn = getattr(getattr(self, "result_", None), "_repr_html_", None)
        return f"<div>{diagram}{drawn()}</div>" if drawn is not None else diagram

    def with_alternative(self, alternative: int) -> Self:
        """Return a fitted selector of another set.

        Parameters
        ----------
        alternative : int
            0 is the original set, 1 the first alternative, ….

        Raises
        ------
        InputError
            If there is no such set.
        """
        check_is_fitted(self)
        number = integer_in("alternative", alternative, 0, len(self.feature_sets_) - 1)
        selector = copy.copy(self)
        selector.alternative_ = number
        return selector

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.feature_sets_[self.alternative_]] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.task != UNSUPERVISED
        return tags

    def _keep(self, result: Result | WrapperResult, table: Table) -> None:
        """Set the fitted attributes that every such selector has.

        Raises
        ------
        NoSetsError
            If the set that `transform` is to use was not found.
        """
        if self.alternative >= len(result.sets):
            found = number_of(len(result.sets), "set")
            raise NoSetsError(f"alternative={self.alternative}: only {found} found, numbered from 0")
        self.result_ = result
        self.feature_names_ = result.feature_sets
        position = {name: j for j, name in enumerate(table.feature_names)}
        self.feature_sets_ = [
            np.array([position[name] for name in names], dtype=np.intp) for names in self.feature_names_
        ]
        self.alternative_ = self.alternative

    def _seed(self) -> int | None:
        return seed_of(self.random_state)

    def _prepared(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> list[Table]:
        """Return the table of each output, after checking it and the numbers of the sets."""
        if self.task != UNSUPERVISED:
            self._require_target(y)
        self._check_sizes()
        X = as_numbers_if_possible(X)
        return tables_of(X, y, sample_weight, groups, task=self.task, missing=self.missing, dates=self.dates)

    def _check_sizes(self) -> None:
        integer_in("n_features_to_select", self.n_features_to_select, 1, None)
        integer_in("n_alternatives", self.n_alternatives, 0, None)
        integer_in("alternative", self.alternative, 0, self.n_alternatives)

    def _overlap(self, size: int) -> dict[str, Any]:
        """Return what sets of a size may share; a number goes before the threshold, which has a default."""
        if self.max_overlap is None:
            return {"tau": self.tau}
        return {"tau": None, "max_overlap": min(integer_in("max_overlap", self.max_overlap, 0, None), size)}

    def _set_size(self, table: Table, forced: Sequence[int | str] = ()) -> int:
        """Return how many features a set holds.

        If more are asked for than can be selected it is these, with a warning, as elsewhere in scikit-learn.
        """
        most = n_selectable(table, feature_numbers("forced", forced, table.feature_names))
        asked = self.n_features_to_select
        if asked <= most or not most:
            return asked
        constant = table.n_features - most
        but = f", {constant} of them constant" if constant else ""
        warnings.warn(
            f"n_features_to_select={asked}: the table has {table.n_features} features{but}; sets hold {most}",
            UserWarning,
            stacklevel=3,
        )
        return most
