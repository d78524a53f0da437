"""Better minima without proof: the features of two sets are dealt out anew, as the conflicts allow.

Where sets have nearly the best sum, the smallest value is as good as that sum is spread evenly. The features
that one of two sets holds alone fall into groups connected by conflicts, and each group can change sides as
a whole. Of all choices of groups that keep the sizes, the one is taken that brings the two values closest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.reductions.conflicts import conflict_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_GROUPS = 12
MOST_KICKS = 4
ROUNDS_AT_A_TIME = 200
DRAWS_PER_ROUND = 3
HIGH = 2**62


class _Instance(NamedTuple):
    """The qualities, the conflicts, how much sets may share, and the sets that are there already."""

    quality: NDArray[np.int64]
    conflict: NDArray[np.bool_]
    max_overlap: int
    previous: NDArray[np.bool_]


def balanced(
    problem: Problem,
    solution: Sequence[FeatureSet],
    rounds: int | None,
    random_state: int = 0,
    bound: int | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> list[FeatureSet]:
    """Return compatible sets whose smallest value is at least as large, mostly of nearly the same sum.

    Parameters
    ----------
    problem : Problem
        Of an objective that is a sum of qualities, with at least two sets.
    solution : sequence of feature sets
    rounds : int or None
        How often some sets are disturbed and all made even again; without limit if None.
    random_state : int
    bound : int, optional
        Where the search may end.
    expired : callable

    Examples
    --------
    >>> problem = Problem(quality=[9, 8, 2, 1], n_sets=2, set_size=2, max_overlap=0, aggregate="min")
    >>> balanced(problem, [(0, 1), (2, 3)], rounds=1)
    [(1, 2), (0, 3)]
    """
    n = problem.n_features
    instance = _Instance(
        np.ascontiguousarray(problem.quality),
        conflict_matrix(problem),
        problem.max_overlap,
        _as_rows(problem.previous_sets, n),
    )
    current = _as_rows(solution, n)
    best = current.copy()
    rng = np.random.default_rng(random_state)
    done = 0
    while (rounds is None or done < rounds) and not expired():
        if bound is not None and (best @ instance.quality).min() >= bound:
            break
        count = ROUNDS_AT_A_TIME if rounds is None else min(ROUNDS_AT_A_TIME, rounds - done)
        _search(instance, current, best, rng.integers(0, HIGH, (count, DRAWS_PER_ROUND)))
        done += count
    found = [tuple(int(j) for j in np.flatnonzero(row)) for row in best]
    return max([list(solution), found], key=lambda sets: int(problem_values.values(problem, sets).min()))


def _as_rows(sets: Sequence[FeatureSet], n: int) -> NDArray[np.bool_]:
    rows = np.zeros((len(sets), n), dtype=bool)
    for row, members in zip(rows, sets, strict=True):
        row[list(members)] = True
    return rows


@compiled
def _search(
    instance: _Instance, current: NDArray[np.bool_], best: NDArray[np.bool_], draws: NDArray[np.int64]
) -> None:
    """Make the sets even, then disturb them again and again; keep the best."""
    n_sets = len(current)
    values = np.zeros(n_sets, dtype=np.int64)
    for s in range(n_sets):
        values[s] = _value(instance.quality, current[s])
    highest = HIGH
    for s in range(n_sets):
        highest = min(highest, _value(instance.quality, best[s]))
    for draw in draws:
        _even_out_all(instance, current, values)
        if values.min() > highest:
            highest = values.min()
            best[:] = current
        first = draw[0] % n_sets
        if draw[2] % 2:
            _swap_with_unused(instance, current, values, first, draw[1], values.sum() - n_sets * highest)
        for kick in range(1 + draw[1] % MOST_KICKS):
            second = (first + 1 + (draw[1] + kick) % (n_sets - 1)) % n_sets
            _exchange(instance, current, values, first, second, draw[2] >> kick)


@compiled
def _value(quality: NDArray[np.int64], row: NDArray[np.bool_]) -> int:
    total = 0
    for j in range(len(quality)):
        if row[j]:
            total += quality[j]
    return total


@compiled
def _even_out_all(instance: _Instance, rows: NDArray[np.bool_], values: NDArray[np.int64]) -> None:
    """Even out the worst set with another one, the best first, until that helps no more."""
    improved = True
    while improved:
        improved = False
        worst = int(values.argmin())
        for other in np.argsort(-values):
            if other != worst and _exchange(instance, rows, values, worst, int(other), -1):
                improved = True
                break


@compiled
def _exchange(
    instance: _Instance,
    rows: NDArray[np.bool_],
    values: NDArray[np.int64],
    first: int,
    second: int,
    draw: int,
) -> bool:
    """Deal out the features of two sets so that their values are closest, or by chance if a draw is given.

    Returns whether anything has changed.
    """
    group = _groups(instance.conflict, rows[first], rows[second], max(0, draw))
    n_groups = min(MOST_GROUPS, group.max() + 1)
    size = np.zeros(n_groups, dtype=np.int64)
    worth = np.zeros(n_groups, dtype=np.int64)
    for j in range(len(group)):
        if 0 <= group[j] < n_groups:
            sign = 1 if rows[first, j] else -1
            size[group[j]] += sign
            worth[group[j]] += sign * instance.quality[j]
    distance = values[first] - values[second]
    least = abs(distance) if draw < 0 else HIGH
    chosen = 0
    moved_size, moved_worth = 0, 0
    for step in range(1, 1 << n_groups):
        changed = 0
        while not (step >> changed) & 1:
            changed += 1
        code = step ^ (step >> 1)
        sign = 1 if (code >> changed) & 1 else -1
        moved_size += sign * size[changed]
        moved_worth += sign * worth[changed]
        if moved_size != 0:
            continue
        cost = abs(distance - 2 * moved_worth) if draw < 0 else (code * 40503 ^ draw) % 65521
        if cost < least and _may_move(instance, rows, first, second, group, code):
            least = cost
            chosen = code
    if chosen == 0:
        return False
    _move(rows, first, second, group, chosen)
    for s in (first, second):
        values[s] = _value(instance.quality, rows[s])
    return True


@compiled
def _groups(
    conflict: NDArray[np.bool_], one: NDArray[np.bool_], other: NDArray[np.bool_], shift: int
) -> NDArray[np.int64]:
    """Return the group of each feature that is in one set only, numbered from a shifted place on, else −1."""
    n = len(one)
    group = np.full(n, -1)
    stack = np.empty(n, dtype=np.int64)
    count = 0
    for place in range(n):
        start = (place + shift) % n
        if one[start] == other[start] or group[start] >= 0:
            continue
        group[start] = count
        stack[0] = start
        height = 1
        while height > 0:
            height -= 1
            i = stack[height]
            for j in range(n):
                if conflict[i, j] and group[j] < 0 and one[j] != other[j]:
                    group[j] = count
                    stack[height] = j
                    height += 1
        count += 1
    return group


@compiled
def _moves(group: int, code: int) -> bool:
    return 0 <= group < MOST_GROUPS and bool((code >> group) & 1)


@compiled
def _move(rows: NDArray[np.bool_], first: int, second: int, group: NDArray[np.int64], code: int) -> None:
    for j in range(len(group)):
        if _moves(group[j], code):
            rows[first, j] = not rows[first, j]
            rows[second, j] = not rows[second, j]


@compiled
def _may_move(
    instance: _Instance,
    rows: NDArray[np.bool_],
    first: int,
    second: int,
    group: NDArray[np.int64],
    code: int,
) -> bool:
    """Return whether two sets would share no more than they may with the others after a move."""
    if instance.max_overlap == 0:
        return True
    _move(rows, first, second, group, code)
    allowed = _fits(instance, rows, first) and _fits(instance, rows, second)
    _move(rows, first, second, group, code)
    return allowed


@compiled
def _fits(instance: _Instance, rows: NDArray[np.bool_], one: int) -> bool:
    for others in (rows, instance.previous):
        for s in range(len(others)):
            if others is rows and s == one:
                continue
            shared = 0
            for j in range(rows.shape[1]):
                if others[s, j] and rows[one, j]:
                    shared += 1
            if shared > instance.max_overlap:
                return False
    return True


@compiled
def _swap_with_unused(
    instance: _Instance,
    rows: NDArray[np.bool_],
    values: NDArray[np.int64],
    one: int,
    draw: int,
    most_lost: int,
) -> None:
    """Exchange a feature of a set for one that is in no set, if at most so much of the sum is lost."""
    n = rows.shape[1]
    used = np.zeros(n, dtype=np.bool_)
    for others in (rows, instance.previous):
        for s in range(len(others)):
            used |= others[s]
    for place in range(n * n):
        i, j = divmod((place + draw) % (n * n), n)
        if not rows[one, i] or used[j] or instance.quality[i] - instance.quality[j] >= most_lost:
            continue
        rows[one, i] = False
        if not (instance.conflict[j] & rows[one]).any():
            rows[one, j] = True
            values[one] += instance.quality[j] - instance.quality[i]
            return
        rows[one, i] = True
