"""All allowed sets whose value lies in a narrow range, by meeting in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.bits import as_words
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_HALF = 2_000_000
MOST_PAIRS = 500_000_000


class _Choices(NamedTuple):
    """Choices of features from one half: as bits, what conflicts with them, the last one, and two sums."""

    words: NDArray[np.uint64]
    blocked: NDArray[np.uint64]
    last: NDArray[np.int64]
    quality: NDArray[np.int64]
    weight: NDArray[np.int64]

    def some(self, which: NDArray[np.intp]) -> _Choices:
        words, blocked, last, quality, weight = self
        return _Choices(words[which], blocked[which], last[which], quality[which], weight[which])


def sets_between(
    quality: NDArray[np.int64],
    together: NDArray[np.bool_],
    size: int,
    low: int,
    high: int,
    limit: int,
    weight: NDArray[np.int64],
    threshold: int,
) -> NDArray[np.int32] | None:
    """Return the sets of features without conflicts whose qualities sum up to at least `low`, at most `high`.

    All choices of features of one half are made, and those of the other, which are sorted by their sum; what
    fits to a choice of the first half is a range of the second.

    Parameters
    ----------
    quality : array of shape (n,)
    together : array of bool, shape (n, n)
        Whether two features may be in one set.
    size : int
        Number of features of a set.
    low, high : int
    limit : int
        So many of them plus one are enough.
    weight : array of shape (n,)
    threshold : int
        The sets weigh at least this.

    Returns
    -------
    array of shape (m, size), or None if it would take long

    Examples
    --------
    >>> quality, weight = np.array([5, 1, 2, 4]), np.array([1, 1, 1, 0])
    >>> sets_between(quality, np.ones((4, 4), dtype=bool), 2, 6, 6, 10, weight, 1).tolist()
    [[2, 3], [0, 1]]
    """
    n = len(quality)
    bits = as_words(np.arange(n, dtype=np.int32)[:, np.newaxis], n)
    blocked = np.array([np.bitwise_or.reduce(bits[~row], axis=0) for row in together]).reshape(bits.shape)
    alone = _Choices(bits, blocked, np.arange(n), quality, weight)
    first = _choices(alone, range(n // 2), size)
    second = _choices(alone, range(n // 2, n), size)
    if first is None or second is None:
        return None
    joined = []
    pairs = 0
    for inside, one in enumerate(first):
        other = second[size - inside]
        other = other.some(np.argsort(other.quality, kind="stable"))
        begin = np.searchsorted(other.quality, low - one.quality, side="left")
        end = np.searchsorted(other.quality, high - one.quality, side="right")
        pairs += int((end - begin).sum())
        joined.append((one, other, begin, end))
    if pairs > MOST_PAIRS:
        return None
    found = [_joined(*parts, threshold, size, limit) for parts in joined]
    return np.vstack(found)[: limit + 1]


def _choices(alone: _Choices, features: range, size: int) -> list[_Choices] | None:
    """Return all choices without conflicts from some features, by their number; None if there are many."""
    nothing = np.zeros((1, alone.words.shape[1]), dtype=np.uint64)
    zero = np.zeros(1, dtype=np.int64)
    by_count = [_Choices(nothing, nothing, np.array([-1]), zero, zero)]
    for _ in range(size):
        before = by_count[-1]
        longer = [before.some(np.empty(0, dtype=np.intp))]
        for j in features:
            fits = (before.last < j) & ~(before.blocked & alone.words[j]).any(axis=1)
            chosen = before.some(np.flatnonzero(fits))
            longer.append(
                _Choices(
                    chosen.words | alone.words[j],
                    chosen.blocked | alone.blocked[j],
                    np.full(len(chosen.last), j),
                    chosen.quality + alone.quality[j],
                    chosen.weight + alone.weight[j],
                )
            )
        if sum(len(part.last) for part in longer) > LARGEST_HALF:
            return None
        by_count.append(_Choices(*(np.concatenate(parts) for parts in zip(*longer, strict=True))))
    return by_count


def _joined(
    one: _Choices,
    other: _Choices,
    begin: NDArray[np.intp],
    end: NDArray[np.intp],
    threshold: int,
    size: int,
    limit: int,
) -> NDArray[np.int32]:
    """Return the sets of a choice of one half and one of a range of the other, without conflicts."""
    count = _join(one, other, begin, end, threshold, np.empty((0, size), dtype=np.int32), limit + 1)
    found = np.empty((count, size), dtype=np.int32)
    _join(one, other, begin, end, threshold, found, count)
    return found


@compiled
def _join(
    one: _Choices,
    other: _Choices,
    begin: NDArray[np.intp],
    end: NDArray[np.intp],
    threshold: int,
    found: NDArray[np.int32],
    most: int,
) -> int:
    """Write the members of the sets to `found`, if there is room for any; return how many, at most `most`."""
    count = 0
    n_words = one.words.shape[1]
    for i in range(len(one.words)):
        for place in range(begin[i], end[i]):
            allowed = one.weight[i] + other.weight[place] >= threshold
            for word in range(n_words):
                allowed = allowed and (one.blocked[i, word] & other.words[place, word]) == 0
            if not allowed:
                continue
            if count == most:
                return count
            if len(found):
                at = 0
                for word in range(n_words):
                    both = one.words[i, word] | other.words[place, word]
                    for bit in range(64):
                        if (both >> np.uint64(bit)) & np.uint64(1):
                            found[count, at] = 64 * word + bit
                            at += 1
            count += 1
    return count
