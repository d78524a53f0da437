"""Depth-first branch and bound, resumable: it returns to Python whenever a given amount of work is done.

A node at depth d has d features chosen and a list of candidates by decreasing value. Its child p takes the
candidate at position p as the worst one of the set and keeps only the candidates before it, so that every set
is met at most once; children come by increasing p, that is by decreasing bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.bound import FORBIDDEN, tighten
from pyfsel.algorithms.ksubgraph.selection import IMPOSSIBLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, TARGET, FOUND, NODES = range(4)
BOUND, BASE, SIZE, POSITION = range(4)


class Tree(NamedTuple):
    """The open nodes, one per depth; first axis of all arrays but `state` and the results: depth, 0 to k.

    `node` holds per depth the bound, the value of the chosen features, the number of candidates and the next
    child. `split` holds per depth a square matrix of the candidates, by rows.
    """

    state: NDArray[np.int64]
    node: NDArray[np.int64]
    chosen: NDArray[np.int64]
    ids: NDArray[np.int64]
    linear: NDArray[np.int64]
    value: NDArray[np.int64]
    split: NDArray[np.int64]
    overlap: NDArray[np.int64]
    found_sets: NDArray[np.int64]
    found_values: NDArray[np.int64]


class Work(NamedTuple):
    """The node in work, and the scratch space of its bound; see `pyfsel.algorithms.ksubgraph.bound`."""

    split: NDArray[np.int64]
    linear: NDArray[np.int64]
    ids: NDArray[np.int64]
    partners: NDArray[np.int64]
    value: NDArray[np.int64]
    best: NDArray[np.int64]
    picked: NDArray[np.int8]
    log: NDArray[np.int64]
    order: NDArray[np.int64]


def new_tree(n: int, set_size: int, n_previous: int, target: int) -> Tree:
    """Return a tree without nodes, with room for n candidates (k·n² numbers, touched only where used)."""
    depths = set_size + 1
    return Tree(
        state=np.array([-1, target, 0, 0]),
        node=np.zeros((depths, 4), np.int64),
        chosen=np.zeros(depths, np.int64),
        ids=np.zeros((depths, n), np.int64),
        linear=np.zeros((depths, n), np.int64),
        value=np.zeros((depths, n), np.int64),
        split=np.empty((depths, n * n), np.int64),
        overlap=np.zeros((depths, n_previous), np.int64),
        found_sets=np.zeros((n + 4096, set_size), np.int64),
        found_values=np.zeros(n + 4096, np.int64),
    )


def new_work(n: int, set_size: int) -> Work:
    """Return room for a node of n candidates."""
    return Work(
        split=np.zeros((n, n), np.int64),
        linear=np.zeros(n, np.int64),
        ids=np.arange(n),
        partners=np.zeros((n, set_size + 1), np.int64),
        value=np.zeros(n, np.int64),
        best=np.zeros(set_size + 1, np.int64),
        picked=np.zeros(n, np.int8),
        log=np.zeros((200 * set_size * set_size, 3), np.int64),
        order=np.zeros(n, np.int64),
    )


@compiled
def place(tree: Tree, work: Work, depth: int, m: int, r: int, bound: int) -> None:
    """Store the node in work as the open node of its depth, candidates in the order of `work.order`."""
    split = tree.split[depth]
    for a in range(m):
        i = work.order[a]
        tree.ids[depth, a] = work.ids[i]
        tree.linear[depth, a] = work.linear[i]
        tree.value[depth, a] = work.value[i]
        for b in range(m):
            split[a * m + b] = work.split[i, work.order[b]]
    tree.node[depth, BOUND] = bound
    tree.node[depth, SIZE] = m
    tree.node[depth, POSITION] = r - 1
    tree.state[DEPTH] = depth


@compiled
def next_bound(tree: Tree, depth: int, r: int) -> int:
    """Return a bound on the children that a node still has, `IMPOSSIBLE` if it has none."""
    position = tree.node[depth, POSITION]
    if position >= tree.node[depth, SIZE] or tree.value[depth, position] == IMPOSSIBLE:
        return IMPOSSIBLE
    total: int = tree.node[depth, BASE] + tree.value[depth, position]
    for other in range(r - 1):
        total += tree.value[depth, other]
    bound: int = tree.node[depth, BOUND]
    return min(total, bound)


@compiled
def open_bound(tree: Tree, set_size: int) -> int:
    """Return a bound on all sets not met so far."""
    highest = IMPOSSIBLE
    for depth in range(tree.state[DEPTH] + 1):
        highest = max(highest, next_bound(tree, depth, set_size - depth))
    return highest


@compiled
def candidates_with(
    tree: Tree,
    depth: int,
    position: int,
    member: NDArray[np.bool_],
    limits: NDArray[np.int64],
    order: NDArray[np.int64],
) -> int:
    """Take the feature at `position` into the set and list the candidates left; return their number."""
    m = tree.node[depth, SIZE]
    feature = tree.ids[depth, position]
    tree.chosen[depth] = feature
    row = tree.split[depth, position * m : position * m + m]
    kept = 0
    for a in range(position):
        if row[a] != FORBIDDEN:
            order[kept] = a
            kept += 1
    for previous in range(len(member)):
        count = tree.overlap[depth, previous] + member[previous, feature]
        tree.overlap[depth + 1, previous] = count
        if count >= limits[previous]:
            still = 0
            for a in range(kept):
                if not member[previous, tree.ids[depth, order[a]]]:
                    order[still] = order[a]
                    still += 1
            kept = still
    return kept


@compiled
def record_sets(
    tree: Tree, depth: int, position: int, kept: int, order: NDArray[np.int64], unit: int
) -> None:
    """Record the sets that the candidates complete; with `unit` > 0 the target rises with each of them."""
    m = tree.node[depth, SIZE]
    split = tree.split[depth]
    base = tree.node[depth, BASE] + tree.linear[depth, position]
    for a in range(kept):
        other = order[a]
        value = base + tree.linear[depth, other]
        value -= split[position * m + other] + split[other * m + position]
        if value >= tree.state[TARGET]:
            found = tree.state[FOUND]
            for earlier in range(depth + 1):
                tree.found_sets[found, earlier] = tree.chosen[earlier]
            tree.found_sets[found, depth + 1] = tree.ids[depth, other]
            tree.found_values[found] = value
            tree.state[FOUND] += 1
            if unit > 0:
                tree.state[TARGET] = value + unit


@compiled
def load_child(tree: Tree, work: Work, depth: int, position: int, kept: int) -> None:
    """Write the candidates listed in `work.order` into `work`, with the position's feature chosen."""
    m = tree.node[depth, SIZE]
    split = tree.split[depth]
    for a in range(kept):
        i = work.order[a]
        work.ids[a] = tree.ids[depth, i]
        work.linear[a] = tree.linear[depth, i] - split[position * m + i] - split[i * m + position]
        for b in range(kept):
            work.split[a, b] = split[i * m + work.order[b]]


@compiled
def search(
    tree: Tree,
    work: Work,
    member: NDArray[np.bool_],
    limits: NDArray[np.int64],
    part: NDArray[np.int64],
    set_size: int,
    unit: int,
    largest_part: int,
    iterations: int,
    budget: int,
) -> None:
    """Go on until the tree is finished (`DEPTH` is −1), the budget spent, or the result buffer full.

    Parameters
    ----------
    member : shape (previous sets, features)
    limits : shape (previous sets,); the largest overlap with each
    part : shape (features,) or empty; see `pyfsel.algorithms.ksubgraph.bound.choose_best`
    unit : the least step between two values, to look for better sets only; 0 to record every set
    iterations : steps by which a node's bound is improved, per feature left but two
    """
    work_done = 0
    while tree.state[DEPTH] >= 0 and work_done < budget:
        depth = tree.state[DEPTH]
        r = set_size - depth
        bound = next_bound(tree, depth, r)
        if bound < tree.state[TARGET]:
            tree.state[DEPTH] -= 1
            continue
        position = tree.node[depth, POSITION]
        if tree.state[FOUND] + position > len(tree.found_sets):
            break
        tree.node[depth, POSITION] += 1
        tree.state[NODES] += 1
        kept = candidates_with(tree, depth, position, member, limits, work.order)
        work_done += kept + 1
        if kept < r - 1:
            continue
        if r == 2:
            record_sets(tree, depth, position, kept, work.order, unit)
            continue
        load_child(tree, work, depth, position, kept)
        r -= 1
        base = tree.node[depth, BASE] + tree.linear[depth, position]
        m, child_bound, _ = tighten(
            work.split,
            work.linear,
            work.ids,
            part,
            limits - tree.overlap[depth + 1],
            kept,
            r,
            base,
            tree.state[TARGET],
            1,
            iterations * (r - 2),
            1.0,
            largest_part,
            work.partners,
            work.value,
            work.best,
            work.picked,
            work.log,
            work.order,
        )
        work_done += 3 * kept * kept + iterations * r * r * (kept + r)
        if m > 0:
            tree.node[depth + 1, BASE] = base
            place(tree, work, depth + 1, m, r, min(bound, child_bound))
