"""Times until an event as a target: a structured array with the fields event and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.problem.checks import shown

SURVIVAL = "survival"
UNSUPERVISED = "unsupervised"
FIELDS = {"event", "time"}


def split_survival(y: Any, task: str) -> tuple[Any, NDArray[np.bool_] | None]:
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
            f"y: has the fields {', '.join(names)}. They must be event and time, of task='survival'."
        )
    times = y["time"].astype(np.float64)
    if (times < 0).any():
        raise InputError(f"y: holds the time {shown(times.min())}, must hold none below 0")
    return times, happened("y", y["event"])


def happened(argument: str, given: Any) -> NDArray[np.bool_]:
    """Return which events happened: true and false, or 1 and 0, of which there must be some true ones."""
    values = np.asarray(given)
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        wrong = next((value for value in values.tolist() if value not in (0, 1)), values.dtype)
        raise InputError(f"{argument}: holds {shown(wrong)} as event, must hold 1 (happened) and 0 (not yet)")
    if not values.any():
        raise InputError(f"{argument}: holds no event that happened, must hold at least one")
    return values.astype(bool)


def times_with_events(times: Any, events: NDArray[np.bool_]) -> NDArray[Any]:
    """Return both as a structured array."""
    found = np.empty(len(events), dtype=[("event", bool), ("time", float)])
    found["event"], found["time"] = events, times
    return found
