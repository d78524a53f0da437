"""The two normalisations, of qualities, and of qualities and redundancies together; and units."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_number

NO_UNIT = "raw"


def normalise_qualities(quality: ArrayLike) -> NDArray[np.float64]:
    """Return qualities that sum to 1, or, if some are negative, that lie in [−1, 1].

    Where all are non-negative and not all zero they are divided by their sum, otherwise by the largest
    absolute value; only zeros are left as they are.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)

    Returns
    -------
    array of float, shape (n_features,)

    Examples
    --------
    >>> normalise_qualities([3.0, 1.0, 0.0]).tolist()
    [0.75, 0.25, 0.0]
    >>> normalise_qualities([2.0, -4.0]).tolist()
    [0.5, -1.0]
    """
    q = checked_vector("quality", quality)
    largest = np.abs(q).max(initial=0.0)
    if largest == 0:
        return q
    q = q / largest
    return np.asarray(q / q.sum() if q.min() >= 0 else q)


def normalise_jointly(
    quality: ArrayLike, redundancy: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bring qualities and redundancies to one scale, for mRMR (paper 000, Eq. 13).

    Three steps: the redundancies are made symmetric by averaging with their transpose (k-nearest-neighbour
    estimates differ a little between the two directions); one min-max transformation takes all qualities
    and all redundancies of pairs of different features together to [0, 1]; self-redundancy becomes 0.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)
    redundancy : array-like of float, shape (n_features, n_features)

    Returns
    -------
    quality : array of float, shape (n_features,)
    redundancy : array of float, shape (n_features, n_features)
        Symmetric, with zero diagonal.

    Examples
    --------
    >>> q, r = normalise_jointly([1.0, 3.0], [[9.0, 2.0], [2.0, 9.0]])
    >>> q.tolist(), r.tolist()
    ([0.0, 1.0], [[0.0, 0.5], [0.5, 0.0]])
    """
    q = checked_vector("quality", quality)
    r = np.asarray(redundancy, dtype=np.float64)
    if r.shape != (len(q), len(q)):
        raise InputError(f"redundancy: has shape {r.shape}, must be ({len(q)}, {len(q)})")
    r = (r + r.T) / 2
    pairs = r[~np.eye(len(q), dtype=bool)]
    if not np.isfinite(pairs).all():
        raise InputError("redundancy: holds infinite or NaN values, must be finite")
    together = np.concatenate([q, pairs])
    low, span = together.min(), np.ptp(together)
    if span == 0:
        return np.zeros_like(q), np.zeros_like(r)
    q, r = (q - low) / span, (r - low) / span
    np.fill_diagonal(r, 0.0)
    return q, r


def checked_vector(argument: str, numbers: ArrayLike, n: int | None = None) -> NDArray[np.float64]:
    """Return finite floats, one for each feature, or raise `InputError`."""
    try:
        vector = np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: must be numbers, one for each feature") from None
    if vector.ndim != 1 or len(vector) == 0 or (n is not None and len(vector) != n):
        raise InputError(f"{argument}: has shape {vector.shape}, must be ({'n' if n is None else n},)")
    if not np.isfinite(vector).all():
        position = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InputError(f"{argument}: is {vector[position]} at {position}, must be finite")
    return vector


def measured_unit_factor(raw: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Return how much of the measure's unit is 1 of the normalised qualities."""
    j = int(np.abs(raw).argmax())
    return float(raw[j] / shares[j]) if raw[j] else 1.0


def least_quality(text: str, unit: str, factor: float) -> float:
    """Return a least quality that is given as text, on the scale of the qualities as they are used.

    Parameters
    ----------
    text : str
        A number; with ``raw`` or the first word of the measure's unit behind it, such as ``"1.2 nats"``, it
        is in that unit, which does not depend on other columns. A share of the best set, such as ``"90%"``,
        needs that set: see `pyfsel.solving.least_share`.
    unit : str
        In words; "" while it is not known: then only the form is checked.
    factor : float
        As `pyfsel.Instance.measured_unit_factor`.

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> least_quality("0.3", "nats of mutual information", 2.0)
    0.3
    >>> least_quality("1 nats", "nats of mutual information", 2.0)
    0.5
    """
    parts = re.fullmatch(r"\s*([-+\d.eE]+)\s*([^\W\d]*)\s*", text)
    known = dict.fromkeys(("raw", *unit.split()[:1]))
    try:
        value = finite_number("min_quality", float(parts[1])) if parts else None
    except ValueError:
        value = None
    if parts is None or value is None or (unit and parts[2] and parts[2] not in known):
        allowed = " or ".join(f"'1.5 {word}'" for word in known)
        raise InputError(
            f"min_quality={text!r}: must be a number, '90%', or in the measure's unit, {allowed}"
        )
    return value / factor if parts[2] else value
