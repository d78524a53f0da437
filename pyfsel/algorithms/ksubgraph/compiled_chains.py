"""Heavy chains, compiled: beginnings are extended depth first, and only by features that are left.

The same search as that of `loops`, which takes many beginnings at a time over all features, with the bound on
orders besides. It is resumable: it returns to Python whenever a given amount of work is done, or it has found
so many sets.

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
COUNT, POSITION, WEIGHT, HEADS, NEAR = range(5)
TESTS, LEFT_OUT = range(2)
FAR = -(2**59)
FIRST_TESTS = 1000
LEAST_LEFT_OUT = 0.25


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
    most : array of shape (n,)
        The weight of a pair is at most the sum of those of its features: half of the largest weight of each.
    """

    weights: NDArray[np.int64]
    parts: NDArray[np.int64]
    apart: NDArray[np.bool_]
    previous: NDArray[np.bool_]
    limits: NDArray[np.int64]
    limiting: NDArray[np.int64]
    part: NDArray[np.int64]
    most: NDArray[np.int64]


class Stack(NamedTuple):
    """The open beginnings T, one for each number m of features: the first axis, 0 to k − 1.

    Attributes
    ----------
    state : array of shape (7,)
        m of the deepest open beginning (−1: none is open), the least weight asked for, beginnings and work so
        far, the parent that was taken up last, which of its children comes next, how many sets are found.
    node : array of shape (k, 5)
        Number of candidates, which of the heads is the next, W(T), numbers of heads and of near ones.
    chosen : array of shape (k,)
        The features in the order in which they came.
    degrees : array of shape (k, k)
        The weight between each of them and the others.
    candidates, sums : arrays of shape (k, n)
        The features that can still come, and the weight between each of them and T.
    heads, head_sums : arrays of shape (k, n)
        The candidates that extend T to a heavy beginning, as weakest feature of it, and their weights with T.
    near, near_sums : arrays of shape (k, n)
        The candidates that can be the next after one of these.
    values : array of shape (n,)
        What candidates add at most to a set.
    orders : array of shape (k, 2)
        For each m how often the bound on orders was asked for, and left out the beginning.
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
    heads: NDArray[np.int64]
    head_sums: NDArray[np.int64]
    near: NDArray[np.int64]
    near_sums: NDArray[np.int64]
    values: NDArray[np.int64]
    orders: NDArray[np.int64]
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
def write_highest_with_limits(stack: Stack, pairs: Pairs, m: int, top: NDArray[np.int64]) -> None:
    """Write the largest values of candidates that previous sets leave room for beside m + 1 features.

    The values of the others become `FAR`.
    """
    overlap, candidates = stack.overlap[m + 1], stack.candidates[m, : stack.node[m, COUNT]]
    for place in range(len(candidates)):
        if not has_room(pairs, overlap, candidates[place]):
            stack.values[place] = FAR
    write_highest(candidates, stack.values, pairs.part, room_of_parts(pairs, overlap, len(top)), top)


@compiled
def add(stack: Stack, pairs: Pairs, reach: NDArray[np.int64], m: int, feature: int, own: int) -> int:
    """Write the beginning of m + 1 features that one of weight `own` with T makes, and its candidates.

    Return the bound on the sets in whose chains it is, `LOW` if there are none.
    """
    missing = len(stack.chosen) - m - 1
    weights, most = pairs.weights[feature], reach[missing]
    degrees, overlap = stack.degrees[m + 1], stack.overlap[m + 1]
    for place in range(m):
        degrees[place] = stack.degrees[m, place] + weights[stack.chosen[place]]
    degrees[m] = own
    stack.chosen[m] = feature
    for number in range(len(overlap)):
        overlap[number] = stack.overlap[m, number] + pairs.previous[number, feature]
    node, before = stack.node[m + 1], stack.node[m, COUNT]
    node[WEIGHT] = stack.node[m, WEIGHT] + own
    orders, top = stack.orders[m + 1], np.empty(missing, np.int64)
    by_order, least_pair = -LOW, LOW
    t = degrees[: m + 1].argmin()
    pairs_of_t = pairs.weights[stack.chosen[t]]
    if orders[TESTS] < FIRST_TESTS or orders[LEFT_OUT] >= LEAST_LEFT_OUT * orders[TESTS]:
        by_order, least_pair = bound_on_orders(stack, m, feature, node[WEIGHT], degrees[t], pairs_of_t, top)
        orders[TESTS] += 1
        if by_order < stack.state[TARGET]:
            orders[LEFT_OUT] += 1
            return by_order
    candidates, sums = stack.candidates[m], stack.sums[m]
    stack.state[WORK] += before
    values, new_candidates, new_sums = stack.values, stack.candidates[m + 1], stack.sums[m + 1]
    for place in range(before):
        j = candidates[place]
        new_sums[place] = sums[place] + weights[j]
        values[place] = new_sums[place] + most[j]
        if pairs_of_t[j] < least_pair:
            values[place] = FAR
    top[:] = FAR
    if len(pairs.limiting) > 0:
        write_highest_with_limits(stack, pairs, m, top)
    else:
        for place in range(before):
            if values[place] > top[0]:
                insert(top, values[place])
    if top[0] == FAR:
        return LOW
    bound: int = node[WEIGHT] + top.sum()
    if bound >= stack.state[TARGET]:
        least, kept = max(FAR + 1, stack.state[TARGET] - bound + top[0]), 0
        for place in range(before):
            new_candidates[kept], new_sums[kept] = candidates[place], new_sums[place]
            kept += values[place] >= least
        node[COUNT] = kept
    return min(bound, by_order)


@compiled
def bound_on_orders(
    stack: Stack,
    m: int,
    feature: int,
    weight: int,
    degree: int,
    pairs_of_t: NDArray[np.int64],
    top: NDArray[np.int64],
) -> tuple[int, int]:
    """Return a bound on the sets in whose chains T and a feature are, from one t of them (see the package).

    Parameters
    ----------
    weight, degree
        Of T and the feature, and of t in them.
    pairs_of_t : array of shape (n,)
    top : array of shape (missing,)
        Is written.

    Returns
    -------
    bound : int
    least : int
        The least weight of a pair of t with one that such a set of the target's weight holds besides.
    """
    candidates = stack.candidates[m, : stack.node[m, COUNT]]
    stack.state[WORK] += len(candidates)
    top[:] = FAR
    for j in candidates:
        if pairs_of_t[j] > top[0] and j != feature:
            insert(top, pairs_of_t[j])
    if top[0] == FAR:
        return LOW, LOW
    before, reached = weight, weight
    for step in range(len(top)):
        before, mean = reached, 2 * reached // (m + step)
        degree += top[len(top) - 1 - step]
        reached += min(mean, degree)
    return reached, stack.state[TARGET] - before - degree + top[0]


@compiled
def has_child(
    stack: Stack,
    pairs: Pairs,
    needed: NDArray[np.int64],
    m: int,
    feature: int,
    own: int,
    features: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> bool:
    """Return whether one of some features extends T and a feature of weight `own` to a heavy beginning.

    Parameters
    ----------
    features, sums
        And their weights with T. The next one, the weakest of all, shares a pair with `feature`, so that it
        has at most its weight with T: those of more are passed over.
    """
    weights, most = pairs.weights[feature], pairs.most
    least = needed[m + 2] - stack.node[m, WEIGHT] - own
    far = least - most[feature]
    stack.state[WORK] += len(features)
    for place in range(len(features)):
        j = features[place]
        if sums[place] > own or sums[place] + most[j] < far or sums[place] + weights[j] < least:
            continue
        degree, is_next = sums[place] + weights[j], sums[place] < own or feature < j
        for earlier in range(m):
            other = stack.chosen[earlier]
            with_both = stack.degrees[m, earlier] + weights[other] + pairs.weights[j, other]
            is_next &= with_both > degree or (with_both == degree and other < j)
        if is_next:
            return True
    return False


@compiled
def open_beginning(stack: Stack, pairs: Pairs, needed: NDArray[np.int64], m: int) -> None:
    """Write the features that extend T to heavy beginnings, and those that can follow one of them."""
    node = stack.node[m]
    candidates, sums = stack.candidates[m, : node[COUNT]], stack.sums[m]
    heads, head_sums = stack.heads[m], stack.head_sums[m]
    least, n_heads, highest, farthest = needed[m + 1] - node[WEIGHT], 0, FAR, FAR
    for place in range(len(candidates)):
        if sums[place] >= least and is_weakest(stack, pairs, m, candidates[place], sums[place]):
            heads[n_heads], head_sums[n_heads] = candidates[place], sums[place]
            highest = max(highest, sums[place])
            farthest = max(farthest, sums[place] + pairs.most[candidates[place]])
            n_heads += 1
    node[HEADS], node[POSITION], node[NEAR] = n_heads, 0, 0
    stack.state[WORK] += len(candidates)
    if n_heads == 0 or m + 2 > len(stack.chosen):
        return
    least, n_near, near, near_sums = (
        needed[m + 2] - node[WEIGHT] - farthest,
        0,
        stack.near[m],
        stack.near_sums[m],
    )
    for place in range(len(candidates)):
        near[n_near], near_sums[n_near] = candidates[place], sums[place]
        n_near += sums[place] <= highest and sums[place] + pairs.most[candidates[place]] >= least
    node[NEAR] = n_near


@compiled
def take_up(
    stack: Stack,
    pairs: Pairs,
    reach: NDArray[np.int64],
    needed: NDArray[np.int64],
    parents: Beginnings,
    row: int,
    feature: int,
) -> int:
    """Write one of the beginnings to be extended; return a bound on the sets in whose chain it is."""
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
    candidates = stack.candidates[m, : node[COUNT]]
    stack.state[NODES] += 1
    if not has_child(stack, pairs, needed, m, feature, sums[feature], candidates, stack.sums[m]):
        return LOW
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
            if take_up(stack, pairs, reach, needed, parents, rows[child], features[child]) >= state[TARGET]:
                state[DEPTH] = base
                open_beginning(stack, pairs, needed, base)
            continue
        place, node = stack.node[m, POSITION], stack.node[m]
        if place == node[HEADS]:
            state[DEPTH] -= 1
            continue
        node[POSITION] += 1
        feature, own = stack.heads[m, place], stack.head_sums[m, place]
        if own + node[WEIGHT] < needed[m + 1]:
            continue
        if m + 1 == set_size:
            stack.chosen[m] = feature
            stack.sets[state[FOUND]], stack.weights[state[FOUND]] = stack.chosen, own + node[WEIGHT]
            state[FOUND] += 1
            continue
        state[NODES] += 1
        near, near_sums = stack.near[m, : node[NEAR]], stack.near_sums[m]
        if not has_child(stack, pairs, needed, m, feature, own, near, near_sums):
            continue
        if add(stack, pairs, reach, m, feature, own) >= state[TARGET]:
            state[DEPTH] = m + 1
            open_beginning(stack, pairs, needed, m + 1)


@compiled
def write_bounds(
    stack: Stack,
    pairs: Pairs,
    reach: NDArray[np.int64],
    needed: NDArray[np.int64],
    parents: Beginnings,
    rows: NDArray[np.int64],
    features: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> None:
    """Write bounds on the sets in whose chains the beginnings are."""
    for child in range(len(rows)):
        bounds[child] = take_up(stack, pairs, reach, needed, parents, rows[child], features[child])


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
            node=np.zeros((k, 5), np.int64),
            chosen=np.zeros(k, np.int64),
            degrees=np.zeros((k, k), np.int64),
            candidates=np.zeros((k, n), np.uint32),
            sums=np.zeros((k, n), np.int64),
            heads=np.zeros((k, n), np.uint32),
            head_sums=np.zeros((k, n), np.int64),
            near=np.zeros((k, n), np.uint32),
            near_sums=np.zeros((k, n), np.int64),
            values=np.zeros(n, np.int64),
            orders=np.zeros((k, 2), np.int64),
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
        self,
        parents: Beginnings,
        rows: NDArray[np.int64],
        features: NDArray[np.int64],
        needed: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return bounds on the sets in whose chains one of the parents (rows) and a feature are."""
        bounds = np.empty(len(rows), np.int64)
        self.start()
        self._stack.state[TARGET] = needed[-1]
        write_bounds.machine(self._stack, self._pairs, self._reach, needed, parents, rows, features, bounds)
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
