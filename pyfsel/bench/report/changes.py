"""What changed between two benchmarks of the same runs, such as of two versions of this package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, isnan, log
from pathlib import Path

from pyfsel.bench.report.runs import BenchRun, load_benchmark
from pyfsel.bench.report.scores import by_contender, by_task
from pyfsel.bench.report.statistics import Interval, intervals, task_table
from pyfsel.errors import InputError

SHIFT = 0.1  # seconds added to both times, so runs of milliseconds do not decide
HEADS = ("backend", "tasks", "proved before", "proved now", "CPU time", "difference")


@dataclass(frozen=True)
class Change:
    """How a contender does on the runs that both benchmarks have.

    Attributes
    ----------
    contender : str
    n_tasks : int
    n_proved : tuple of int
        Tasks proved before and now.
    ratio : Interval or None
        CPU time now by that before: the shifted geometric mean over the tasks proved in both, with its 95%
        bootstrap interval over instances; None without such tasks.
    answers : tuple of str
        Tasks with two proofs that say different things.
    """

    contender: str
    n_tasks: int
    n_proved: tuple[int, int]
    ratio: Interval | None
    answers: tuple[str, ...]

    def is_worse(self, factor: float) -> bool:
        """Return whether proofs are lost, answers differ, or over `factor` times the CPU time is shown."""
        slower = self.ratio is not None and self.ratio.low > factor
        return slower or self.n_proved[1] < self.n_proved[0] or bool(self.answers)

    @property
    def cells(self) -> list[str]:
        """What it is in words, under `HEADS`."""
        before, now = map(str, self.n_proved)
        ratio = "–" if self.ratio is None else self.ratio.text("{:.2f}".format)
        return [self.contender, str(self.n_tasks), before, now, ratio, self._words()]

    def _words(self) -> str:
        if self.answers:
            return f"other answers: {', '.join(self.answers)}"
        if self.ratio is None:
            return "nothing was proved in both"
        if isnan(self.ratio.low):
            return "too few instances to show one"
        if self.ratio.low > 1:
            return f"slower by {self.ratio.low - 1:.0%} to {self.ratio.high - 1:.0%}"
        if self.ratio.high < 1:
            return f"faster by {1 - self.ratio.high:.0%} to {1 - self.ratio.low:.0%}"
        return "no difference shown"


def changes(old: str | Path, new: str | Path) -> list[Change]:
    """Return what changed for each contender between two checked benchmarks.

    Raises
    ------
    InputError
        If one has not been checked as it is now, or they have no run in common.
    """
    before, now = ({(run.contender, run.trial): run for run in load_benchmark(f).runs} for f in (old, new))
    common = before.keys() & now.keys()
    if not common:
        raise InputError(f"{new}: has no run in common with {old}")
    runs = [before[key] for key in before if key in common]
    return [
        _change(name, own, [now[run.contender, run.trial] for run in own])
        for name, own in by_contender(runs).items()
    ]


def _change(contender: str, before: list[BenchRun], now: list[BenchRun]) -> Change:
    pairs = list(zip(before, now, strict=True))
    proved = [(old, new) for old, new in pairs if old.proved and new.proved]
    ratios = {id(old): log((_cpu_seconds(new) + SHIFT) / (_cpu_seconds(old) + SHIFT)) for old, new in proved}
    ratio = None
    if ratios:
        logs = intervals(task_table([old for old, _ in proved], lambda run: ratios[id(run)]))[contender]
        ratio = Interval(*map(exp, logs))
    n_proved = (_n_proved(before), _n_proved(now))
    return Change(contender, len(by_task(before)), n_proved, ratio, tuple(_other_answers(proved)))


def _cpu_seconds(run: BenchRun) -> float:
    measured = run.measured("cpu_seconds")
    return run.seconds if measured is None else measured


def _n_proved(runs: list[BenchRun]) -> int:
    return sum(all(run.proved for run in own) for own in by_task(runs))


def _other_answers(proved: list[tuple[BenchRun, BenchRun]]) -> Iterator[str]:
    for old, new in proved:
        if (old.outcome, old.value) != (new.outcome, new.value) and old.trial.search != "sequential":
            yield old.trial.problem_name
