"""Exact search for the best set, and for all sets from a value on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.ksubgraph.bound import FORBIDDEN, tighten
from pyfsel.algorithms.ksubgraph.branch import (
    DEPTH,
    FOUND,
    NODES,
    TARGET,
    Work,
    new_tree,
    new_work,
    open_bound,
    place,
)
from pyfsel.algorithms.ksubgraph.branch import search as search_tree
from pyfsel.algorithms.ksubgraph.forced import best_with_forced, enumerate_with_forced
from pyfsel.algorithms.ksubgraph.found import BestSet, Enumeration
from pyfsel.algorithms.ksubgraph.instance import Instance
from pyfsel.algorithms.ksubgraph.local_search import swap_search

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT_ROUNDS = 40
ROOT_ITERATIONS = 100
NODE_ITERATIONS = 2
WORK_PER_CALL = 20_000_000


def _never() -> bool:
    return False


def _ignore(_: object) -> None:
    return None


def best_set(
    instance: Instance,
    *,
    random_state: int = 0,
    first: Iterable[int] | None = None,
    at_least: int | None = None,
    starts: int | None = None,
    expired: Callable[[], bool] = _never,
    on_set: Callable[[tuple[int, ...]], None] = _ignore,
    on_bound: Callable[[int], None] = _ignore,
) -> BestSet:
    """Find a set of largest value, and prove it.

    Parameters
    ----------
    instance : Instance
    random_state : int
        Seed of the local search that gives the first incumbent.
    first : iterable of int, optional
        A feasible set to start from.
    at_least : int, optional
        Look only for sets that have this value; without one, the bound is one less.
    starts : int, optional
        Number of random starts of the local search; see `swap_search`.
    expired : callable
        Asked a few times per second; the search ends when it returns True.
    on_set, on_bound : callables
        Take every better set and every better bound.

    Examples
    --------
    >>> quality = np.array([5, 4, 3])
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> best_set(Instance.of_mrmr(quality, redundancy, 2)).features
    (0, 2)
    """
    if instance.forced:
        return best_with_forced(
            best_set,
            instance,
            first,
            at_least,
            on_set,
            on_bound,
            random_state=random_state,
            starts=starts,
            expired=expired,
        )
    start = swap_search(instance, random_state, starts=starts, first=first, expired=expired)
    lowest = -instance.largest_total
    if at_least is not None:
        lowest = max(lowest, at_least)
    best = [start] if start is not None and start[0] >= lowest else []
    for _, members in best:
        on_set(members)

    def take(sets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        best[:] = [(int(values[-1]), tuple(sets[-1].tolist()))]
        on_set(best[0][1])

    if best:
        lowest = best[0][0] + 1
    run = _TreeSearch(instance, lowest, improve=True, expired=expired, take=take, on_bound=on_bound)
    finished = run.search()
    value, features = best[0] if best else (None, None)
    proved = value if best or at_least is None else at_least - 1
    return BestSet(
        features=features,
        value=value,
        bound=proved if finished else run.bound,
        finished=finished,
        root_bound=value if run.root_bound is None else run.root_bound,
        nodes=run.nodes,
    )


def enumerate_instance(
    instance: Instance, threshold: int, limit: int, expired: Callable[[], bool] = _never
) -> Enumeration:
    """Return the feasible sets of value ≥ `threshold`; see `enumerate_sets`."""
    if instance.forced:
        return enumerate_with_forced(enumerate_instance, instance, threshold, limit, expired)
    chunks: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    count = 0

    def take(sets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        nonlocal count
        chunks.append((sets.copy(), values.copy()))
        count += len(sets)

    def enough() -> bool:
        return count > limit or expired()

    threshold = max(threshold, -instance.largest_total)
    run = _TreeSearch(instance, threshold, improve=False, expired=enough, take=take, on_bound=_ignore)
    finished = threshold > instance.largest_total or run.search()
    if not chunks:
        return Enumeration(np.zeros((0, instance.set_size), np.int64), np.zeros(0, np.int64), finished)
    sets, values = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    order = np.lexsort((*sets.T[::-1], -values))[:limit]
    return Enumeration(sets[order], values[order], finished and count <= limit)


def enumerate_sets(
    quality: NDArray[np.int64],
    redundancy: NDArray[np.int64],
    set_size: int,
    threshold: int,
    limit: int,
    *,
    conflicts: Iterable[tuple[int, int]] = (),
    previous_sets: Sequence[Iterable[int]] = (),
    max_overlap: int | None = None,
    expired: Callable[[], bool] = _never,
) -> Enumeration:
    """Return every set whose integer mRMR value (`pyfsel.problem.objectives`) is at least `threshold`.

    Parameters
    ----------
    quality : array of int, shape (n_features,)
    redundancy : array of int, shape (n_features, n_features)
        Symmetric, zero diagonal.
    set_size : int
    threshold : int
    limit : int
        Largest number of sets to return; with more, the enumeration is not complete, and which sets of those
        found first are returned is not defined.
    conflicts : pairs of int
        Features that no set may contain together.
    previous_sets : sequence of iterables of int
        A set may share at most `max_overlap` features with each.
    max_overlap : int, optional
    expired : callable
        Asked a few times per second; the enumeration ends, incomplete, when it returns True.

    Returns
    -------
    Enumeration
        `sets`, `values` and `complete`.

    Examples
    --------
    >>> quality = np.array([5, 4, 3])
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> found = enumerate_sets(quality, redundancy, set_size=2, threshold=5, limit=10)
    >>> found.sets.tolist(), found.values.tolist(), found.complete
    ([[0, 2], [1, 2]], [8, 5], True)
    """
    instance = Instance.of_mrmr(
        quality,
        redundancy,
        set_size,
        conflicts=conflicts,
        previous_sets=previous_sets,
        max_overlap=max_overlap,
    )
    return enumerate_instance(instance, threshold, limit, expired)


@dataclass
class _TreeSearch:
    """One run over all sets of value ≥ `lowest`, which rises with every set found if `improve`."""

    instance: Instance
    lowest: int
    improve: bool
    expired: Callable[[], bool]
    take: Callable[[NDArray[np.int64], NDArray[np.int64]], None]
    on_bound: Callable[[int], None]
    bound: int | None = None
    root_bound: int | None = None
    nodes: int = 0

    def search(self) -> bool:
        """Return whether everything was searched."""
        kept = np.flatnonzero(self.instance.allowed)
        if len(kept) < self.instance.set_size:
            return True
        if self.instance.set_size == 1:
            self._take_single_features(kept)
            return True
        work = self._root(kept)
        features, bound = self._tighten_root(work)
        if features == 0:
            return True
        return self._branch(work, features, bound)

    def _take_single_features(self, kept: NDArray[np.intp]) -> None:
        values = self.instance.linear[kept]
        order = np.argsort(values, kind="stable")[-1 if self.improve else 0 :]
        order = order[values[order] >= self.lowest]
        if len(order):
            self.take(kept[order, None], values[order])

    def _root(self, kept: NDArray[np.intp]) -> Work:
        work = new_work(len(kept), self.instance.set_size)
        pairwise = self.instance.pairwise[np.ix_(kept, kept)] * self.instance.unit
        half = pairwise // 2
        work.split[:] = np.where(np.tri(len(kept), dtype=np.bool_), half, pairwise - half)
        work.split[self.instance.conflicts[np.ix_(kept, kept)]] = FORBIDDEN
        np.fill_diagonal(work.split, FORBIDDEN)
        work.linear[:] = self.instance.linear[kept] * self.instance.unit
        work.ids[:] = kept
        return work

    def _tighten_root(self, work: Work) -> tuple[int, int]:
        """Return the number of features left, 0 if no set reaches `lowest`, and the bound × unit."""
        instance, k, unit = self.instance, self.instance.set_size, self.instance.unit
        m, step = len(work.linear), 1.0
        bounds = []
        for _ in range(ROOT_ROUNDS):
            m, bound, step = tighten(
                work.split, work.linear, work.ids, instance.parts, instance.limits, m, k, 0,
                self.lowest * unit, 1, ROOT_ITERATIONS, step, largest_part(k), work.partners, work.value,
                work.best, work.picked, work.log, work.order,
            )  # fmt: skip
            bounds.append(int(bound))
            if m == 0:
                break
            self._report(min(bounds))
            if self.expired():
                break
        self.root_bound = self.bound if m else self.lowest - 1
        return m, min(bounds)

    def _branch(self, work: Work, features: int, bound: int) -> bool:
        instance, k, unit = self.instance, self.instance.set_size, self.instance.unit
        tree = new_tree(features, k, len(instance.previous), self.lowest * unit)
        place(tree, work, 0, features, k, bound)
        while tree.state[DEPTH] >= 0 and not self.expired():
            search_tree(
                tree, work, instance.previous, instance.limits, instance.parts, k,
                unit if self.improve else 0, largest_part(k), NODE_ITERATIONS, WORK_PER_CALL,
            )  # fmt: skip
            found = int(tree.state[FOUND])
            if found:
                tree.state[FOUND] = 0
                self.take(np.sort(tree.found_sets[:found], axis=1), tree.found_values[:found] // unit)
            self.nodes = int(tree.state[NODES])
            self.lowest = int(tree.state[TARGET]) // unit
            if tree.state[DEPTH] >= 0:
                self._report(int(open_bound(tree, k)))
        return bool(tree.state[DEPTH] < 0)

    def _report(self, open_sets: int) -> None:
        """Report a bound on all sets; those that are not open are known to be below `lowest`."""
        bound = max(open_sets // self.instance.unit, self.lowest - 1)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.on_bound(bound)


def largest_part(set_size: int) -> int:
    """Return the largest absolute value of a part of a split, so that no sum leaves 64 bits."""
    return 2**58 // set_size**2
