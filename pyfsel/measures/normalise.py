"""The two normalisations: of qualities, and of qualities and redundancies together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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
