"""What a user says of each row besides the target: weights, and groups that must not be split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pyfsel.errors import InputError
from pyfsel.problem.checks import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.tables.table import Columns


def row_values(argument: str, given: Any, columns: Columns) -> NDArray[Any]:
    """Return one value for each row that was kept of a table.

    Parameters
    ----------
    argument : str
    given : array-like, shape (n_rows of the user's table,)
    columns : Columns

    Raises
    ------
    InputError
        If there is not one value for each row, or one is missing.
    """
    values = np.asarray(given)
    needed = len(columns.rows) + columns.n_dropped
    if values.shape != (needed,):
        raise InputError(
            f"{argument}: has shape {values.shape}, must be ({needed},), one value for each row of X"
        )
    chosen: NDArray[Any] = values[columns.rows]
    if pd.isna(chosen).any():
        raise InputError(f"{argument}: is missing in {int(pd.isna(chosen).sum())} rows")
    return chosen


def row_weights(given: Any, columns: Columns) -> NDArray[np.float64]:
    """Return the weights of the rows that were kept: finite, not negative, not all 0.

    Raises
    ------
    InputError
        If they are not.
    """
    try:
        weights = row_values("sample_weight", given, columns).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight={shown(given)}: must be numbers") from None
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("sample_weight: must be finite numbers of at least 0, not all 0")
    return weights


def grouped_splitter(n_splits: int, stratified: bool, shuffle: bool = False, seed: int | None = None) -> Any:
    """Return a splitter that keeps groups of rows together, by class if that is wanted."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    kind = StratifiedGroupKFold if stratified else GroupKFold
    return kind(n_splits, shuffle=shuffle, random_state=seed if shuffle else None)
