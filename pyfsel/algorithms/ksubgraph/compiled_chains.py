"""Heavy chains, compiled: beginnings are extended depth first, and only by features that are left.

The same search as that of `loops`, which takes many beginnings at a time over all features. It is resumable:
it returns to Python whenever a given amount of work is done, or it has found so many sets.

Pairs that no set holds have the weight −2⁶⁰ here, and features that no completion can take reach `LOW`, −2⁶².
All other weights and reaches of a set add up to less than 2⁵⁹ in absolute value (`instance.LARGEST_WEIGHT`,
`split.LARGEST_PART`), so that what a feature adds is above `FAR`, −2⁵⁹, if and only if it can come; and one
such pair and one such reach stay within 64 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.loops import LOW, Beginnings

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, TARGET, NODES, WORK, ROW, NEXT, FOUND = range(7)
COUNT, POSITION, WEIGHT = range(3)
FAR = -(2**59)


class Pairs(NamedTuple):
    """What holds for all beginnings, for n features.

    Attributes
    ----------
    weights, parts : arrays of shape (n, n)
        Weights of pairs, and how they are split.
    apart : array of bool, shape (n, n)
        Pairs that no set that is looked for holds, and the diagonal.
    previous : array of bool, shape (previous sets, n)
    limits : array of shape (previous sets,)
    limiting : array
        The previous sets that limit a part of the features.
    part : array of shape (n,)
        The part of each feature: 0 without a limit, else 1 and the place in `limiting`.
    """

    weights: NDArray[np.int64]
    parts: NDArray[np.int64]
    apart: NDArray[np.bool_]
    previous: NDArray[np.bool_]
    limits: NDArray[np.int64]
    limiting: NDArray[np.int64]
    part: NDArray[np.int64]


class Stack(NamedTuple):
    """The open beginnings T, one for each number m of features: the first axis, 0 to k − 1.

    Attributes
    ----------
    state : array of shape (7,)
        m of the deepest open beginning (−1: none is open), the least weight asked for, beginnings and work so
        far, the parent that was taken up last, which of its children comes next, how many sets are found.
    node : array of shape (k, 3)
        Number of candidates, which of them is the next, W(T).
    chosen : array of shape (k,)
        The features in the order in which they came.
    degrees : array of shape (k, k)
        The weight between each of them and the others.
    candidates, sums : arrays of shape (k, n)
        The features that can still come, and the weight between each of them and T.
    values : array of shape (n,)
        What candidates add at most to a set.
    overlap : array of shape (k, previous sets)
    sets : array of shape (any, k)
        What is found.
    weights : array of shape (any,)
    """

    state: NDArray[np.int64]
    node: NDArray[np.int64]
    chosen: NDArray[np.int64]
    degrees: NDArray[np.int64]
    candidates: NDArray[np.int64]
    sums: NDArray[np.int64]
    values: NDArray[np.int64]
    overlap: NDArray[np.int64]
    sets: NDArray[np.int64]
    weights: NDArray[np.int64]


@compiled
def insert(top: NDArray[Any], value: float) -> None:
    """Put a value into an increasing list in place of the least one, if it is larger."""
    place = 0
    while place < len(top) and top[place] < value:
        if place > 0:
            top[place - 1] = top[place]
        place += 1
    if place > 0:
        top[place - 1] = value


@compiled
def write_highest(
    features: NDArray[np.int64],
    values: NDArray[Any],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
    top: NDArray[Any],
) -> None:
    """Replace the values in `top` by the largest ones of features, within the room of each part."""
    of_parts = np.full((len(room), len(top)), top[0])
    for place in range(len(features)):
        number = part[features[place]]
        insert(of_parts[number, : room[number]], values[place])
    for number in range(len(room)):
        for value in of_parts[number, : room[number]]:
            insert(top, value)


@compiled
def room_of_parts(pairs: Pairs, overlap: NDArray[np.int64], missing: int) -> NDArray[np.int64]:
    """Return how many more features of each part a set may hold."""
    room = np.full(1 + len(pairs.limiting), missing)
    for place in range(len(pairs.limiting)):
        number = pairs.limiting[place]
        room[place + 1] = pairs.limits[number] - overlap[number]
    return room


@compiled
def has_room(pairs: Pairs, overlap: NDArray[np.int64], feature: int) -> bool:
    """Return whether a set that shares so much with previous ones may hold a feature."""
    for number in range(len(overlap)):
        if pairs.previous[number, feature] and overlap[number] >= pairs.limits[number]:
            return False
    return True


@compiled
def write_highest_with_limits(
    stack: Stack, pairs: Pairs, most: NDArray[np.int64], m: int, top: NDArray[np.int64]
) -> None:
    """Write the largest values of candidates that previous sets leave room for beside m + 1 features."""
    overlap, weights, values = stack.overlap[m + 1], pairs.weights[stack.chosen[m]], stack.values
    candidates, sums = stack.candidates[m, : stack.node[m, COUNT]], stack.sums[m]
    for place in range(len(candidates)):
        j = candidates[place]
        values[place] = sums[place] + weights[j] + most[j] if has_room(pairs, overlap, j) else FAR
    write_highest(candidates, values, pairs.part, room_of_parts(pairs, overlap, len(top)), top)


@compiled
def add(stack: Stack, pairs: Pairs, reach: NDArray[np.int64], m: int, feature: int, own: int) -> int:
    """Write the beginning of m + 1 features that one of weight `own` with T makes, and its candidates.

    Return the bound on the sets that hold it, `LOW` if there are none.
    """
    missing = len(stack.chosen) - m - 1
    weights, most = pairs.weights[feature], reach[missing]
    degrees, overlap = stack.degrees[m + 1], stack.overlap[m + 1]
    for place in range(m):
        degrees[place] = stack.degrees[m, place] + weights[stack.chosen[place]]
    degrees[m] = own
    stack.chosen[m] = feature
    is_full = False
    for number in range(len(overlap)):
        overlap[number] = stack.overlap[m, number] + pairs.previous[number, feature]
        is_full |= overlap[number] >= pairs.limits[number]
    node, before = stack.node[m + 1], stack.node[m, COUNT]
    candidates, sums = stack.candidates[m], stack.sums[m]
    stack.state[NODES] += 1
    stack.state[WORK] += before
    node[POSITION], node[WEIGHT] = 0, stack.node[m, WEIGHT] + own
    top = np.full(missing, FAR)
    if is_full or len(pairs.limiting) > 0:
        write_highest_with_limits(stack, pairs, most, m, top)
    else:
        for place in range(before):
            j = candidates[place]
            value = sums[place] + weights[j] + most[j]
            if value > top[0]:
                insert(top, value)
    if top[0] == FAR:
        return LOW
    bound: int = node[WEIGHT] + top.sum()
    if bound >= stack.state[TARGET]:
        least = max(FAR + 1, stack.state[TARGET] - bound + top[0])
        kept, new_candidates, new_sums = 0, stack.candidates[m + 1], stack.sums[m + 1]
        for place in range(before):
            j = candidates[place]
            total = sums[place] + weights[j]
            new_candidates[kept], new_sums[kept] = j, total
            kept += total + most[j] >= least and (not is_full or has_room(pairs, overlap, j))
        node[COUNT] = kept
    return bound


@compiled
def take_up(
    stack: Stack, pairs: Pairs, reach: NDArray[np.int64], parents: Beginnings, row: int, feature: int
) -> int:
    """Write one of the beginnings that are to be extended; return the bound on the sets that hold it."""
    m, node = parents.members.shape[1], stack.node[parents.members.shape[1]]
    sums, possible = parents.sums[row], parents.possible[row]
    if stack.state[ROW] != row:
        stack.state[ROW] = row
        stack.chosen[:m], stack.degrees[m, :m] = parents.members[row], parents.degrees[row]
        stack.overlap[m] = parents.overlap[row]
        count, own_candidates, own_sums = 0, stack.candidates[m], stack.sums[m]
        for j in range(len(sums)):
            own_candidates[count], own_sums[count] = j, sums[j]
            count += possible[j]
        node[COUNT], node[WEIGHT] = count, parents.weight[row]
    return add(stack, pairs, reach, m, feature, sums[feature])


@compiled
def is_weakest(stack: Stack, pairs: Pairs, m: int, feature: int, own: int) -> bool:
    """Return whether it is the weakest of T and itself, of several ones that of the largest number."""
    for place in range(m):
        other = stack.chosen[place]
        degree = stack.degrees[m, place] + pairs.weights[feature, other]
        if degree < own or (degree == own and other > feature):
            return False
    return True


@compiled
def extend(
    stack: Stack,
    pairs: Pairs,
    reach: NDArray[np.int64],
    needed: NDArray[np.int64],
    parents: Beginnings,
    rows: NDArray[np.int64],
    features: NDArray[np.int64],
    work: int,
) -> None:
    """Go on until so much work is done, there is no room for sets, or no beginning is open."""
    state, set_size, base = stack.state, len(stack.chosen), parents.members.shape[1] + 1
    enough = state[WORK] + work
    while state[WORK] < enough and state[FOUND] < len(stack.sets):
        m = state[DEPTH]
        if m < base:
            if state[NEXT] == len(rows):
                state[DEPTH] = -1
                return
            child, state[NEXT] = state[NEXT], state[NEXT] + 1
            if take_up(stack, pairs, reach, parents, rows[child], features[child]) >= state[TARGET]:
                state[DEPTH] = base
            continue
        place, node = stack.node[m, POSITION], stack.node[m]
        if place == node[COUNT]:
            state[DEPTH] -= 1
            continue
        node[POSITION] += 1
        feature, own = stack.candidates[m, place], stack.sums[m, place]
        if own + node[WEIGHT] < needed[m + 1] or not is_weakest(stack, pairs, m, feature, own):
            continue
        if m + 1 == set_size:
            stack.chosen[m] = feature
            stack.sets[state[FOUND]], stack.weights[state[FOUND]] = stack.chosen, own + node[WEIGHT]
            state[FOUND] += 1
        elif add(stack, pairs, reach, m, feature, own) >= state[TARGET]:
            state[DEPTH] = m + 1


@compiled
def write_bounds(
    stack: Stack,
    pairs: Pairs,
    reach: NDArray[np.int64],
    parents: Beginnings,
    rows: NDArray[np.int64],
    features: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> None:
    """Write the bounds on the sets that hold beginnings."""
    for child in range(len(rows)):
        bounds[child] = take_up(stack, pairs, reach, parents, rows[child], features[child])


class CompiledChains:
    """The extension of beginnings to whole sets.

    Parameters
    ----------
    pairs : Pairs
    reach : array of shape (set_size + 1, n)
        The most that each feature adds to a set besides its weight with T, for each number of missing ones.
    set_size : int
        At least 3.
    sets_at_once : int
        After how many sets it returns.
    """

    def __init__(self, pairs: Pairs, reach: NDArray[np.int64], set_size: int, sets_at_once: int) -> None:
        n, k = len(pairs.weights), set_size
        apart_by_weight = pairs._replace(weights=np.where(pairs.apart, 2 * FAR, pairs.weights))
        self._pairs = Pairs._make(np.ascontiguousarray(numbers) for numbers in apart_by_weight)
        self._reach = np.ascontiguousarray(reach)
        self._stack = Stack(
            state=np.array([-1, 0, 0, 0, -1, 0, 0]),
            node=np.zeros((k, 3), np.int64),
            chosen=np.zeros(k, np.int64),
            degrees=np.zeros((k, k), np.int64),
            candidates=np.zeros((k, n), np.uint32),
            sums=np.zeros((k, n), np.int64),
            values=np.zeros(n, np.int64),
            overlap=np.zeros((k, len(pairs.previous)), np.int64),
            sets=np.zeros((sets_at_once, k), np.int64),
            weights=np.zeros(sets_at_once, np.int64),
        )

    @property
    def is_open(self) -> bool:
        """Whether there may be sets that hold the beginnings given to `start` and were not met."""
        return bool(self._stack.state[DEPTH] >= 0)

    @property
    def nodes(self) -> int:
        """How many beginnings were met."""
        return int(self._stack.state[NODES])

    @property
    def work(self) -> int:
        """How many candidates were looked at."""
        return int(self._stack.state[WORK])

    def bounds(
        self, parents: Beginnings, rows: NDArray[np.int64], features: NDArray[np.int64], target: int
    ) -> NDArray[np.int64]:
        """Return bounds on the weights of the sets that hold one of the parents (rows) and a feature each."""
        bounds = np.empty(len(rows), np.int64)
        self.start()
        self._stack.state[TARGET] = target
        write_bounds.machine(self._stack, self._pairs, self._reach, parents, rows, features, bounds)
        return bounds

    def start(self) -> None:
        """Begin with other beginnings."""
        self._stack.state[[DEPTH, ROW, NEXT]] = 0, -1, 0

    def search(
        self,
        parents: Beginnings,
        rows: NDArray[np.int64],
        features: NDArray[np.int64],
        needed: NDArray[np.int64],
        work: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Go on with these beginnings; return sets that hold one of them, and their weights.

        Parameters
        ----------
        parents, rows, features
            The beginnings, each one of the parents and a feature, the same until none is open.
        needed : array of shape (set_size + 1,)
            The least weight of so many features of a chain.
        work : int
        """
        stack = self._stack
        stack.state[TARGET], stack.state[FOUND] = needed[-1], 0
        extend.machine(stack, self._pairs, self._reach, needed, parents, rows, features, work)
        found = stack.state[FOUND]
        return stack.sets[:found].copy(), stack.weights[:found].copy()
