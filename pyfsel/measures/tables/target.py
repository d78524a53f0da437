"""The target of a user's table: classes, numbers, or times until an event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyfsel.core.arrays import Array, Bools, Reals
from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.encoded import FEW_VALUES
from pyfsel.measures.tables.encoding import require_unmasked
from pyfsel.measures.tables.frames import DATE_KINDS, READ_AS_NUMBERS, inferred, whole_numbers
from pyfsel.measures.tables.text import examples, numbers_in, spellings
from pyfsel.problem.checks import number_of, shown

MOST_CLASSES = 100


def target_series(y: Any) -> pd.Series[Any]:
    """Return the target as a Series, numbered from 0, with text that is numbers as such.

    Raises
    ------
    InputError
        If it is not one value for each row, or the values are neither numbers nor labels.
    """
    if y is None:
        raise InputError("y: is None, must hold one value for each row of X")
    require_unmasked("y", y)
    given = y
    if hasattr(y, "to_pandas"):
        y = y.to_pandas()
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if not isinstance(y, (pd.Series, pd.Categorical, pd.Index)):
        y = np.asarray(pd.Series(y) if isinstance(y, (list, tuple)) else y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim == 0:
            raise InputError(f"y={shown(given)}: must be a list, one value for each row of X")
        if y.ndim != 1:
            raise InputError(f"y: has shape {y.shape}, must have one dimension")
    series = inferred(pd.Series(y).reset_index(drop=True))
    if pd.api.types.is_complex_dtype(series):
        raise InputError("y: Complex data not supported")  # the wording that scikit-learn's checks look for
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind in (*DATE_KINDS, "period", "time"):
        raise InputError(f"y: is of type {kind}. It must be numbers or class labels.")
    if kind == "decimal":
        return series.astype(np.float64)
    if kind == "string":
        numbers = numbers_in(series)
        if numbers is not None:
            warn(f"y: is {READ_AS_NUMBERS}")
            return pd.Series(numbers)
        if alike := spellings(series.dropna().unique()):
            warn(f"y: has {examples(alike)} as different classes")
    return series


def without_gaps(target: pd.Series[Any]) -> pd.Series[Any]:
    """Return a target; raise `InputError` if it is missing somewhere."""
    n_gaps = int(target.isna().sum())
    if n_gaps:
        raise InputError(
            f"y: is missing in {number_of(n_gaps, 'row')}; allowed with missing='drop', or if these rows "
            "alone are left out before (--target-gaps drop on the command line)"
        )
    return target


def understand_target(target: pd.Series[Any], task: str) -> tuple[Array, str, tuple[Any, ...]]:
    """Return the codes or values of a target without gaps, the task found, and the labels.

    Raises
    ------
    InputError
        If it has one value only, is infinite somewhere, or is nothing for the task.
    """
    numbers = _numbers(target)
    if numbers is not None and np.isinf(numbers).any():
        raise InputError("y: contains infinite (inf) values. All values must be finite.")
    try:
        codes, labels = pd.factorize(target, sort=True)
    except TypeError:
        raise InputError("y: contains labels that cannot be sorted. They must be numbers or text.") from None
    is_number, n_values = numbers is not None and not pd.api.types.is_bool_dtype(target), len(labels)
    if task == "auto":
        is_regression = pd.api.types.is_float_dtype(target) and n_values > FEW_VALUES
        task = "regression" if is_regression else "classification"
        if task == "classification" and is_number and n_values > MOST_CLASSES:
            raise InputError(
                f"y: holds {n_values} different whole numbers; say with task='regression' or "
                "task='classification' what they are"
            )
        if task == "classification" and is_number and n_values > FEW_VALUES:
            warn(f"y: {n_values} different whole numbers are taken as classes; or give task='regression'")
    if task == "regression":
        if numbers is None:
            raise InputError(f"y: is of type {target.dtype}. It must be numbers for task='regression'.")
        if n_values < 2:
            raise InputError("y: has one value only, must have at least two for regression")
        return numbers, task, ()
    if n_values < 2:
        raise InputError(f"y: has one class only ({labels.tolist()[0]!r}), must have at least two")
    return codes.astype(np.int64), task, tuple(labels.tolist())


def _numbers(target: pd.Series[Any]) -> Reals | None:
    """Return the values as floats, None if they are labels."""
    if pd.api.types.infer_dtype(target, skipna=True) == "integer":
        return whole_numbers(target, "y")
    if not pd.api.types.is_numeric_dtype(target):
        return None
    return target.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)  # the caller may change theirs


SURVIVAL = "survival"
UNSUPERVISED = "unsupervised"
FIELDS = {"event", "time"}


def split_survival(y: Any, task: str) -> tuple[Any, Bools | None]:
    """Return the times and whether the event happened then; anything else as it is, and None.

    Raises
    ------
    InputError
        If only one of target and task is survival, times are negative, or events are not true or false.
    """
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None:
        if task == SURVIVAL:
            raise InputError("task='survival': y must be a structured array with the fields event and time")
        return y, None
    if set(names) != FIELDS or task not in ("auto", SURVIVAL):
        raise InputError(
            f"y: has the fields {', '.join(names)}. They must be event and time, with "
            f"task='survival', not {task!r}."
        )
    times = y["time"].astype(np.float64)
    if (times < 0).any():
        raise InputError(f"y: holds the time {shown(times.min())}, must hold none below 0")
    return times, happened("y", y["event"])


def happened(argument: str, given: Any) -> Bools:
    """Return which events happened: true and false, or 1 and 0, of which there must be some true ones."""
    values = np.asarray(given)
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        wrong = next((value for value in values.tolist() if value not in (0, 1)), values.dtype)
        raise InputError(f"{argument}: holds {shown(wrong)} as event, must hold 1 (happened) and 0 (not yet)")
    if not values.any():
        raise InputError(f"{argument}: holds no event that happened, must hold at least one")
    return values.astype(bool)


def times_with_events(times: Any, events: Bools) -> Array:
    """Return both as a structured array."""
    found = np.empty(len(events), dtype=[("event", bool), ("time", float)])
    found["event"], found["time"] = events, times
    return found
