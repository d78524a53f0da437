"""Exact search for the best set, and for all sets from a value on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.chains import ChainSearch
from pyfsel.algorithms.ksubgraph.forced import best_with_forced, enumerate_with_forced
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start, swap_search
from pyfsel.algorithms.ksubgraph.on_demand import OnDemandSearch
from pyfsel.algorithms.ksubgraph.run import BestSet, Enumeration
from pyfsel.algorithms.ksubgraph.wide import WideInstance
from pyfsel.algorithms.packing.pool import LARGEST_POOL
from pyfsel.problem.instance import Instance


def instance_of(problem: Instance) -> PairInstance | WideInstance:
    """Return the instance of one set of a problem, with its redundancies in memory or not."""
    if problem.lazy_redundancy is not None:
        return WideInstance.of_problem(problem)
    return PairInstance.of_problem(problem)


def best_set(
    instance: PairInstance | WideInstance,
    start: Start = Start(),  # noqa: B008 - never changes
    *,
    at_least: int | None = None,
    expired: Callable[[], bool] = lambda: False,
    on_set: Callable[[tuple[int, ...]], None] = lambda members: None,
    on_bound: Callable[[int], None] = lambda bound: None,
) -> BestSet:
    """Find a set of largest value, and prove it.

    Parameters
    ----------
    instance : PairInstance or WideInstance
    start : Start
        Of the local search that gives the first incumbent.
    at_least : int, optional
        Look only for sets of at least this value; if there is none, the bound is one less.
    expired : callable
        Asked a few times per second; the search ends when it returns True.
    on_set, on_bound : callables
        Take every better set and every better bound.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> best_set(instance_of(make_instance([5, 4, 3], redundancy, objective="mrmr", k=2))).features
    (0, 2)
    """
    if instance.forced:
        return best_with_forced(best_set, instance, start, at_least, expired, on_set, on_bound)
    local = swap_search(instance, start, expired=expired)
    lowest = -instance.largest_total
    if at_least is not None:
        lowest = max(lowest, at_least)
    best = [local] if local is not None and local[0] >= lowest else []
    for _, members in best:
        on_set(members)

    def take(sets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        best[:] = [(int(values[-1]), tuple(sets[-1].tolist()))]
        on_set(best[0][1])

    if best:
        lowest = best[0][0] + 1
    run = _search_of(instance, lowest, improve=True, expired=expired, take=take, on_bound=on_bound)
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


def _search_of(
    instance: PairInstance | WideInstance, lowest: int, **options: Any
) -> ChainSearch | OnDemandSearch:
    if isinstance(instance, PairInstance):
        return ChainSearch(instance, lowest, **options)
    return OnDemandSearch(instance, lowest, **options)


def each_block(
    instance: PairInstance | WideInstance,
    threshold: int,
    take: Callable[[NDArray[np.int64], NDArray[np.int64]], None],
    expired: Callable[[], bool] = lambda: False,
) -> bool:
    """Hand over the feasible sets of value ≥ `threshold` as they are met; return whether these are all.

    With forced features no more than `LARGEST_POOL` are met.
    """
    if instance.forced:
        found = enumerate_instance(instance, threshold, LARGEST_POOL, expired)
        take(found.sets, found.values)
        return found.complete
    threshold = max(threshold, -instance.largest_total)
    run = _search_of(instance, threshold, improve=False, expired=expired, take=take)
    return threshold > instance.largest_total or run.search()


def enumerate_instance(
    instance: PairInstance | WideInstance,
    threshold: int,
    limit: int,
    expired: Callable[[], bool] = lambda: False,
) -> Enumeration:
    """Return the feasible sets of value ≥ `threshold`, best first.

    Parameters
    ----------
    instance : PairInstance or WideInstance
    threshold : int
    limit : int
        Largest number of sets to return; with more, the enumeration is not complete, and which sets of those
        found first are returned is not defined.
    expired : callable
        Asked a few times per second; the enumeration ends, incomplete, when it returns True.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> problem = make_instance([5, 4, 3], redundancy, objective="mrmr", k=2)
    >>> found = enumerate_instance(instance_of(problem), threshold=5, limit=10)
    >>> found.sets.tolist(), found.values.tolist(), found.complete
    ([[0, 2], [1, 2]], [8, 5], True)
    """
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
    run = _search_of(instance, threshold, improve=False, expired=enough, take=take)
    finished = threshold > instance.largest_total or run.search()
    if not chunks:
        nothing = np.zeros((0, instance.set_size), np.int64)
        return Enumeration(nothing, np.zeros(0, np.int64), finished)
    sets, values = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    order = np.lexsort((*sets.T[::-1], -values))
    order = order[:limit]
    return Enumeration(sets[order], values[order], finished and count <= limit)
