"""Good partitions without proof: longest numbers first, then exchanges between parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pyfsel.reductions.number_partitioning import NumberPartitioning, Parts

STARTS = 30  # before a proof is tried; `search` adds more where it would be needed


def exchange_search(
    instance: NumberPartitioning,
    rng: np.random.Generator,
    *,
    starts: int = STARTS,
    expired: Callable[[], bool] = lambda: False,
) -> Parts:
    """Return a partition in which no exchange of two numbers lowers the larger sum of two parts.

    The first start deals out the largest numbers first, each to the part with the smallest sum that is not
    full; the others are random. It ends early if a partition reaches the mean.

    Parameters
    ----------
    instance : NumberPartitioning
    rng : numpy Generator
    starts : int
    expired : callable
        Asked between the starts.
    """
    best: Parts = ()
    for start in range(starts):
        if best and (expired() or instance.value(best) == instance.least_value):
            break
        shuffled = rng.permutation(len(instance.numbers)) if start else None
        parts = _dealt(instance) if shuffled is None else list(shuffled.reshape(instance.n_parts, -1))
        _exchange(instance, parts)
        found = tuple(tuple(sorted(part.tolist())) for part in parts)
        if not best or instance.value(found) < instance.value(best):
            best = found
    return best


def _dealt(instance: NumberPartitioning) -> list[np.ndarray]:
    parts: list[list[int]] = [[] for _ in range(instance.n_parts)]
    sums = [0] * instance.n_parts
    for i in sorted(range(len(instance.numbers)), key=lambda i: -instance.numbers[i]):
        chosen = min(
            (p for p, part in enumerate(parts) if len(part) < instance.part_size), key=sums.__getitem__
        )
        parts[chosen].append(i)
        sums[chosen] += instance.numbers[i]
    return [np.array(part) for part in parts]


def _exchange(instance: NumberPartitioning, parts: list[np.ndarray]) -> None:
    """Even out pairs of parts, the one with the largest sum first, until that one gains nothing any more."""
    numbers = np.array(instance.numbers, dtype=np.int64)
    sums = np.array([numbers[part].sum() for part in parts])
    while True:
        largest = int(sums.argmax())
        for other in np.argsort(sums):
            if other != largest and _even_out(numbers, parts, sums, largest, int(other)):
                break
        else:
            return


def _even_out(
    numbers: np.ndarray, parts: list[np.ndarray], sums: np.ndarray, largest: int, other: int
) -> bool:
    """Make the exchange that brings two sums closest to each other; return whether it lowers the larger."""
    distance = sums[largest] - sums[other]
    moved = numbers[parts[largest]][:, None] - numbers[parts[other]][None, :]
    after = np.abs(distance - 2 * moved)
    i, j = np.unravel_index(int(after.argmin()), after.shape)
    if after[i, j] >= distance:
        return False
    parts[largest][i], parts[other][j] = parts[other][j], parts[largest][i]
    sums[largest] -= moved[i, j]
    sums[other] += moved[i, j]
    return True
