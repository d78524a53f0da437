"""Exact search for the best set, and for all sets from a value on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyfsel.algorithms.best_first import ListedBlocks
from pyfsel.algorithms.ksubgraph.chain_state import BestSet, HeavySets
from pyfsel.algorithms.ksubgraph.chains import ChainSearch
from pyfsel.algorithms.ksubgraph.forced import Rest
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start, swap_search
from pyfsel.algorithms.ksubgraph.rows_on_demand import OnDemandSearch
from pyfsel.core.arrays import Ints
from pyfsel.results.control import Control, TooManySetsError


def best_set(
    instance: PairInstance,
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
    instance : PairInstance
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
    >>> import numpy as np
    >>> from pyfsel.problem.make import make_instance
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> problem = make_instance([5, 4, 3], redundancy, objective="mrmr", k=2)
    >>> best_set(PairInstance.of_problem(problem)).features
    (0, 2)
    """
    rest = Rest.of(instance)
    if rest is None:
        return BestSet(None, None, _plus(at_least, -1), finished=True, nodes=0)
    offset = rest.value
    local = swap_search(rest.instance, rest.start_of(start), expired=expired)
    lowest = -rest.instance.largest_total
    if at_least is not None:
        lowest = max(lowest, at_least - offset)
    best = [local] if local is not None and local[0] >= lowest else []
    for _, members in best:
        on_set(rest.whole_set(members))

    def take(sets: Ints, values: Ints) -> None:
        best[:] = [(int(values[-1]), tuple(sets[-1].tolist()))]
        on_set(rest.whole_set(best[0][1]))

    if best:
        lowest = best[0][0] + 1
    run = _search_of(
        rest.instance,
        lowest,
        improve=True,
        expired=expired,
        take=take,
        on_bound=lambda bound: on_bound(bound + offset),
    )
    finished = run.search()
    value = best[0][0] + offset if best else None
    proved = value if best or at_least is None else at_least - 1
    return BestSet(
        features=rest.whole_set(best[0][1]) if best else None,
        value=value,
        bound=proved if finished else _plus(run.bound, offset),
        finished=finished,
        nodes=run.nodes,
    )


def _plus(number: int | None, other: int) -> int | None:
    return None if number is None else number + other


def _search_of(instance: PairInstance, lowest: int, **options: Any) -> ChainSearch | OnDemandSearch:
    return (OnDemandSearch if instance.is_wide else ChainSearch)(instance, lowest, **options)


def each_block(
    instance: PairInstance,
    threshold: int,
    take: Callable[[Ints, Ints], None],
    expired: Callable[[], bool] = lambda: False,
) -> bool:
    """Hand over the feasible sets of value ≥ `threshold` as they are met; return whether these are all."""
    rest = Rest.of(instance)
    if rest is None:
        return True
    whole, offset = rest.whole, rest.value
    lowest = max(threshold - offset, -rest.instance.largest_total)

    def take_whole(sets: Ints, values: Ints) -> None:
        take(whole(sets), values + offset)

    run = _search_of(rest.instance, lowest, improve=False, expired=expired, take=take_whole)
    return lowest > rest.instance.largest_total or run.search()


def enumerate_instance(
    instance: PairInstance,
    threshold: int,
    limit: int,
    expired: Callable[[], bool] = lambda: False,
) -> HeavySets:
    """Return the feasible sets of value ≥ `threshold`, best first.

    Parameters
    ----------
    instance : PairInstance
    threshold : int
    limit : int
        Largest number of sets to return; with more, the enumeration is not complete, and which sets of those
        found first are returned is not defined.
    expired : callable
        Asked a few times per second; the enumeration ends, incomplete, when it returns True.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsel.problem.make import make_instance
    >>> redundancy = np.array([[0, 4, 0], [4, 0, 1], [0, 1, 0]])
    >>> problem = make_instance([5, 4, 3], redundancy, objective="mrmr", k=2)
    >>> found = enumerate_instance(PairInstance.of_problem(problem), threshold=5, limit=10)
    >>> found.sets.tolist(), found.values.tolist(), found.complete
    ([[0, 2], [1, 2]], [8, 5], True)
    """
    listing = ListedBlocks(instance.k)
    finished = each_block(instance, threshold, listing.take, lambda: listing.count > limit or expired())
    sets, values = listing.best_first()
    return HeavySets(sets[:limit], values[:limit], finished and listing.count <= limit)


def all_from(instance: PairInstance, threshold: int, limit: int, control: Control) -> tuple[Ints, Ints]:
    """Return all feasible sets of value ≥ `threshold`, best first, and their values.

    Raises
    ------
    OutOfTimeError, TooManySetsError
    """
    found = enumerate_instance(instance, threshold, limit, control.expired)
    if not found.complete:
        control.check_time()
        raise TooManySetsError
    return found.sets, found.values
