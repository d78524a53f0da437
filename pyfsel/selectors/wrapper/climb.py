"""Greedy Wrapper: hill climbing on a black-box quality, candidates repaired by a solver (000, Alg. 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from typing import Any

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.results.backend_answer import Status, StopReason
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
    """Hill climbing over valid sets, one swap per iteration (paper 000, Algorithm 1), and where it is.

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
    limits : Limits
        The seed of the solver, and when it stops.
    sets : tuple of feature sets
        The best ones so far; empty before the first solver call.
    scores : tuple of float
        Quality of each set.
    status : Status
        NOT_SOLVED before there are sets, then FEASIBLE; INFEASIBLE if there are none.
    has_ended : bool
        Whether no swap improves the sets, or there are none.

    Examples
    --------
    >>> problem = Instance(quality=[0] * 4, n_sets=1, k=2, max_shared=1, previous=[(2, 3)])
    >>> climb = Climb(problem, score=lambda sets: [float(sum(s)) for s in sets])
    >>> [climb.scores for _ in climb.steps()][-1], climb.sets
    ((4.0,), ((1, 3),))
    """

    problem: Instance
    score: Score
    value: Value = sum
    limits: Limits = field(default_factory=Limits)
    sets: Family = ()
    scores: tuple[float, ...] = ()
    status: Status = Status.NOT_SOLVED
    has_ended: bool = False

    def steps(self) -> Iterator[tuple[int, ...]]:
        """Do an iteration at a time, to a local optimum, or until the time is up.

        Yields
        ------
        tuple of two int
            The features that were swapped, 0-based (j₁ and j₂ of Algorithm 1, less one); () at first.
        """
        repair = SwapRepair(self.problem, self.limits)
        status, found = repair.nearest([()] * self.problem.n_sets, ())
        if status is Status.NOT_SOLVED:
            return
        self._take(found)
        self.status = Status.FEASIBLE if found else Status.INFEASIBLE
        swaps = list(combinations(range(self.problem.n_features), 2))
        self.has_ended = not found or not swaps
        yield ()
        while not self.has_ended:
            for swap in swaps:
                if self.limits.expired():  # a known answer takes no time, but its scores do
                    return
                status, found = repair.nearest(self.sets, swap)
                if status in (Status.NOT_SOLVED, Status.FEASIBLE):
                    return
                is_better = self._take(found)
                self.has_ended = swap == swaps[-1] and not is_better
                yield swap
                if is_better:
                    break

    def _take(self, found: Family) -> bool:
        """Take the sets of a solver call if they are better, and return whether they are."""
        scores = tuple(self.score(found)) if found else ()
        if not found or (self.sets and self.value(scores) <= self.value(self.scores)):
            return False
        self.sets, self.scores = found, scores
        return True


@dataclass
class WrapperSearch:
    """One climb for all sets at once, or in sequential search one climb after the other.

    Each climb of a sequential search gets an equal share of the time and the trained models that are left.

    Parameters
    ----------
    problem : Instance
    score : callable
        As for `Climb`; its `n_models` is the number of models that it has trained.
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
    def found(self) -> list[tuple[FeatureSet, float]]:
        """The best sets so far with their scores: as found in sequential search, else the best first."""
        pairs = [pair for climb in self.climbs for pair in zip(climb.sets, climb.scores, strict=True)]
        return pairs if self.search == "sequential" else sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    @property
    def sets(self) -> Family:
        """The best sets so far."""
        return tuple(members for members, _ in self.found)

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each set."""
        return tuple(score for _, score in self.found)

    @property
    def status(self) -> Status:
        """What is known: at best FEASIBLE; FEWER and INFEASIBLE are proved by the solver of the swaps."""
        last = self.climbs[-1].status if self.climbs else Status.NOT_SOLVED
        if len(self.climbs) < 2:
            return last
        return Status.FEWER if last is Status.INFEASIBLE else Status.FEASIBLE

    @property
    def n_fits(self) -> int:
        """Number of models trained so far."""
        return int(getattr(self.score, "n_models", 0))

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
        limits, reason = Limits.starting_now(time_limit, self.random_state), StopReason.FINISHED
        is_stepwise = self.search == "sequential"
        try:
            for n_left in range(self.problem.n_sets if is_stepwise else 1, 0, -1):
                problem = self.problem.after(self.sets) if is_stepwise else self.problem
                fits = self.max_fits
                own = limits.within(limits.remaining() / n_left)
                most = inf if fits is None else self.n_fits + (fits - self.n_fits) / n_left
                climb = Climb(problem, self.score, VALUES[self.search], own)
                self.climbs.append(climb)
                for _ in climb.steps():
                    on_iteration()
                    if self.n_fits >= most and not climb.has_ended:
                        reason = StopReason.EVALUATION_LIMIT
                        break
                else:
                    reason = reason if climb.has_ended else StopReason.TIME_LIMIT
                if not climb.sets:
                    break
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED
        return reason
