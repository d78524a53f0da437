"""Large values of a concave function ``linear'x + ½ x'Hx`` among x of one sum, each from 0 to 1; compiled.

Of features that are out, `linear` is −inf, and x is 0. No x has to be the best: each gives a bound, by its
tangent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.compiled_chains import insert

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ROUNDS = 20
MOST_STEPS = 300
SHARE_OF_GAP = 2.0


@compiled
def move_to_sum(linear: NDArray[np.float64], total: int, point: NDArray[np.float64]) -> None:
    """Change x so that it has the sum, those that are not 0 if they can."""
    before, room, room_of_all = 0.0, 0.0, 0.0
    for j in range(len(point)):
        before += point[j]
        if point[j] > 0:
            room += 1 - point[j]
        if linear[j] > -np.inf:
            room_of_all += 1 - point[j]
    everywhere = before + room <= total
    if everywhere:
        room = room_of_all
    for j in range(len(point)):
        if before > total:
            point[j] *= total / before
        elif before < total and (point[j] > 0 or (everywhere and linear[j] > -np.inf)):
            point[j] += (total - before) / room * (1 - point[j])


@compiled
def write_gradient(
    curvature: NDArray[np.float64],
    linear: NDArray[np.float64],
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> int:
    """Write ``linear + H x``; return how many of x are not 0."""
    gradient[:] = linear
    count = 0
    for i in range(len(point)):
        if point[i] > 0:
            count += 1
            for j in range(len(point)):
                gradient[j] += point[i] * curvature[i, j]
    return count


@compiled
def value_and_rest(
    linear: NDArray[np.float64], point: NDArray[np.float64], gradient: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the value at x, and what its tangent is besides the slopes: ``½ (linear − gradient)'x``."""
    value, rest = 0.0, 0.0
    for j in range(len(point)):
        if point[j] > 0:
            value += (linear[j] + gradient[j]) * point[j] / 2
            rest += (linear[j] - gradient[j]) * point[j] / 2
    return value, rest


@compiled
def exchange(
    curvature: NDArray[np.float64],
    slack: float,
    point: NDArray[np.float64],
    rising: NDArray[np.float64],
    falling: NDArray[np.float64],
) -> int:
    """Move x to larger values, one feature against another; return the number of steps.

    The slopes of features that can rise are given, and of those that can fall, and infinite ones elsewhere.
    It ends where they differ by no more than the slack.
    """
    for step in range(MOST_STEPS):
        up, down, highest, lowest = 0, 0, -np.inf, np.inf
        for j in range(len(point)):
            if rising[j] > highest:
                up, highest = j, rising[j]
            if falling[j] < lowest:
                down, lowest = j, falling[j]
        if highest - lowest <= slack:
            return step
        move = min(1 - point[up], point[down])
        bend = 2 * curvature[up, down] - curvature[up, up] - curvature[down, down]
        if bend > 0:
            move = min(move, (highest - lowest) / bend)
        is_whole_up, is_whole_down = move == 1 - point[up], move == point[down]
        point[up] = 1.0 if is_whole_up else point[up] + move
        point[down] = 0.0 if is_whole_down else point[down] - move
        falling[up], rising[down] = highest, lowest
        for j in range(len(point)):
            change = move * (curvature[up, j] - curvature[down, j])
            rising[j] += change
            falling[j] += change
        if is_whole_up:
            rising[up] = -np.inf
        if is_whole_down:
            falling[down] = np.inf
    return MOST_STEPS


@compiled
def exchange_among(
    curvature: NDArray[np.float64],
    some: NDArray[np.int64],
    slack: float,
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> int:
    """Move x as `exchange` does, but only some of it; the gradient is not kept up to date."""
    size = len(some)
    own, own_point = np.empty((size, size)), np.empty(size)
    rising, falling = np.empty(size), np.empty(size)
    for i in range(size):
        own_point[i] = point[some[i]]
        rising[i] = gradient[some[i]] if own_point[i] < 1 else -np.inf
        falling[i] = gradient[some[i]] if own_point[i] > 0 else np.inf
        for j in range(size):
            own[i, j] = curvature[some[i], some[j]]
    steps = exchange(own, slack, own_point, rising, falling)
    for i in range(size):
        point[some[i]] = own_point[i]
    return steps


@compiled
def climb(
    curvature: NDArray[np.float64],
    linear: NDArray[np.float64],
    target: float,
    margin: float,
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
    top: NDArray[np.float64],
) -> int:
    """Move x to larger values, write its gradient and the largest slopes, and return how much work it was.

    It ends where the tangent shows that no set reaches the target, or that x is beyond the target, and nearer
    to the largest value. Steps are among the features of x and those of the largest slopes, in turns with
    all slopes.
    """
    size = len(point)
    some, work = np.empty(size, np.int64), 0
    for _ in range(MOST_ROUNDS):
        work += size * (3 + write_gradient(curvature, linear, point, gradient) // 5)
        top[:] = -np.inf
        for j in range(size):
            if gradient[j] > top[0]:
                insert(top, gradient[j])
        value, rest = value_and_rest(linear, point, gradient)
        bound = rest + top.sum()
        if bound < target or (value > target and bound - value < value - target):
            break
        count = 0
        for j in range(size):
            if point[j] > 0 or gradient[j] >= top[0]:
                some[count] = j
                count += 1
        slack = max(margin, abs(value - target) * SHARE_OF_GAP / len(top))
        steps = exchange_among(curvature, some[:count], slack, point, gradient)
        work += count * (count + 3 * steps)
        if steps == 0:
            break
    return work
