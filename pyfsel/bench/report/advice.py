"""Which backend to use for which kind of problem, and why: computed from the runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyfsel.bench.report.runs import Benchmark, BenchRun, Kind
from pyfsel.bench.report.scores import Score, by_contender, ranking, score, seconds_text
from pyfsel.bench.suite import RunSpec

SIZE_CLASSES = (30, 100, 1000)  # numbers of features, up to which problems are advised on together
FEWEST_PROBLEMS = 3
# Scores closer than either of these swap their order when a suite is run again.
ALIKE_RATIO = 1.1
ALIKE_SECONDS = 0.05


@dataclass(frozen=True)
class Advice:
    """What to use for some problems.

    Attributes
    ----------
    kind : Kind or None
        None for all problems together.
    sizes : tuple of int
        Fewest and most features of the problems.
    n_problems : int
        From fewer than three nothing is concluded.
    ranked : tuple of Score
        Contenders that were given all of these tasks, the best first; of several that were given different
        tasks all, if none was given all.
    partial : tuple of Score
        Contenders that were given a part of the tasks.
    on_part : tuple of (Score, Score)
        Those of them that do better than the first on their part, or if no other was given all tasks the
        best one, with the score of the first there.
    """

    kind: Kind | None
    sizes: tuple[int, int]
    n_problems: int
    ranked: tuple[Score, ...]
    partial: tuple[Score, ...]
    on_part: tuple[tuple[Score, Score], ...]

    @property
    def first(self) -> Score:
        """The contender to use."""
        return self.ranked[0]

    @property
    def is_proved(self) -> bool:
        """Whether anything was proved."""
        return self.first.n_proved > 0

    @property
    def found_nothing(self) -> bool:
        """Whether no contender proved anything or found sets."""
        return not self.is_proved and self.first.n_best == 0

    @property
    def is_too_little(self) -> bool:
        """Whether the problems are too few to recommend anything for others."""
        return self.kind is not None and self.n_problems < FEWEST_PROBLEMS

    @property
    def use(self) -> str:
        """Name of what to use, or that there is nothing."""
        if self.is_too_little:
            return "too few problems"
        return "none of them" if self.found_nothing else self.first.name

    @property
    def sizes_text(self) -> str:
        """Such as ``n = 12`` or ``n = 12 to 30``."""
        low, high = self.sizes
        return f"n = {low}" if low == high else f"n = {low} to {high}"

    @property
    def why(self) -> str:
        """The reason in words, with numbers."""
        if self.is_too_little:
            seen = "One problem" if self.n_problems == 1 else f"{self.n_problems} problems"
            return f"{seen}, where {self.first.name} did best: no advice for others."
        sentences = [self._reason(), *map(_reason_on_part, self.on_part)]
        unsupported = self.first.n_runs - self.first.n_supported
        if unsupported:
            sentences.append(f"Does not support {unsupported} of the {self.first.n_runs}.")
        return " ".join(sentences)

    def _reason(self) -> str:
        first, others = self.first, self.ranked[1:]
        if self.found_nothing:
            return "No backend proved anything or found sets within the limits."
        if not self.is_proved:
            return f"Nothing was proved; it has the best known sets in {first.n_best} of {first.n_runs} runs."
        if any(other.n_runs != first.n_runs for other in others):
            return "Proves most, but no backend was given all of these runs."
        proving = [other for other in others if other.is_exact and other.n_supported]
        if not proving:
            alone = "No other backend that can prove such problems was given all of these runs."
            return " ".join(filter(None, [first.choices, alone]))
        alike = [other for other in proving if _is_alike(first, other)]
        behind = [other for other in proving if other not in alike]
        if not alike:
            as_many = "Proves as many in less time. " if behind[0].n_proved == first.n_proved else ""
            return as_many + _reason_against(first, behind[0])
        listed = ", ".join(f"{other.name} ({seconds_text(other.par2)})" for other in alike)
        rest = [_reason_against(first, behind[0])] if behind else []
        return " ".join([f"Practically as good: {listed}.", *rest])


def _reason_against(first: Score, second: Score) -> str:
    """Return how the first differs from the best of those that are not as good."""
    next_best = f"{second.name} ({second.proved_text}, PAR2 {seconds_text(second.par2)})"
    if second.n_proved < first.n_proved:
        return f"Proves {first.n_proved - second.n_proved} more than the next best, {next_best}."
    if first.par2 and second.par2:
        times = f"{second.par2 / first.par2:.1f}".removesuffix(".0")
        return f"The next best takes {times} times as long: {next_best}."
    return f"Next best: {next_best}."


def _reason_on_part(pair: tuple[Score, Score]) -> str:
    other, first = pair
    which = ", which is better there," if _is_better(other, first) else ""
    return (
        f"On {other.n_runs} of these runs, {other.name}{which} proved {other.n_proved} "
        f"(PAR2 {seconds_text(other.par2)}), {first.name} {first.n_proved} ({seconds_text(first.par2)})."
    )


def _is_better(other: Score, first: Score) -> bool:
    """Return whether another contender does clearly better."""
    return other.n_proved > 0 and other.rank < first.rank and not _is_alike(other, first)


def _is_alike(first: Score, other: Score) -> bool:
    """Return whether two that prove differ by no more than what a second measurement would change."""
    if not first.n_proved or other.n_proved != first.n_proved or first.par2 is None or other.par2 is None:
        return False
    return other.par2 <= max(ALIKE_RATIO * first.par2, first.par2 + ALIKE_SECONDS)


class Adviser:
    """Which contender to use, computed from the runs of a benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each contender in the whole benchmark."""
        scores = ranking(self.benchmark.runs, self.benchmark)
        return {own.contender: place for place, own in enumerate(scores)}

    @cached_property
    def _unfinished(self) -> set[RunSpec]:
        """Tasks on which the run of a contender is missing."""
        made = {(run.contender, run.task) for run in self.benchmark.runs}
        assigned = self.benchmark.assigned.items()
        return {task for name, tasks in assigned for task in tasks if (name, task) not in made}

    def by_kind(self) -> list[Advice]:
        """Return what to use for each kind of problem; few or like ones are one line."""
        found: list[Advice] = []
        for kind, runs in self.benchmark.kinds.items():
            parts: list[list[BenchRun]] = []
            for part in _by_size(runs):
                few = parts and min(map(_n_problems, (parts[-1], part))) < FEWEST_PROBLEMS
                if parts and (few or self._use(parts[-1]) == self._use(part)):
                    parts[-1] = parts[-1] + part
                else:
                    parts.append(part)
            found += [self.on(part, kind) for part in parts]
        return found

    def overall(self) -> Advice | None:
        """Return the one backend to use for everything; None if none was given everything."""
        runs = self.benchmark.runs
        if not runs:
            return None
        advice = self.on(runs, None)
        n_tasks = len({run.task for run in self._finished(runs)})
        return advice if advice.first.n_runs == n_tasks and advice.is_proved else None

    def on(self, runs: Sequence[BenchRun], kind: Kind | None) -> Advice:
        """Return what to use for the problems of some runs (at least one)."""
        runs = self._finished(runs)
        n_tasks = len({run.task for run in runs})
        everywhere = {name for name, own in by_contender(runs).items() if len(own) == n_tasks}
        scores = ranking(runs, self.benchmark)
        ranked = [s for s in scores if s.contender in everywhere] or scores
        alike = [s for s in ranked if s is ranked[0] or _is_alike(ranked[0], s)]
        first = min(alike, key=lambda s: self._places[s.contender])
        partial = [s for s in scores if s not in ranked]
        has_rival = any(s.is_exact and s.n_supported for s in ranked if s is not first)
        sizes = [run.shape["n_features"] for run in runs]
        return Advice(
            kind=kind,
            sizes=(min(sizes), max(sizes)),
            n_problems=_n_problems(runs),
            ranked=(first, *(s for s in ranked if s is not first)),
            partial=tuple(partial),
            on_part=tuple(self._on_part(runs, first.contender, partial, not has_rival)),
        )

    def _on_part(
        self, runs: Sequence[BenchRun], first: str, partial: Sequence[Score], is_one_due: bool
    ) -> list[tuple[Score, Score]]:
        """Return who does better on a part of the runs, or if one is due the best that was given a part."""
        groups = by_contender(runs)
        compared = []
        for other in (s.contender for s in partial if s.is_exact and s.n_supported):
            tasks = {run.task for run in groups[other]} & {run.task for run in groups[first]}
            theirs, firsts = (
                score(name, [run for run in groups[name] if run.task in tasks], self.benchmark.best)
                for name in (other, first)
            )
            if tasks:
                compared.append((theirs, firsts))
        better = [pair for pair in compared if _is_better(*pair)]
        return better or compared[:is_one_due]

    def _use(self, runs: Sequence[BenchRun]) -> tuple[str, bool]:
        advice = self.on(runs, None)
        return advice.first.contender, advice.is_proved

    def _finished(self, runs: Sequence[BenchRun]) -> Sequence[BenchRun]:
        """Leave out tasks on which a contender's run is missing, unless nothing would be left."""
        return [run for run in runs if run.task not in self._unfinished] or runs


def _n_problems(runs: Iterable[BenchRun]) -> int:
    return len({run.task.problem_name for run in runs})


def _by_size(runs: Iterable[BenchRun]) -> list[list[BenchRun]]:
    """Return the runs in groups by the number of features."""
    groups: dict[int, list[BenchRun]] = {}
    for run in runs:
        number = bisect_left(SIZE_CLASSES, run.shape["n_features"])
        groups.setdefault(number, []).append(run)
    return [groups[number] for number in sorted(groups)]
