"""Greedy Wrapper: hill climbing on a black-box quality, candidates repaired by a solver (000, Alg. 1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import aggregate_values
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.selectors.wrapper.repair import SwapRepair

Score = Callable[[Sequence[FeatureSet]], Sequence[float]]


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
    improvements : list of (int, float)
        Number of solver calls and quality at each improvement.
    """

    sets: tuple[FeatureSet, ...] = ()
    scores: tuple[float, ...] = ()
    first: int = 0
    second: int = 1
    n_solver_calls: int = 0
    status: Status = Status.NOT_SOLVED
    is_local_optimum: bool = False
    improvements: list[tuple[int, float]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return vars(self) | {"status": str(self.status)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Climb:
        """Build one from what `to_dict` returns, also after a way through JSON."""
        climb = cls(**data)
        climb.sets = tuple(tuple(members) for members in data["sets"])
        climb.scores = tuple(data["scores"])
        climb.status = Status(data["status"])
        climb.improvements = [(calls, quality) for calls, quality in data["improvements"]]
        return climb


class GreedyWrapper(Iterator[Climb]):
    """Hill climbing over valid sets, one swap per iteration (paper 000, Algorithm 1).

    Each iteration swaps two features, in all sets at once, asks the solver for the nearest valid sets, and
    takes these if their quality is better, which starts the swaps again. It ends when no swap improves the
    sets. It can be left after any iteration and continued from `climb`.

    Parameters
    ----------
    problem : Instance
        What makes sets valid, and how their qualities are aggregated; its own qualities are not used.
    score : callable
        Takes feature sets and returns the quality of each, larger is better.
    climb : Climb, optional
        Where to continue.
    start : sequence of feature sets, optional
        Valid sets to begin with, instead of some that the solver finds.
    random_state : int
        Seed of the solver.
    limits : Limits, optional
        The solver stops at its deadline.

    Examples
    --------
    >>> problem = Instance(quality=[0] * 4, n_sets=1, set_size=2, max_overlap=1, previous_sets=[(2, 3)])
    >>> wrapper = GreedyWrapper(problem, score=lambda sets: [float(sum(s)) for s in sets])
    >>> [climb.scores for climb in wrapper][-1], wrapper.climb.sets
    ((4.0,), ((1, 3),))
    """

    def __init__(
        self,
        problem: Instance,
        score: Score,
        *,
        climb: Climb | None = None,
        start: Sequence[FeatureSet] | None = None,
        random_state: int = 0,
        limits: Limits | None = None,
    ) -> None:
        self.problem = problem
        self.score = score
        self.climb = climb or Climb()
        self.start = None if start is None else tuple(tuple(sorted(s)) for s in start)
        self.limits = limits or Limits()
        self._repair = SwapRepair(problem, random_state)

    def __next__(self) -> Climb:
        """Do one iteration; stop at a local optimum, if no sets exist, or when the time is up."""
        climb = self.climb
        ended = climb.is_local_optimum or climb.status is Status.INFEASIBLE
        if ended or self.limits.remaining() == 0:
            raise StopIteration
        if not climb.sets:
            return self._begin()
        status, found = self._repair.nearest(climb.sets, (climb.first, climb.second), self.limits.remaining())
        if status in (Status.NOT_SOLVED, Status.FEASIBLE):
            raise StopIteration
        scores = tuple(self.score(found)) if found else ()
        climb.n_solver_calls += 1
        if found and self._aggregate(scores) > self._aggregate(climb.scores):
            self._take(found, scores)
        else:
            self._advance()
        return climb

    def _begin(self) -> Climb:
        status, found = (
            self._repair.any_sets(self.limits.remaining())
            if self.start is None
            else (Status.FEASIBLE, self.start)
        )
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
        climb.improvements.append((climb.n_solver_calls, self._aggregate(scores)))
        climb.is_local_optimum = self.problem.n_features < 2

    def _advance(self) -> None:
        climb, last = self.climb, self.problem.n_features - 1
        climb.second += 1
        if climb.second > last:
            climb.first += 1
            climb.second = climb.first + 1
        climb.is_local_optimum = climb.first == last

    def _aggregate(self, scores: Sequence[float]) -> float:
        return aggregate_values(self.problem, scores)


@dataclass
class WrapperSearch:
    """One climb for all sets at once, or in sequential search one climb after the other.

    Parameters
    ----------
    problem : Instance
    score : callable
        As for `GreedyWrapper`.
    search : {"sequential", "simultaneous"}
    max_iters : int
        Most solver calls per climb.
    random_state : int
    start : sequence of feature sets, optional
        Valid sets to begin with; in sequential search the first of them is where the first climb begins.
    climbs : list of Climb
        What was done so far; continue by giving it.

    Raises
    ------
    InputError
        If an argument is not allowed.
    """

    problem: Instance
    score: Score
    search: str = "sequential"
    max_iters: int = 1000
    random_state: int = 0
    start: Sequence[FeatureSet] | None = None
    climbs: list[Climb] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.search not in ("sequential", "simultaneous"):
            raise InputError(f"search={self.search!r}: must be one of sequential, simultaneous")
        if isinstance(self.max_iters, bool) or not isinstance(self.max_iters, int) or self.max_iters < 1:
            raise InputError(f"max_iters={self.max_iters!r}: must be an integer of at least 1")

    @property
    def n_climbs(self) -> int:
        """Number of climbs that a complete search takes."""
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
    def n_solver_calls(self) -> int:
        """Number of solver calls of all climbs."""
        return sum(climb.n_solver_calls for climb in self.climbs)

    @property
    def status(self) -> Status:
        """FEASIBLE with sets; INFEASIBLE if it is proved that there are none; else NOT_SOLVED."""
        return self.climbs[0].status if self.climbs else Status.NOT_SOLVED

    def run(
        self, time_limit: float | None = None, on_iteration: Callable[[], None] = lambda: None
    ) -> StopReason:
        """Go on until every climb is at its end, the time is up, or the user interrupts.

        Parameters
        ----------
        time_limit : float, optional
            Seconds; an iteration that has begun to score is finished.
        on_iteration : callable
            Called after each iteration.
        """
        limits = Limits.starting_now(time_limit)
        try:
            while self._next_climb():
                if not self._climb(limits, on_iteration):
                    return StopReason.TIME_LIMIT
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED
        return StopReason.FINISHED

    def _next_climb(self) -> bool:
        """Return whether there is something to do, after adding a climb if the last one is at its end."""
        if self.climbs and not self._ended(self.climbs[-1]):
            return True
        given_up = bool(self.climbs) and not self.climbs[-1].sets
        if given_up or len(self.climbs) == self.n_climbs:
            return False
        self.climbs.append(Climb())
        return True

    def _climb(self, limits: Limits, on_iteration: Callable[[], None]) -> bool:
        """Go on with the last climb; return False if the time is up."""
        number = len(self.climbs) - 1
        problem, start = self.problem, self.start
        if self.search == "sequential":
            problem = problem.after(s for climb in self.climbs[:-1] for s in climb.sets)
            start = None if start is None or number else start[:1]
        wrapper = GreedyWrapper(
            problem,
            self.score,
            climb=self.climbs[-1],
            start=start,
            random_state=self.random_state,
            limits=limits,
        )
        for _ in wrapper:
            on_iteration()
            if self._ended(wrapper.climb):
                return True
            if time.monotonic() >= (limits.deadline or float("inf")):
                return False
        return self._ended(wrapper.climb)

    def _ended(self, climb: Climb) -> bool:
        return (
            climb.is_local_optimum
            or climb.status is Status.INFEASIBLE
            or climb.n_solver_calls >= self.max_iters
        )

    def _scored(self) -> list[tuple[float, FeatureSet]]:
        pairs = [pair for climb in self.climbs for pair in zip(climb.scores, climb.sets, strict=True)]
        return pairs if self.search == "sequential" else sorted(pairs, key=lambda p: (-p[0], p[1]))
