"""Values of each row in addition to the target: weights, and groups that must not be split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.errors import InputError
from pyfsel.measures.tables.encoding import encode_columns, in_order_of, require_unmasked
from pyfsel.measures.tables.table import BY_COLUMN, Columns, Table
from pyfsel.problem.checks import number_of, shown


def row_values(argument: str, given: Any, columns: Columns) -> Array:
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
    import pandas as pd

    require_unmasked(argument, given)
    given = in_order_of(columns.given, given, argument)
    values = np.asarray(given)
    needed = len(columns.rows) + columns.n_dropped
    if values.shape != (needed,):
        raise InputError(
            f"{argument}: has shape {values.shape}. It must be ({needed},), one value for each row of X."
        )
    chosen = values[columns.rows]
    if n_gaps := int(pd.isna(chosen).sum()):
        raise InputError(f"{argument}: is missing in {number_of(n_gaps, 'row')}")
    return chosen


def row_weights(given: Any, columns: Columns) -> Reals:
    """Return the weights of the rows that were kept: finite, not negative, not all 0.

    Raises
    ------
    InputError
        If they are not.
    """
    values = row_values("sample_weight", given, columns)
    try:
        weights = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight: must be numbers ({error})") from None
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("sample_weight: must be finite numbers of at least 0, not all 0")
    return weights


def row_times(given: Any, columns: Columns) -> Reals:
    """Return the times of the rows that were kept: numbers, or dates as days since 1970.

    Raises
    ------
    InputError
        If they are neither.
    """
    values = row_values("times", given, columns)
    encoded = encode_columns(values.reshape(-1, 1), None, None, dates="number")
    if encoded.is_category.any():
        raise InputError(f"times: are neither numbers nor dates, such as {shown(values[0])}")
    return np.asarray(encoded.X[:, 0], dtype=np.float64)


def with_rows(
    table: Table, sample_weight: Any = None, groups: Any = None, times: Any = None, time_gap: float = 0
) -> Table:
    """Return a table with weights, groups and times of its rows, one for each row of the user's table.

    Groups are numbered; if each row is one of its own, there are none.

    Raises
    ------
    InputError
        As `row_values` and `row_weights`.
    """
    if sample_weight is not None:
        table = replace(table, weights=row_weights(sample_weight, table))
    if groups is not None:
        import pandas as pd

        numbers, names = pd.factorize(row_values("groups", groups, table), sort=True)
        if len(names) < len(numbers):  # otherwise no rows belong together
            table = replace(table, groups=numbers)
    if times is not None:
        table = replace(table, times=row_times(times, table), time_gap=float(time_gap))
    return table


def with_constant(table: Table, place: int, name: str) -> Table:
    """Return a table with one more column, of zeros, which no search selects."""
    dense = table.dense()
    wider = {
        own: np.insert(part, place, own == "is_constant", axis=-1)
        for own, part in dense.parts(BY_COLUMN).items()
    }
    names = (*dense.feature_names[:place], name, *dense.feature_names[place:])
    return replace(dense, feature_names=names, source=None, **wider)


def grouped_part(table: Table, part: float, seed: int) -> tuple[Indices, Indices]:
    """Return training rows, and about a part of the rows that is held out; groups stay together.

    Raises
    ------
    InputError
        If there are too few groups.
    """
    from sklearn.model_selection import GroupShuffleSplit

    splitter = GroupShuffleSplit(1, test_size=part, random_state=seed)
    try:
        training, held_out = next(splitter.split(table.X, table.y, table.groups))
    except ValueError as error:
        raise InputError(f"groups: cannot hold out {part:g} of them ({error})") from None
    return training, held_out
