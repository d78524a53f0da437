"""Branch and bound on how many of the sets hold each feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.columns.by_uses.few_sets import FewSets
from pyfsel.algorithms.columns.by_uses.master import UseMaster
from pyfsel.algorithms.columns.by_uses.prices import IMPOSSIBLE, UseBound
from pyfsel.algorithms.columns.by_uses.ranges import UseRanges
from pyfsel.algorithms.columns.by_uses.relaxation import relaxed
from pyfsel.algorithms.columns.improve import as_tuple
from pyfsel.algorithms.columns.search import ColumnsSearch
from pyfsel.algorithms.columns.sets.allowed import LOW
from pyfsel.problem import values as problem_values
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_LIST = 8_000_000
FIRST_COLUMNS = 400
MOST_SPARE = 1
FEW = 5000
CHECKS = 20_000_000
MORE_CHECKS = 4
MANY_NARROWED = 2
FRACTIONAL = 1e-4


class UseNode(NamedTuple):
    """Solutions within ranges of uses, of these sets, whose values sum up to at most the bound."""

    members: NDArray[np.int32]
    ranges: UseRanges
    bound: int


class UseSearch(ColumnsSearch):
    """Finds the best compatible sets by branching on how many of them hold each feature.

    The uses are the same whichever set is called the first, so that this tree has no symmetry; and where the
    sets may share little, nearly all of them share as much as they may, so that the uses decide which sets
    can be part of a solution at all (see `UseRanges.allow`). When few sets are left, these are searched.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        super().__init__(problem, control)
        self._nodes: list[UseNode] = []
        self._begun = False
        self._smallest = problem.aggregate == "min"
        self._pause: Callable[[], bool] = lambda: False

    def is_worth_branching(self) -> bool:
        """Return, after `relax`, whether solutions must share nearly all that they may, by the relaxation.

        Else uses hardly limit which sets can be part of a solution.
        """
        problem = self.problem
        alike = objective_of(problem).has_pairs or problem.n_sets == 1
        if alike or self.infeasible or not 0 < problem.max_overlap < problem.set_size:
            return False
        prices = self._relaxed(problem.n_sets)
        return prices.bound - self._goal_sum < (MOST_SPARE + 1) * prices.overlap

    def branch_on_uses(self, pause: Callable[[], bool] = lambda: False) -> None:
        """Search until the best solution is proved, after `relax` has found that there may be one.

        Only for several sets that may share some features, but not all.

        Parameters
        ----------
        pause : callable
            When it returns True, an `OutOfTimeError` is raised; another call goes on from there.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        self._pause = pause
        if not self._begun:
            self._nodes = [self._root()]
            self._begun = True
        while self._nodes:
            self._check_pause()
            children = self._branched(self._nodes[-1])
            self._nodes.pop()
            self._nodes.extend(children)
            bound = max((node.bound for node in self._nodes), default=self._goal_sum - 1)
            self._tighten(bound // self.problem.n_sets if self._smallest else bound)

    def _check_pause(self) -> None:
        self.control.check_time()
        if self._pause():
            raise OutOfTimeError

    @property
    def _goal_sum(self) -> int:
        """What the values of a solution of interest sum up to at least."""
        n_sets = self.problem.n_sets
        return n_sets * self._floor(1) if self._smallest else self._floor(n_sets)

    def _root(self) -> UseNode:
        problem, sets = self.problem, self.sets
        prices = self._relaxed(problem.n_sets)
        threshold = prices.heaviest - (prices.bound - self._goal_sum)
        least = self._floor(1) if self._smallest else LOW
        among = sets.heavy(prices.weight, threshold, least, LARGEST_LIST, prices.subsets)
        if len(among.members) > LARGEST_LIST:
            raise TooManySetsError
        self._check_pause()
        members = np.sort(among.members, axis=1)
        self._master = UseMaster(sets.quality, sets.set_size, problem.n_sets, problem.max_overlap)
        self._master.add_sets(np.sort(prices.columns.members[-FIRST_COLUMNS:], axis=1))
        if prices.subsets is not None:
            for subset in prices.subsets.members.tolist():
                self._master.add_subset(tuple(subset))
        ranges = UseRanges.open(problem.n_features, problem.n_sets, problem.max_overlap)
        return UseNode(members, ranges, prices.bound)

    def _branched(self, node: UseNode) -> list[UseNode]:
        """Return the nodes that the last node is split into, the last one first; none if it is done."""
        bounded = self._bounded(node)
        if bounded is None:
            return []
        node, bound = bounded
        open_features = np.flatnonzero(node.ranges.least < node.ranges.most)
        checks = CHECKS
        while len(open_features) == 0 or (len(node.members) <= FEW and checks == CHECKS):
            if self._search_few(node, bound, checks):
                return []
            self._check_pause()
            checks *= MORE_CHECKS
        return _split(node, open_features, self._master.uses, self.sets.quality)

    def _bounded(self, node: UseNode) -> tuple[UseNode, UseBound] | None:
        """Return the last node with narrower ranges and fewer sets, and its bound; None if nothing is left.

        What it has become so far is kept as the last node, so that a pause loses little.
        """
        self._master = self._master.trimmed()
        while True:
            goal, members = self._goal_sum, node.members
            if node.bound < goal or len(members) == 0:
                return None
            if self._smallest:
                members = members[
                    problem_values.values(self.problem, members.astype(np.intp)) >= self._floor(1)
                ]
            narrowed = node.ranges.narrowed(members)
            if narrowed is None:
                return None
            ranges, members = narrowed
            result = relaxed(self._master, members, ranges, goal, self._check_pause)
            if result is None:
                return None
            fewer, bound = result
            bound = _as_known(node.bound, ranges, len(fewer)) if bound is None else bound
            node = UseNode(fewer, bound.narrowed(ranges, goal), min(node.bound, bound.value))
            changes = (node.ranges.least != ranges.least).sum() + (node.ranges.most != ranges.most).sum()
            self._nodes[-1] = node
            less_spare = node.ranges.spare < ranges.spare
            if changes <= MANY_NARROWED and not less_spare and 2 * len(fewer) > len(members):
                return node, bound

    def _search_few(self, node: UseNode, bound: UseBound, most_checks: int) -> bool:
        """Take the best solution among the sets of a node; return whether there is no better one."""
        values = problem_values.values(self.problem, node.members.astype(np.intp))
        losses = bound.heaviest - bound.weights
        while True:
            enough = values >= (self._floor(1) if self._smallest else LOW)
            few = FewSets.of(node.members[enough], values[enough], losses[enough], bound.value, node.ranges)
            found, done = few.best(self._goal_sum, self._smallest, most_checks)
            if found is not None:
                self._improve([as_tuple(members) for members in found])
            if found is None or not self._smallest:
                return done


def _as_known(value: int, ranges: UseRanges, n_members: int) -> UseBound:
    """Return a bound of which nothing is known but its value."""
    gains = np.where(ranges.within(), 0, IMPOSSIBLE)
    return UseBound(value, 0, 0, gains, np.zeros(n_members, dtype=np.int64))


def _split(
    node: UseNode, features: NDArray[np.intp], uses: NDArray[np.float64], quality: NDArray[np.int64]
) -> list[UseNode]:
    """Split the range of one of the features, the most likely part last.

    It is a good feature whose uses are fractional, or else the best one, which is then fixed.
    """
    least, most = node.ranges.least, node.ranges.most
    fractional = np.abs(uses - np.round(uses))[features]
    scores = fractional * quality[features] if fractional.max() > FRACTIONAL else quality[features]
    j = int(features[np.argmax(scores)])
    if fractional.max() > FRACTIONAL:
        below = int(np.clip(np.floor(uses[j]), least[j], most[j] - 1))
        parts = [(int(least[j]), below), (below + 1, int(most[j]))]
        likely = parts[int(uses[j] - below > 0.5)]
    else:
        at = int(np.clip(round(uses[j]), least[j], most[j]))
        parts = [(int(least[j]), at - 1), (at + 1, int(most[j])), (at, at)]
        likely = (at, at)
    children = []
    for low, high in sorted(parts, key=lambda part: part == likely):
        if low <= high:
            least, most = node.ranges.least.copy(), node.ranges.most.copy()
            least[j], most[j] = low, high
            children.append(node._replace(ranges=node.ranges._replace(least=least, most=most)))
    return children
