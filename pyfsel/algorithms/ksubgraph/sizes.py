"""Answers to problems: the best set of all sizes, a heaviest k-subgraph for each; several sets, packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.algorithms.ksubgraph.all_heavy import all_from, best_set
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.packing.families import PackingSearch
from pyfsel.algorithms.packing.pool import LARGEST_POOL, Pool, excluded_by_counting
from pyfsel.problem import values
from pyfsel.problem.dissimilarity import previous_limits
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import BackendAnswer, Status
from pyfsel.results.control import Control

STARTS_PER_SIZE = 4  # few, as there may be many sizes


def best_of_sizes(problem: Instance, control: Control) -> BackendAnswer:
    """Find one set of the largest value, of any size that the problem allows.

    The sizes nearest to the size of the start set come first. A size is passed over if a simple bound
    shows that it cannot improve on the best set known.

    Parameters
    ----------
    problem : Instance
        With a pairwise objective, of one size or "graph_score", and one set.
    control : Control
    """
    return _Sizes(problem, control).run()


class _Sizes(IncumbentSearch):
    def __init__(self, problem: Instance, control: Control) -> None:
        super().__init__(problem, control)
        self.statistics = {"nodes": 0, "sizes_searched": 0}
        self.one_size = len(problem.sizes) == 1
        if control.hint:
            self.improve(control.hint)
        base = PairInstance.of_problem(problem)
        self.instances, self.bounds = {}, {}
        bounds = [base.largest_total] if self.one_size else _simple_bounds(base, problem.sizes)
        for k, bound in zip(problem.sizes, bounds, strict=True):
            limits = previous_limits(problem, k)
            if limits is not None:
                shared = np.array(limits, dtype=np.int64)
                self.instances[k], self.bounds[k] = replace(base, k=k, limits=shared), bound

    def value_of(self, members: FeatureSet) -> int:
        return int(self.instances[len(members)].values(np.array([members]))[0])

    def run(self) -> BackendAnswer:
        if not self.one_size:
            self._tighten()
            for k in self._open_sizes():
                if not self.control.expired():
                    self._search(k, lambda: True)  # a local search, and the first bound
        for k in self._open_sizes():
            if self._is_open(k) and not self._search(k, self.control.expired):
                return self.unproved()
        return self.proved()

    def _open_sizes(self) -> list[int]:
        """Return the sizes that may hold a better set, the nearest ones to the size of the best set first."""
        middle = self.problem.k if self.best is None else len(self.best[0])
        return sorted(filter(self._is_open, self.bounds), key=lambda k: (abs(k - middle), k))

    def _is_open(self, k: int) -> bool:
        return self.wanted is None or self.bounds[k] >= self.wanted

    def _search(self, k: int, expired: Callable[[], bool]) -> bool:
        """Search the sets of one size; return whether all was searched."""
        known = self.best[0] if self.best is not None and len(self.best[0]) == k else None
        found = best_set(
            self.instances[k],
            Start(self.control.limits.random_state, known, None if self.one_size else STARTS_PER_SIZE),
            at_least=self.wanted,
            expired=expired,
            on_set=self._take,
            on_bound=self.tighten if self.one_size else lambda bound: None,
        )
        self.statistics["nodes"] += found.nodes
        self.statistics["sizes_searched"] += 1
        if found.bound is not None:
            self.bounds[k] = min(self.bounds[k], found.bound)
        elif found.finished:
            del self.bounds[k]
        self._tighten()
        return found.finished

    def _tighten(self) -> None:
        if self.bounds:
            self.tighten(max(self.bounds.values()))

    def _take(self, members: FeatureSet) -> None:
        """Take a set that has the required quality."""
        if self.wanted is None or values.value(self.problem, members) >= self.wanted:
            self.improve([members])


def _simple_bounds(instance: PairInstance, sizes: range) -> Iterator[int]:
    """Yield for each size a bound: every feature counts with half of its most helpful partners."""
    doubled = 2 * instance.linear
    gains = -instance.pairwise.astype(np.int64)
    np.fill_diagonal(gains, np.iinfo(np.int64).min)
    helpful = np.sort(gains, axis=1)[:, :0:-1]
    sums = np.concatenate([np.zeros((len(gains), 1), np.int64), np.cumsum(helpful, axis=1)], axis=1)
    for k in sizes:
        yield int(np.sort(doubled + sums[:, k - 1])[-k:].sum()) // 2


def solve_several(problem: Instance, control: Control) -> BackendAnswer:
    """Find the best compatible sets: the best single set bounds them, then they are packed."""
    if excluded_by_counting(problem):
        return BackendAnswer(Status.INFEASIBLE)
    instance = PairInstance.of_problem(problem)
    best = best_set(instance, Start(control.limits.random_state), expired=control.expired)
    bound = best.bound
    if bound is not None:
        bound = values.aggregate_values(problem, [bound] * problem.n_sets)
        control.report_bound(bound)
    if best.features is None or best.value is None:
        return BackendAnswer(Status.INFEASIBLE) if best.finished else BackendAnswer.unproved(None, bound)
    pool = Pool(
        problem,
        lambda threshold: all_from(instance, threshold, LARGEST_POOL, control),
        -instance.largest_total,
        best.value,
    )
    return PackingSearch(problem, control, pool).packed()
