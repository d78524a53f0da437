"""State that all searches share: goals, limits, remembered evaluations, ties, the best sets met so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pyfsel.papers.subset.criteria import Criterion
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits, OutOfTimeError

if TYPE_CHECKING:
    from pyfsel.papers.own_search import AllowedSets

NOTHING = (-1.0,)
"""The rank of no set."""


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
    sets: Family
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


@dataclass
class SubsetRun:
    """One run of a search: asks the criterion within limits and keeps the best sets.

    Parameters
    ----------
    criterion : Criterion
    sizes : range
        The sizes allowed.
    least : float, optional
        Look for the smallest sets whose key is at least this; without it, for the sets of the largest key.
    limits : Limits, optional
    max_evaluations : int, optional
        Most different sets to evaluate.
    ties : {"random", "lowest"}
        Which one of equally good features is taken: one that seed, step and the features' names decide, so
        that the order of the columns does not matter, or the one that stands first.
    allowed : AllowedSets, optional
        Sets that do not lead to one of these are worse than all others.
    is_stopped : callable
        Asked now and then; the search ends, as at its time limit, when it returns True.
    """

    criterion: Criterion
    sizes: range
    least: float | None = None
    limits: Limits = field(default_factory=Limits)
    max_evaluations: int | None = None
    ties: str = "random"
    allowed: AllowedSets | None = None
    is_stopped: Callable[[], bool] = lambda: False
    best: dict[FeatureSet, None] = field(default_factory=dict, init=False)
    best_rank: tuple[float, ...] = field(default=NOTHING, init=False)
    trace: list[Visit] = field(default_factory=list, init=False)
    n_evaluations: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.names = self.criterion.feature_names
        self.everything: FeatureSet = tuple(range(len(self.names)))
        self.by_name = np.array(sorted(self.everything, key=self.names.__getitem__), dtype=np.intp)
        self.rng = np.random.default_rng(self.limits.random_state)
        self._known: dict[Criterion, dict[FeatureSet, float]] = {}

    def keys(self, sets: Iterable[FeatureSet], criterion: Criterion | None = None) -> list[float]:
        """Return the key of each set, asking only for those that are new; by another criterion if given.

        Raises
        ------
        OutOfTimeError, OutOfEvaluationsError
            If a limit is reached; what was evaluated before stays known.
        """
        criterion = criterion or self.criterion
        known, asked = self._known.setdefault(criterion, {}), list(sets)
        new = [s for s in dict.fromkeys(asked) if s not in known]
        for start in range(0, len(new), criterion.batch_size):
            if self.limits.expired() or self.is_stopped():
                raise OutOfTimeError
            some = new[start : start + criterion.batch_size]
            most = len(some) if self.max_evaluations is None else self.max_evaluations - self.n_evaluations
            self.n_evaluations += len(some[:most])
            known |= self._evaluated(some[:most], criterion)
            if most < len(some):
                raise OutOfEvaluationsError
        return [known[s] for s in asked]

    def _evaluated(self, sets: Sequence[FeatureSet], criterion: Criterion) -> dict[FeatureSet, float]:
        good = [s for s in sets if self.allowed is None or self.allowed.is_on_the_way(s)]
        return dict.fromkeys(sets, -inf) | dict(zip(good, criterion.keys(good), strict=True))

    def key(self, features: FeatureSet) -> float:
        """Return the key of one set."""
        return self.keys([features])[0]

    @property
    def threshold(self) -> float:
        """The key to be reached, of a search that has one."""
        return cast(float, self.least)

    def reaches(self, features: FeatureSet) -> bool:
        """Return whether a set reaches the threshold."""
        return self.key(features) >= self.threshold

    def with_one_changed(self, features: FeatureSet, is_added: bool) -> FeatureSet:
        """Return the best set with one feature more, or one less (ties as the run says)."""
        changed = [j for j in self.everything if j not in features] if is_added else features
        sets = {j: tuple(sorted({*features} ^ {j})) for j in changed}
        keys = dict(zip(sets, self.keys(sets.values()), strict=True))
        best = max(keys.values())
        tied = [j for j, key in keys.items() if key == best]
        step = f"{self.limits.random_state} {len(self.trace)}"
        if self.ties == "lowest" or len(tied) == 1:
            return sets[min(tied)]
        return sets[min(tied, key=lambda j: Random(f"{step} {self.names[j]}").random())]

    def step(self, features: FeatureSet) -> None:
        """Keep a set that the search went to, in the trace as well."""
        self.offer(features, is_step=True)

    def offer(self, features: FeatureSet, is_step: bool = False) -> None:
        """Keep a set if none is better; it is noted in the trace if it is better than all before."""
        key = self.key(features)
        rank = self._rank(features, key)
        is_better = rank > self.best_rank
        if is_better:
            self.best, self.best_rank = {}, rank
        if rank == self.best_rank:
            self.best[features] = None
        if is_step or is_better:
            self.trace.append(Visit(self.n_evaluations, features, self.criterion.value(key)))

    def _rank(self, features: FeatureSet, key: float) -> tuple[float, ...]:
        """Return what orders sets, larger is better; it begins with 1 where the goal is reached."""
        size = len(features)
        if self.least is not None:
            return (1, -size) if key >= self.least else (0, key, -size)
        if size in self.sizes:
            return (1, key, -size)
        return (0, -min(abs(size - self.sizes[0]), abs(size - self.sizes[-1])), key)

    @property
    def is_reached(self) -> bool:
        """Whether a set was found that reaches the goal."""
        return self.best_rank[0] == 1

    def execute(self, method: str, search: Callable[[SubsetRun], bool]) -> SubsetResult:
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
        known = self._known.get(self.criterion, {})
        best = tuple(sorted(self.best, key=lambda s: (-known[s], s)))
        return SubsetResult(
            method=method,
            feature_names=self.names,
            sets=best,
            values=tuple(self.criterion.value(known[s]) for s in best),
            reached=self.is_reached,
            is_proved=is_proved,
            n_evaluations=self.n_evaluations,
            trace=tuple(self.trace),
            stop_reason=stop_reason,
            runtime=time.monotonic() - begin,
        )
