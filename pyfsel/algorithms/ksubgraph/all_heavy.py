"""Exact search for the best set, and for all sets from a value on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pyfsel.algorithms.best_first import ListedBlocks
from pyfsel.algorithms.ksubgraph.chains import ChainSearch
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start, swap_search
from pyfsel.algorithms.ksubgraph.rows_on_demand import OnDemandSearch
from pyfsel.core.arrays import Ints
from pyfsel.results.control import Control, TooManySetsError


class HeavySets(NamedTuple):
    """Sets by decreasing value.

    Attributes
    ----------
    sets : array of shape (m, k)
        Ties lexicographic.
    values : array of shape (m,)
    complete : bool
        Whether these are all of at least the threshold.
    """

    sets: Ints
    values: Ints
    complete: bool


@dataclass(frozen=True)
class BestSet:
    """The best set met, and what is proved.

    Parameters
    ----------
    features : tuple of int or None
    value : int or None
    bound : int or None
        No set has a larger value; None without a set, or before the first bound.
    finished : bool
        Whether `features` is proved best, or, if it is None, that no set satisfies everything.
    nodes : int
        Number of nodes branched to.
    """

    features: tuple[int, ...] | None
    value: int | None
    bound: int | None
    finished: bool
    nodes: int


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
    reduced = instance.reduced()
    below = None if at_least is None else at_least - 1
    if reduced is None:
        return BestSet(None, None, below, finished=True, nodes=0)
    best = swap_search(reduced, start, expired=expired)
    if best is not None and at_least is not None and best[0] < at_least:
        best = None
    if best is not None:
        on_set(best[1])

    def take(sets: Ints, values: Ints) -> None:
        nonlocal best
        best = int(values[-1]), tuple(sets[-1].tolist())
        on_set(best[1])

    lowest = at_least if best is None else best[0] + 1
    run = _search_of(reduced, lowest, improve=True, expired=expired, take=take, on_bound=on_bound)
    finished = run.search()
    value, features = best or (None, None)
    proved = below if value is None else value
    return BestSet(features, value, proved if finished else run.bound, finished, run.nodes)


def _search_of(reduced: PairInstance, lowest: int | None, **options: Any) -> ChainSearch | OnDemandSearch:
    """Return the search of all sets from a value on, but at least from the least possible one."""
    least = reduced.offset - reduced.largest_total
    kind = OnDemandSearch if reduced.is_wide else ChainSearch
    return kind(reduced, least if lowest is None else max(lowest, least), **options)


def each_block(
    instance: PairInstance,
    threshold: int,
    take: Callable[[Ints, Ints], None],
    expired: Callable[[], bool],
) -> bool:
    """Hand over the feasible sets of value ≥ `threshold` as they are met; return whether these are all."""
    reduced = instance.reduced()
    if reduced is None or threshold > reduced.offset + reduced.largest_total:
        return True
    return _search_of(reduced, threshold, improve=False, expired=expired, take=take).search()


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
