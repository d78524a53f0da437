"""Greedy Wrapper: hill climbing on a black-box quality, candidates repaired by a solver (000, Alg. 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.selectors.wrapper.repair import SwapRepair

Score = Callable[[Sequence[FeatureSet]], Sequence[float]]
Value = Callable[[Sequence[float]], Any]
VALUES: dict[str, Value] = {
    "sequential": sum,
    "sum": sum,
    "min": min,
    "min_then_sum": lambda scores: (min(scores), sum(scores)),
}
"""What is maximised of the qualities of all sets, by search."""


@dataclass
class Climb:
    """Where a hill climb is: its best sets and the next swap to try.

    Parameters
    ----------
    sets : tuple of feature sets
        The best ones so far; empty before the first solver call.
    scores : tuple of float
        Quality of each set.
    first, second : int
        The features of the next swap, 0-based (j₁ and j₂ of Algorithm 1, less one).
    n_solver_calls : int
        Iterations: the first call, and one per swap that was tried.
    status : Status
        NOT_SOLVED before there are sets, then FEASIBLE; INFEASIBLE if there are none.
    is_local_optimum : bool
        Whether no swap improves the sets.
    improvements : list of (int, value)
        Number of solver calls and value at each improvement.
    """

    sets: tuple[FeatureSet, ...] = ()
    scores: tuple[float, ...] = ()
    first: int = 0
    second: int = 1
    n_solver_calls: int = 0
    status: Status = Status.NOT_SOLVED
    is_local_optimum: bool = False
    improvements: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        """Whether no swap improves the sets, or there are none."""
        return self.is_local_optimum or self.status is Status.INFEASIBLE


class GreedyWrapper(Iterator[Climb]):
    """Hill climbing over valid sets, one swap per iteration (paper 000, Algorithm 1).

    Each iteration swaps two features, in all sets at once, requests the nearest valid sets from the solver,
    and takes these if their quality is better, which starts the swaps again. It ends when no swap improves
    the sets.

    Parameters
    ----------
    problem : Instance
        What makes sets valid; its own qualities are not used.
    score : callable
        Takes feature sets and returns the quality of each, larger is better.
    value : callable
        Of the qualities of all sets: what is maximised.
    random_state : int
        Seed of the solver.
    limits : Limits, optional
        The solver stops at its deadline.

    Examples
    --------
    >>> problem = Instance(quality=[0] * 4, n_sets=1, k=2, max_shared=1, previous=[(2, 3)])
    >>> wrapper = GreedyWrapper(problem, score=lambda sets: [float(sum(s)) for s in sets])
    >>> [climb.scores for climb in wrapper][-1], wrapper.climb.sets
    ((4.0,), ((1, 3),))
    """

    def __init__(
        self,
        problem: Instance,
        score: Score,
        value: Value = sum,
        random_state: int = 0,
        limits: Limits | None = None,
    ) -> None:
        self.problem = problem
        self.score = score
        self.value = value
        self.climb = Climb()
        self.limits = limits or Limits()
        self._repair = SwapRepair(problem, random_state)

    def __next__(self) -> Climb:
        """Do one iteration; stop at a local optimum, if no sets exist, or when the time is up."""
        climb = self.climb
        if climb.has_ended or self.limits.remaining() == 0:
            raise StopIteration
        if not climb.sets:
            return self._begin()
        status, found = self._repair.nearest(climb.sets, (climb.first, climb.second), self.limits.remaining())
        if status in (Status.NOT_SOLVED, Status.FEASIBLE):
            raise StopIteration
        scores = tuple(self.score(found)) if found else ()
        climb.n_solver_calls += 1
        if found and self.value(scores) > self.value(climb.scores):
            self._take(found, scores)
        else:
            self._advance()
        return climb

    def _begin(self) -> Climb:
        status, found = self._repair.any_sets(self.limits.remaining())
        if status is Status.NOT_SOLVED:
            raise StopIteration
        scores = tuple(self.score(found)) if found else ()
        self.climb.n_solver_calls += 1
        if found:
            self.climb.status = Status.FEASIBLE
            self._take(found, scores)
        else:
            self.climb.status = Status.INFEASIBLE
        return self.climb

    def _take(self, sets: tuple[FeatureSet, ...], scores: tuple[float, ...]) -> None:
        climb = self.climb
        climb.sets, climb.scores = sets, scores
        climb.first, climb.second = 0, 1
        climb.improvements.append((climb.n_solver_calls, self.value(scores)))
        climb.is_local_optimum = self.problem.n_features < 2

    def _advance(self) -> None:
        climb, last = self.climb, self.problem.n_features - 1
        climb.second += 1
        if climb.second > last:
            climb.first += 1
            climb.second = climb.first + 1
        climb.is_local_optimum = climb.first == last


@dataclass
class WrapperSearch:
    """One climb for all sets at once, or in sequential search one climb after the other.

    Each climb of a sequential search gets an equal share of the time and the trained models that are left.

    Parameters
    ----------
    problem : Instance
    score : callable
        As for `GreedyWrapper`; its `n_models` is the number of models that it has trained.
    search : {"sequential", "sum", "min", "min_then_sum"}
    random_state : int
    max_fits : int, optional
        The maximum number of trained models, of all climbs; the first sets of each climb are always scored.
    climbs : list of Climb
    """

    problem: Instance
    score: Score
    search: str = "sequential"
    random_state: int = 0
    max_fits: int | None = None
    climbs: list[Climb] = field(default_factory=list)

    @property
    def n_climbs(self) -> int:
        """Number of climbs of a complete search."""
        return self.problem.n_sets if self.search == "sequential" else 1

    @property
    def sets(self) -> tuple[FeatureSet, ...]:
        """The best sets so far: as found in sequential search, else by decreasing score."""
        return tuple(s for _, s in self._scored())

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each set."""
        return tuple(score for score, _ in self._scored())

    @property
    def status(self) -> Status:
        """What is known: at best FEASIBLE; FEWER and INFEASIBLE are proved by the solver of the swaps."""
        if not self.climbs or len(self.climbs) == 1:
            return self.climbs[0].status if self.climbs else Status.NOT_SOLVED
        return Status.FEWER if self.climbs[-1].status is Status.INFEASIBLE else Status.FEASIBLE

    def run(
        self, time_limit: float | None = None, on_iteration: Callable[[], None] = lambda: None
    ) -> StopReason:
        """Climb until no swap improves the sets, a limit is reached, or the user interrupts.

        Parameters
        ----------
        time_limit : float, optional
            Seconds; an iteration that has begun to score is finished.
        on_iteration : callable
            Called after each iteration.
        """
        limits, reason = Limits.starting_now(time_limit), StopReason.FINISHED
        try:
            while len(self.climbs) < self.n_climbs:
                ended = self._climb(limits, on_iteration)
                reason = reason if ended is StopReason.FINISHED else ended
                if not self.climbs[-1].sets:
                    break
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED
        return reason

    def _climb(self, limits: Limits, on_iteration: Callable[[], None]) -> StopReason:
        """Climb once, and return why that ended."""
        n_left = self.n_climbs - len(self.climbs)
        problem = self.problem
        if self.search == "sequential":
            problem = problem.after(s for climb in self.climbs for s in climb.sets)
        time_left = limits.remaining()
        own = limits.within(None if time_left is None else time_left / n_left)
        wrapper = GreedyWrapper(problem, self.score, VALUES[self.search], self.random_state, own)
        self.climbs.append(wrapper.climb)
        most = None if self.max_fits is None else self.n_fits + (self.max_fits - self.n_fits) / n_left
        for _ in wrapper:
            on_iteration()
            if wrapper.climb.has_ended:
                return StopReason.FINISHED
            if most is not None and self.n_fits >= most:
                return StopReason.EVALUATION_LIMIT
        return StopReason.FINISHED if wrapper.climb.has_ended else StopReason.TIME_LIMIT

    @property
    def n_fits(self) -> int:
        """Number of models trained so far."""
        return int(getattr(self.score, "n_models", 0))

    def _scored(self) -> list[tuple[float, FeatureSet]]:
        pairs = [pair for climb in self.climbs for pair in zip(climb.scores, climb.sets, strict=True)]
        return pairs if self.search == "sequential" else sorted(pairs, key=lambda p: (-p[0], p[1]))
