"""Best-first branch and bound for the set of lowest score."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from pyfsel.algorithms.graph_score.bound import Relaxation
from pyfsel.algorithms.graph_score.gray_code import lowest_by_flips
from pyfsel.algorithms.graph_score.instance import Instance
from pyfsel.algorithms.graph_score.local_search import descend, multistart

STARTS = 200
ROUNDINGS = 3  # of the relaxation at each node, each improved by a descent
ROOT_ITERATIONS = 150  # its multipliers are where those of all nodes begin
NODE_ITERATIONS = 40
LARGEST_ENUMERATION = 14  # free features: 16,384 sets take less than one bound


class SearchResult(NamedTuple):
    """The best set met, and what is proved.

    Parameters
    ----------
    features : tuple of int
    score : int
    bound : int
        No set has a lower score.
    root_bound : int
        The bound before branching.
    nodes : int
    """

    features: tuple[int, ...]
    score: int
    bound: int
    root_bound: int
    nodes: int

    @property
    def finished(self) -> bool:
        """Whether the set is proved to be optimal."""
        return self.bound == self.score


@dataclass(order=True)
class _Node:
    """An open part of the search: its bound, a number that settles ties, and where to start from."""

    bound: float
    number: int
    instance: Instance = field(compare=False)
    relaxation: Relaxation = field(compare=False)


class Search:
    """The search for the set of lowest score of an instance with all features free.

    Parameters
    ----------
    instance : Instance
    random_state : int
        Seed of the start sets, of the relaxation and of its rounding.
    first : tuple of int, optional
        A set to start from.
    expired : callable
        Asked in every step of a bound; the search ends when it returns True.
    on_set, on_bound : callables
        Take every better set, and every better lower bound on the score.

    Examples
    --------
    >>> pairwise = np.array([[0, 5, 2], [5, 0, -1], [2, -1, 0]])
    >>> result = Search(Instance.of(np.array([-3, -2, -2]), pairwise)).run()
    >>> result.features, result.score, result.finished
    ((1, 2), -5, True)
    """

    def __init__(
        self,
        instance: Instance,
        *,
        random_state: int = 0,
        first: tuple[int, ...] | None = None,
        expired: Callable[[], bool] = lambda: False,
        on_set: Callable[[tuple[int, ...]], None] = lambda features: None,
        on_bound: Callable[[int], None] = lambda bound: None,
    ) -> None:
        self.instance = instance
        self.expired = expired
        self.on_set = on_set
        self.on_bound = on_bound
        self.rng = np.random.default_rng(random_state)
        self.bound: int = -(2**62)
        self.nodes = 0
        self.open: list[_Node] = []
        self.score, self.features = multistart(instance, STARTS, random_state, first=first, expired=expired)
        on_set(self.features)

    def run(self) -> SearchResult:
        """Search until the best set is proved, or the time is up."""
        for part in self._parts():
            self._evaluate(part, None)
        self._report()
        root = self.bound
        while self.open and not self.expired():
            node = heapq.heappop(self.open)
            if not self._prunes(node.bound):
                self._branch(node)
            self._report()
        return SearchResult(self.features, self.score, self.bound, root, self.nodes)

    def _parts(self) -> Iterator[Instance]:
        """Yield instances that together hold every set that may be better than the best one known.

        The relaxation allows the empty set, of score 0. That does no harm as long as a better one is known;
        otherwise the sets are parted by their first feature, so that no part holds the empty set.
        """
        if self.score < 0:
            yield self.instance
            return
        for i in range(len(self.instance.free)):
            yield self.instance.decide([i], range(i))

    def _prunes(self, bound: float) -> bool:
        """Return whether no integer score below the best one is possible."""
        return bound > self.score - 1

    def _branch(self, node: _Node) -> None:
        """Decide the feature that the relaxation leaves most open, both ways."""
        feature = int(np.abs(node.relaxation.undecided).argmin())
        self._evaluate(node.instance.decide([feature], []), node)
        self._evaluate(node.instance.decide([], [feature]), node)

    def _evaluate(self, instance: Instance, parent: _Node | None) -> None:
        """Enumerate a small instance; bound a larger one and keep it open if need be."""
        instance = instance.simplify()
        self.nodes += 1
        if len(instance.free) <= LARGEST_ENUMERATION:
            self._offer(*lowest_by_flips(instance, allow_empty=True))
            return
        if parent is None:
            relaxation = Relaxation.of(instance, self.rng)
        else:
            relaxation = parent.relaxation.shrink(instance, parent.instance)
        iterations = ROOT_ITERATIONS if parent is None else NODE_ITERATIONS
        relaxation.tighten(self.score - 1, iterations, self.expired)
        self._round(instance, relaxation)
        if not self._prunes(relaxation.bound):
            heapq.heappush(self.open, _Node(relaxation.bound, self.nodes, instance, relaxation))

    def _round(self, instance: Instance, relaxation: Relaxation) -> None:
        for _ in range(ROUNDINGS):
            chosen = relaxation.round(self.rng)
            score = descend(instance.linear, instance.pairwise, chosen, 0)
            self._offer(score + instance.constant, instance.features_of(chosen))

    def _offer(self, score: int, features: tuple[int, ...]) -> None:
        if features and score < self.score:
            self.score, self.features = int(score), features
            self.on_set(features)

    def _report(self) -> None:
        """Report the bound on all sets: that of the open parts, or the best score."""
        lowest = min((node.bound for node in self.open), default=inf)
        bound = self.score if self._prunes(lowest) else ceil(lowest)
        if bound > self.bound:
            self.bound = bound
            self.on_bound(bound)
