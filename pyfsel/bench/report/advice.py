"""Which backend to use for which kind of problem, and why: computed from the runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyfsel.bench.report.runs import Benchmark, BenchRun, Kind
from pyfsel.bench.report.scores import Score, by_contender, ranking, seconds_text
from pyfsel.bench.report.statistics import shown_worse, task_table
from pyfsel.bench.suite import RunSpec

SIZE_CLASSES = (30, 100, 1000)  # numbers of features, up to which problems are advised on together
FEWEST_INSTANCES = 6  # of five, all in favour of one of two has a two-sided probability of 1/16
MOST_NAMED = 3  # contenders between which no difference was shown
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
    n_instances : int
        Of which the problems are variations; from fewer than six nothing is concluded for others.
    behind : frozenset of str
        Contenders that are shown to cost more than the first by an amount that matters.
    ranked : tuple of Score
        Contenders that were given all of these tasks, the best first; of several that were given different
        tasks all, if none was given all.
    partial : tuple of Score
        Contenders that were given a part of the tasks.
    on_part : tuple of (Score, Score, bool)
        Those of them that do better than the first on their part, or if no other was given all tasks the
        best one, with the score of the first there, and whether they are shown to be better.
    """

    kind: Kind | None
    sizes: tuple[int, int]
    n_instances: int
    behind: frozenset[str]
    ranked: tuple[Score, ...]
    partial: tuple[Score, ...]
    on_part: tuple[tuple[Score, Score, bool], ...]

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
        """Whether the instances are too few to recommend anything for others."""
        return self.kind is not None and self.n_instances < FEWEST_INSTANCES

    @property
    def rivals(self) -> list[Score]:
        """The others that can prove such problems."""
        return [other for other in self.ranked[1:] if other.is_exact and other.n_supported]

    @property
    def alike(self) -> list[Score]:
        """The first, and those that were given the same and of which no difference to it is shown."""
        if not self.is_proved:
            return [self.first]
        same = [other for other in self.rivals if other.n_tasks == self.first.n_tasks]
        return [self.first, *(other for other in same if other.contender not in self.behind)]

    @property
    def use(self) -> str:
        """Names of what to use, or that there is nothing."""
        if self.is_too_little:
            return "too few instances"
        if self.found_nothing:
            return "none of them"
        names = [own.name for own in self.alike]
        listed = " or ".join(names[:MOST_NAMED])
        return f"{listed} or {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else listed

    @property
    def sizes_text(self) -> str:
        """Such as ``n = 12`` or ``n = 12 to 30``."""
        low, high = self.sizes
        return f"n = {low}" if low == high else f"n = {low} to {high}"

    @property
    def why(self) -> str:
        """The reason in words, with numbers."""
        if self.is_too_little:
            seen = "One instance" if self.n_instances == 1 else f"{self.n_instances} instances"
            return f"{seen}, where {self.first.name} did best: no advice for others."
        sentences = [self._reason(), *map(_reason_on_part, self.on_part)]
        unsupported = self.first.n_tasks - self.first.n_supported
        if unsupported:
            sentences.append(f"Does not support {unsupported} of the {self.first.n_tasks}.")
        return " ".join(sentences)

    def _reason(self) -> str:
        first, others = self.first, self.ranked[1:]
        if self.found_nothing:
            return "No backend proved anything or found sets within the limits."
        if not self.is_proved:
            return (
                f"Nothing was proved; its sets are the best known in {first.n_best} of {first.n_tasks} tasks."
            )
        if any(other.n_tasks != first.n_tasks for other in others):
            return "Proves most, but no backend was given all of these tasks."
        if not self.rivals:
            alone = "No other backend that can prove such problems was given all of these tasks."
            return " ".join(filter(None, [first.choices, alone]))
        alike = self.alike[1:]
        behind = [other for other in self.rivals if other not in alike]
        sentences = [self._no_difference(alike)] if alike else []
        if behind:
            is_faster = not alike and behind[0].n_proved == first.n_proved
            sentences += ["Proves as many in less time."] if is_faster else []
            sentences.append(_reason_against(first, behind[0]))
        return " ".join(sentences)

    def _no_difference(self, alike: Sequence[Score]) -> str:
        listed = ", ".join(f"{o.name} ({o.proved_text}, {seconds_text(o.par2)})" for o in alike[:MOST_NAMED])
        more = f" and {len(alike) - MOST_NAMED} more" if len(alike) > MOST_NAMED else ""
        return f"No difference shown to {listed}{more}."


def _reason_against(first: Score, second: Score) -> str:
    """Return how the first differs from the best of those that are not as good."""
    next_best = f"{second.name} ({second.proved_text}, PAR2 {seconds_text(second.par2)})"
    if second.n_proved < first.n_proved:
        return f"Proves {first.n_proved - second.n_proved} more than the next best, {next_best}."
    if first.par2 and second.par2:
        times = f"{second.par2 / first.par2:.1f}".removesuffix(".0")
        return f"The next best takes {times} times as long: {next_best}."
    return f"Next best: {next_best}."


def _reason_on_part(compared: tuple[Score, Score, bool]) -> str:
    other, first, is_better = compared
    which = ", which is better there," if is_better else ""
    return (
        f"On {other.n_tasks} of these tasks, {other.name}{which} proved {other.n_proved} "
        f"(PAR2 {seconds_text(other.par2)}), {first.name} {first.n_proved} ({seconds_text(first.par2)})."
    )


def _is_close(first: Score, other: Score) -> bool:
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
        """Trials of which the run of a contender is missing."""
        made = {(run.contender, run.trial) for run in self.benchmark.runs}
        assigned = self.benchmark.assigned.items()
        return {trial for name, trials in assigned for trial in trials if (name, trial) not in made}

    def by_kind(self) -> list[Advice]:
        """Return what to use for each kind of problem; few or like ones are one line."""
        found: list[Advice] = []
        for kind, runs in self.benchmark.kinds.items():
            parts: list[list[BenchRun]] = []
            for part in _by_size(runs):
                few = parts and min(map(_n_instances, (parts[-1], part))) < FEWEST_INSTANCES
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
        return advice if advice.first.n_tasks == n_tasks and advice.is_proved else None

    def headline(self) -> str:
        """Return who is best, and whether that is shown, in a sentence."""
        if not self.benchmark.runs:
            return "There are no runs yet."
        advice = self.overall()
        if advice is None:
            return "No backend is best: none proved anything of all tasks. See each kind of problem."
        first = advice.first
        found = f"{first.name} did best: it proved {first.proved_text}, PAR2 {seconds_text(first.par2)}."
        if not advice.rivals:
            return f"{found} This is not shown to be better: no other backend was given all tasks."
        if _n_instances(self.benchmark.runs) < FEWEST_INSTANCES:
            return f"{found} This is not shown: {FEWEST_INSTANCES} instances are needed, there are fewer."
        if len(advice.alike) > 1:
            named = " and ".join(other.name for other in advice.alike[1 : MOST_NAMED + 1])
            return f"{found} This is not shown: the difference to {named} is not significant."
        return f"{found} This is shown: all others cost more (95%, bootstrap over instances)."

    def on(self, runs: Sequence[BenchRun], kind: Kind | None) -> Advice:
        """Return what to use for the problems of some runs (at least one)."""
        runs = self._finished(runs)
        tasks = {run.task for run in runs}
        everywhere = {name for name, own in by_contender(runs).items() if {run.task for run in own} == tasks}
        scores = ranking(runs, self.benchmark)
        ranked = [s for s in scores if s.contender in everywhere] or scores
        behind = self._behind(runs, ranked[0], ranked) if everywhere else frozenset[str]()
        close = [s for s in ranked if s.contender not in behind and _is_close(ranked[0], s)]
        first = min([ranked[0], *close], key=lambda s: self._places[s.contender])
        partial = [s for s in scores if s not in ranked]
        has_rival = any(s.is_exact and s.n_supported for s in ranked if s is not first)
        sizes = [run.shape["n_features"] for run in runs]
        return Advice(
            kind=kind,
            sizes=(min(sizes), max(sizes)),
            n_instances=_n_instances(runs),
            behind=behind,
            ranked=(first, *(s for s in ranked if s is not first)),
            partial=tuple(partial),
            on_part=tuple(self._on_part(runs, first.contender, partial, not has_rival)),
        )

    def _behind(self, runs: Sequence[BenchRun], first: Score, others: Sequence[Score]) -> frozenset[str]:
        """Return the contenders that are shown to cost more than the first, by more than noise."""
        if _n_instances(runs) < FEWEST_INSTANCES:
            return frozenset()
        names = {first.contender, *(other.contender for other in others if other.is_exact)}
        worse = shown_worse(task_table(run for run in runs if run.contender in names), first.contender)
        return frozenset(o.contender for o in others if o.contender in worse and not _is_close(first, o))

    def _on_part(
        self, runs: Sequence[BenchRun], first: str, partial: Sequence[Score], is_one_due: bool
    ) -> list[tuple[Score, Score, bool]]:
        """Return who does better on a part of the runs, or if one is due the best that was given a part."""
        groups = by_contender(runs)
        compared = []
        for other in (s.contender for s in partial if s.is_exact and s.n_supported):
            tasks = {run.task for run in groups[other]} & {run.task for run in groups[first]}
            common = [run for run in runs if run.task in tasks and run.contender in (other, first)]
            if common:
                scores = {s.contender: s for s in ranking(common, self.benchmark)}
                theirs, firsts = scores[other], scores[first]
                compared.append((theirs, firsts, bool(self._behind(common, theirs, [firsts]))))
        return [pair for pair in compared if pair[2]] or compared[:is_one_due]

    def _use(self, runs: Sequence[BenchRun]) -> tuple[str, bool]:
        advice = self.on(runs, None)
        return advice.first.contender, advice.is_proved

    def _finished(self, runs: Sequence[BenchRun]) -> Sequence[BenchRun]:
        """Leave out trials of which a contender's run is missing, unless nothing would be left."""
        return [run for run in runs if run.trial not in self._unfinished] or runs


def _n_instances(runs: Iterable[BenchRun]) -> int:
    return len({run.task.instance for run in runs})


def _by_size(runs: Iterable[BenchRun]) -> list[list[BenchRun]]:
    """Return the runs in groups by the number of features."""
    groups: dict[int, list[BenchRun]] = {}
    for run in runs:
        number = bisect_left(SIZE_CLASSES, run.shape["n_features"])
        groups.setdefault(number, []).append(run)
    return [groups[number] for number in sorted(groups)]
