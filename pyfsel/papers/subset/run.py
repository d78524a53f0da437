"""What all searches share: goals, limits, remembered evaluations, ties, and the best sets met so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np

from pyfsel.errors import InputError
from pyfsel.papers.subset.criteria import Criterion
from pyfsel.problem.checks import finite_number, integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason
from pyfsel.results.control import Limits, OutOfTimeError


class OutOfEvaluationsError(Exception):
    """As many sets were evaluated as is allowed."""


class Visit(NamedTuple):
    """A set that a search went through: after how many evaluations, and its J."""

    n_evaluations: int
    features: FeatureSet
    value: float


@dataclass(frozen=True)
class SubsetResult:
    """The best sets that a search met.

    Parameters
    ----------
    method : str
    feature_names : tuple of str
        Of all features.
    sets : tuple of tuples of int
        All sets found that reach the goal as well as the best one, 0-based, by falling J: if a threshold
        asks for the smallest sets, these can differ in it. Never empty but if a search was stopped before
        it looked at anything.
    values : tuple of float
        J of each set.
    reached : bool
        Whether the sets have the size, or the J, that was requested.
    is_proved : bool
        Whether no smaller set reaches the threshold, and `sets` are all of this size that do (ABB).
    n_evaluations : int
        Number of different sets whose J was computed.
    trace : tuple of Visit
        The steps of a stepwise search, the improvements of the others.
    stop_reason : StopReason
    runtime : float
        Seconds.
    """

    method: str
    feature_names: tuple[str, ...]
    sets: tuple[FeatureSet, ...]
    values: tuple[float, ...]
    reached: bool
    is_proved: bool
    n_evaluations: int
    trace: tuple[Visit, ...]
    stop_reason: StopReason
    runtime: float

    @property
    def features(self) -> FeatureSet:
        """The first of the sets."""
        return self.sets[0]

    @property
    def value(self) -> float:
        """J of the first set; NaN without any."""
        return self.values[0] if self.values else float("nan")

    def names_of(self, features: FeatureSet) -> list[str]:
        """Return the names of a set."""
        return [self.feature_names[j] for j in features]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        sets = zip(self.sets, self.values, strict=True)
        shown = ("method", "value", "reached", "is_proved", "n_evaluations", "runtime")
        return {
            **{name: getattr(self, name) for name in shown},
            "stop_reason": str(self.stop_reason),
            "sets": [{"features": self.names_of(s), "indices": list(s), "value": v} for s, v in sets],
            "trace": [
                {"n_evaluations": n, "indices": list(features), "value": value}
                for n, features, value in self.trace
            ],
        }


@dataclass(frozen=True)
class Goal:
    """Which sets a search looks for.

    Parameters
    ----------
    sizes : range
        The sizes allowed.
    threshold : float or None
        The smallest sets whose key is at least this; without it, those of largest key.
    patience : int or None
        After how many steps without anything better a stepwise search ends.
    """

    sizes: range
    threshold: float | None = None
    patience: int | None = None

    @classmethod
    def requested(
        cls,
        criterion: Criterion,
        size: int | None = None,
        threshold: float | None = None,
        patience: int | None = None,
    ) -> Goal:
        """Return the goal of a search with this criterion; without any, what all features together reach.

        Parameters
        ----------
        criterion : Criterion
        size : int, optional
            Number of features (type 1 of paper 001).
        threshold : float, optional
            The smallest set whose J is at least this (type 2).
        patience : int, optional
            The best set before this many steps have brought nothing better.

        Raises
        ------
        InputError
            If a number is not allowed, or two of them are given.
        """
        n = len(criterion.feature_names)
        choices = {"size": size, "threshold": threshold, "patience": patience}
        given = [name for name, choice in choices.items() if choice is not None]
        if len(given) > 1:
            raise InputError(f"{given[0]} and {given[1]}: give at most one of the two")
        if size is not None:
            return cls(range(integer_in("size", size, 1, n), size + 1))
        if patience is not None:
            return cls(range(n + 1), patience=integer_in("patience", patience, 1, None))
        if threshold is not None:
            return cls(range(n + 1), criterion.least_key(finite_number("threshold", threshold)))
        return cls(range(n + 1), criterion.keys([tuple(range(n))])[0])

    def rank(self, features: FeatureSet, key: float) -> tuple[float, ...]:
        """Return what orders sets, larger is better; it begins with 1 where the goal is reached."""
        size = len(features)
        if self.threshold is not None:
            return (1, -size) if key >= self.threshold else (0, key, -size)
        if size in self.sizes:
            return (1, key, -size)
        return (0, -min(abs(size - self.sizes[0]), abs(size - self.sizes[-1])), key)


class Run:
    """One run of a search: asks the criterion within limits and keeps the best sets.

    Parameters
    ----------
    criterion : Criterion
    goal : Goal
    limits : Limits, optional
    max_evaluations : int, optional
        Most different sets to evaluate.
    ties : {"random", "lowest"}
        Which one of equally good features is taken: one that seed, step and the features' names decide, so
        that the order of the columns does not matter, or the one that stands first.
    """

    def __init__(
        self,
        criterion: Criterion,
        goal: Goal,
        limits: Limits | None = None,
        max_evaluations: int | None = None,
        ties: str = "random",
    ) -> None:
        one_of("ties", ties, ("random", "lowest"))
        if max_evaluations is not None:
            integer_in("max_evaluations", max_evaluations, 1, None)
        self.limits = limits or Limits()
        self.max_evaluations = max_evaluations
        self.ties = ties
        self.names = criterion.feature_names
        self.n_features = len(self.names)
        self.everything: FeatureSet = tuple(range(self.n_features))
        self.by_name = np.array(sorted(self.everything, key=self.names.__getitem__), dtype=np.intp)
        self.rng = np.random.default_rng(self.limits.random_state)
        self._spent = [0]
        self._begin(criterion, goal)

    def _begin(self, criterion: Criterion, goal: Goal) -> None:
        self.criterion = criterion
        self.goal = goal
        self.known: dict[FeatureSet, float] = {}
        self.best: dict[FeatureSet, None] = {}
        self.best_rank: tuple[float, ...] = (-1,)
        self.trace: list[Visit] = []

    def part(self, criterion: Criterion, goal: Goal) -> Run:
        """Return a run on another criterion that shares the limits and the random numbers of this one."""
        part = copy(self)
        part._begin(criterion, goal)
        return part

    @property
    def n_evaluations(self) -> int:
        """How many different sets were evaluated, those of all parts included."""
        return self._spent[0]

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
        self._spent[0] += len(allowed)
        if len(allowed) < len(sets):
            raise OutOfEvaluationsError

    def key(self, features: FeatureSet) -> float:
        """Return the key of one set."""
        return self.keys([features])[0]

    def reaches(self, features: FeatureSet) -> bool:
        """Return whether a set reaches the threshold."""
        return self.key(features) >= self.threshold

    def with_one_more(self, features: FeatureSet) -> FeatureSet:
        """Return the best set with one feature more (ties as the run says)."""
        others = [j for j in self.everything if j not in features]
        return self._best({j: tuple(sorted((*features, j))) for j in others})

    def with_one_less(self, features: FeatureSet) -> FeatureSet:
        """Return the best set with one feature less."""
        return self._best({j: tuple(i for i in features if i != j) for j in features})

    def _best(self, sets: dict[int, FeatureSet]) -> FeatureSet:
        keys = dict(zip(sets, self.keys(sets.values()), strict=True))
        best = max(keys.values())
        tied = [j for j, key in keys.items() if key == best]
        step = f"{self.limits.random_state} {len(self.trace)}"
        if self.ties == "lowest" or len(tied) == 1:
            return sets[min(tied)]
        return sets[min(tied, key=lambda j: Random(f"{step} {self.names[j]}").random())]

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
