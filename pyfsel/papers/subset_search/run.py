"""What all searches share: limits, remembered evaluations, ties, and the best sets met so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from pyfsel.errors import InputError
from pyfsel.papers.subset_search.criterion import Criterion
from pyfsel.papers.subset_search.result import SubsetResult, Visit
from pyfsel.problem.checks import finite_number, integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason
from pyfsel.results.control import Limits, OutOfTimeError

TIES = ("random", "lowest")


class OutOfEvaluationsError(Exception):
    """As many sets were evaluated as is allowed."""


@dataclass(frozen=True)
class Goal:
    """Which sets a search looks for.

    Parameters
    ----------
    threshold : float or None
        The smallest sets whose key is at least this; without it, those of largest key.
    sizes : range
        The sizes allowed.
    patience : int or None
        After how many steps without anything better a stepwise search ends.
    """

    sizes: range
    threshold: float | None = None
    patience: int | None = None

    def rank(self, features: FeatureSet, key: float) -> tuple[float, ...]:
        """Return what orders sets, larger is better; it begins with 1 where the goal is reached."""
        size = len(features)
        if self.threshold is not None:
            return (1, -size) if key >= self.threshold else (0, key, -size)
        if size in self.sizes:
            return (1, key, -size)
        return (0, -min(abs(size - self.sizes[0]), abs(size - self.sizes[-1])), key)


@dataclass(frozen=True)
class Asked:
    """What a user asks of a search; without anything, what all features together reach.

    Parameters
    ----------
    size : int, optional
        Number of features (type 1 of paper 001).
    threshold : float, optional
        Look for the smallest set whose J is at least this (type 2).
    patience : int, optional
        The best set before so many steps have brought nothing better.
    margin : int
        Floating searches with a size d go on to d ± margin; the answer is the best set of these sizes.
    """

    size: int | None = None
    threshold: float | None = None
    patience: int | None = None
    margin: int = 0

    def goal(self, criterion: Criterion) -> Goal:
        """Return the goal of a search with this criterion.

        Raises
        ------
        InputError
            If a number is not allowed, or two of size, threshold and patience are given.
        """
        n = len(criterion.feature_names)
        choices = {"size": self.size, "threshold": self.threshold, "patience": self.patience}
        given = [name for name, choice in choices.items() if choice is not None]
        if len(given) > 1:
            raise InputError(f"{given[0]} and {given[1]}: give at most one of the two")
        margin = integer_in("margin", self.margin, 0, None)
        if margin and self.size is None:
            raise InputError(f"margin={margin!r}: needs a size")
        if self.size is not None:
            size = integer_in("size", self.size, 1, n)
            return Goal(range(max(1, size - margin), min(n, size + margin) + 1))
        if self.patience is not None:
            return Goal(range(n + 1), patience=integer_in("patience", self.patience, 1, None))
        if self.threshold is not None:
            return Goal(range(n + 1), criterion.least_key(finite_number("threshold", self.threshold)))
        return Goal(range(n + 1), criterion.keys([tuple(range(n))])[0])


class Run:
    """One run of a search: asks the criterion within limits and keeps the best sets.

    Parameters
    ----------
    criterion : Criterion
    goal : Goal
    limits : Limits
    max_evaluations : int, optional
        Most different sets to evaluate.
    ties : {"random", "lowest"}
        Which one of equally good features is taken: one that seed, step and the features' names decide, so
        that the order of the columns does not matter, or the one that stands first.
    report : callable, optional
        Takes each set that is better than all before and reaches the goal.
    """

    def __init__(
        self,
        criterion: Criterion,
        goal: Goal,
        limits: Limits,
        max_evaluations: int | None = None,
        ties: str = "random",
        report: Callable[[FeatureSet], None] = lambda features: None,
    ) -> None:
        one_of("ties", ties, TIES)
        if max_evaluations is not None:
            integer_in("max_evaluations", max_evaluations, 1, None)
        self.criterion = criterion
        self.goal = goal
        self.limits = limits
        self.max_evaluations = max_evaluations
        self.ties = ties
        self.report = report
        self.names = criterion.feature_names
        self.everything: FeatureSet = tuple(range(len(self.names)))
        self.by_name = np.array(sorted(self.everything, key=self.names.__getitem__), dtype=np.intp)
        self.rng = np.random.default_rng(limits.random_state)
        self.known: dict[FeatureSet, float] = {}
        self.n_elsewhere = 0
        self.best: dict[FeatureSet, None] = {}
        self.best_rank: tuple[float, ...] = (-1,)
        self.trace: list[Visit] = []

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.names)

    @property
    def n_evaluations(self) -> int:
        """How many different sets were evaluated."""
        return len(self.known) + self.n_elsewhere

    @property
    def threshold(self) -> float:
        """The key to be reached; without one, that of all features."""
        return self.key(self.everything) if self.goal.threshold is None else self.goal.threshold

    def keys(self, sets: Iterable[FeatureSet]) -> list[float]:
        """Return the key of each set, asking only for those that are new.

        Raises
        ------
        OutOfTimeError, OutOfEvaluationsError
            If a limit is reached; what was evaluated before stays known.
        """
        asked = list(sets)
        new = [s for s in dict.fromkeys(asked) if s not in self.known]
        size = self.criterion.batch_size
        for start in range(0, len(new), size):
            self._evaluate(new[start : start + size])
        return [self.known[s] for s in asked]

    def _evaluate(self, sets: Sequence[FeatureSet]) -> None:
        if self.limits.expired():
            raise OutOfTimeError
        most = self.max_evaluations
        allowed = sets if most is None else sets[: max(0, most - self.n_evaluations)]
        self.known.update(zip(allowed, self.criterion.keys(allowed), strict=True))
        if len(allowed) < len(sets):
            raise OutOfEvaluationsError

    def key(self, features: FeatureSet) -> float:
        """Return the key of one set."""
        return self.keys([features])[0]

    def reaches(self, features: FeatureSet) -> bool:
        """Return whether a set reaches the threshold."""
        return self.key(features) >= self.threshold

    def with_one_more(self, features: FeatureSet) -> tuple[FeatureSet, float]:
        """Return the best set with one feature more (ties as the run says), and its key."""
        others = [j for j in self.everything if j not in features]
        return self._best({j: tuple(sorted((*features, j))) for j in others})

    def with_one_less(self, features: FeatureSet) -> tuple[FeatureSet, float]:
        """Return the best set with one feature less, and its key."""
        return self._best({j: tuple(i for i in features if i != j) for j in features})

    def _best(self, sets: dict[int, FeatureSet]) -> tuple[FeatureSet, float]:
        keys = dict(zip(sets, self.keys(sets.values()), strict=True))
        best = max(keys.values())
        chosen = self.first_of([j for j, key in keys.items() if key == best])
        return sets[chosen], best

    def first_of(self, tied: Sequence[int]) -> int:
        """Return which one of equally good features is taken."""
        if len(tied) == 1 or self.ties == "lowest":
            return min(tied)
        step = f"{self.limits.random_state} {len(self.trace)}"
        return min(tied, key=lambda j: Random(f"{step} {self.names[j]}").random())

    def step(self, features: FeatureSet) -> None:
        """Keep a set that the search went to, in the trace as well."""
        self._keep(features)
        self._note(features)

    def offer(self, features: FeatureSet) -> None:
        """Keep a set if none is better; it is noted in the trace if it is better than all before."""
        if self._keep(features):
            self._note(features)

    def _keep(self, features: FeatureSet) -> bool:
        rank = self.goal.rank(features, self.key(features))
        if rank < self.best_rank:
            return False
        is_better = rank > self.best_rank
        if is_better:
            self.best, self.best_rank = {}, rank
            if self.is_reached:
                self.report(features)
        self.best[features] = None
        return is_better

    def _note(self, features: FeatureSet) -> None:
        self.trace.append(Visit(self.n_evaluations, features, self.criterion.value(self.known[features])))

    def answer(self, features: FeatureSet) -> None:
        """Make a set the answer, whatever was found before."""
        self.best, self.best_rank = {}, (-1,)
        self.offer(features)

    @property
    def is_reached(self) -> bool:
        """Whether a set was found that reaches the goal."""
        return self.best_rank[0] == 1

    def within(self, criterion: Criterion, goal: Goal) -> Run:
        """Return a run on another criterion with what is left of the limits; see `count`.

        Raises
        ------
        OutOfEvaluationsError
            If nothing is left.
        """
        left = None if self.max_evaluations is None else self.max_evaluations - self.n_evaluations
        if left == 0:
            raise OutOfEvaluationsError
        part = Run(criterion, goal, self.limits, left, self.ties)
        part.rng = self.rng
        return part

    def count(self, part: Run) -> None:
        """Add the evaluations of a run made by `within`."""
        self.n_elsewhere += part.n_evaluations

    def execute(self, method: str, search: Callable[[Run], bool]) -> SubsetResult:
        """Run a search, which returns whether it has proved its sets, until it ends or is stopped.

        Ctrl-C stops it as a limit does: what was found is returned, with the reason.
        """
        begin = time.monotonic()
        is_proved, stop_reason = False, StopReason.FINISHED
        try:
            is_proved = search(self)
        except OutOfTimeError:
            stop_reason = StopReason.TIME_LIMIT
        except OutOfEvaluationsError:
            stop_reason = StopReason.EVALUATION_LIMIT
        except KeyboardInterrupt:
            stop_reason = StopReason.INTERRUPTED
        best = tuple(sorted(self.best, key=lambda s: (-self.known[s], s)))
        return SubsetResult(
            method=method,
            feature_names=self.names,
            sets=best,
            values=tuple(self.criterion.value(self.known[s]) for s in best),
            reached=self.is_reached,
            is_proved=is_proved,
            n_evaluations=self.n_evaluations,
            trace=tuple(self.trace),
            stop_reason=stop_reason,
            runtime=time.monotonic() - begin,
        )
