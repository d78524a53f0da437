"""From floats to the integers that solvers work with: qualities and costs, quantised once."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from pyfsel.core.arrays import Ints, Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import LARGEST_INTEGER

SMALLEST_LARGEST_QUALITY = 500_000
"""Half a unit of rounding is then at most 10⁻⁶ of the largest quality."""
LARGEST_EXACT_TOTAL = 2**31 - 1
"""Solvers of 32 bits can add up integers that are kept as they are."""
MOST_DECIMALS = 6


def choose_scale(numbers: Reals, magnitude: float) -> float:
    """Return the factor that turns qualities into integers.

    1 where the numbers are integers already and a solution's total fits into 32 bits; otherwise the smallest
    power of ten that makes the largest number exceed 5·10⁵, which keeps the rounding loss of a solution
    below 10⁻⁶·k·(a+1)·max|q|. `magnitude` is the largest total that numbers in [−1, 1] can reach; if it is
    infinite, integers are scaled as others.

    Examples
    --------
    >>> choose_scale(np.array([3.0, 1.0]), 5), choose_scale(np.array([0.25, 0.04]), 5)
    (1.0, 10000000.0)
    >>> [choose_scale(np.array([size / 7]), 5) for size in (1e-9, 1e-3, 1, 1e5, 1e12)]
    [1e+16, 10000000000.0, 10000000.0, 100.0, 1e-05]
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0:
        return 1.0
    if largest * magnitude <= LARGEST_EXACT_TOTAL and bool((numbers == np.rint(numbers)).all()):
        return 1.0
    exponent = math.ceil(math.log10(SMALLEST_LARGEST_QUALITY) - math.log10(largest))
    scale = float(f"1e{exponent}")
    if math.isinf(scale * 10):
        raise InputError(f"quality: its largest absolute value {largest!r} is too small; use a smaller unit")
    return scale if scale * largest > SMALLEST_LARGEST_QUALITY else scale * 10


def quantise(numbers: Reals, scale: float) -> tuple[Ints, bool]:
    """Return the rounded ``scale × numbers`` and whether dividing by `scale` gives back the input."""
    with np.errstate(over="ignore"):
        scaled = np.rint(numbers * scale)
    if np.abs(scaled).max(initial=0.0) > LARGEST_INTEGER:
        raise InputError(f"scale={scale!r}: makes numbers beyond 2**53. Try a smaller one")
    integers = scaled.astype(np.int64)
    return integers, bool((integers / scale == numbers).all())


def quantise_costs(costs: Reals) -> tuple[Ints, float]:
    """Return costs as integers, exactly, and the factor between them and the user's numbers.

    The factor is the smallest power of ten that makes all costs integers, as they are written in decimals.

    Raises
    ------
    InputError
        If a cost has more than six decimals, or is too large.

    Examples
    --------
    >>> quantise_costs(np.array([2, 0.25]))
    (array([200,  25]), 100.0)
    """
    exact = [Decimal(repr(float(cost))).normalize() for cost in costs]
    places = [max(0, -int(cost.as_tuple().exponent)) for cost in exact]
    most = max(places, default=0)
    if most > MOST_DECIMALS:
        wrong = float(costs[places.index(most)])
        raise InputError(f"costs: {wrong!r} has more than {MOST_DECIMALS} decimals; round it")
    integers = [int(cost.scaleb(most)) for cost in exact]
    if max(map(abs, integers), default=0) > LARGEST_INTEGER:
        raise InputError("costs: are too large for exact sums; use a larger unit")
    return np.array(integers, dtype=np.int64), float(10**most)
