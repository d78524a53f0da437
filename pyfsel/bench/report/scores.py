"""Scores of contenders: tasks proved, PAR2, best values found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyfsel.bench.report.runs import Benchmark, BenchRun
from pyfsel.bench.suite import RunSpec


@dataclass(frozen=True)
class Score:
    """What a contender achieved on some tasks.

    Attributes
    ----------
    n_runs : int
        More than tasks if these were repeated with several seeds.
    n_tasks, n_supported, n_proved : int
        A task is proved if it was with every seed.
    par2 : float or None
        Mean cost of the supported tasks; None for heuristics, which prove nothing, and without such tasks.
    mean_seconds : float or None
        Mean seconds of the runs that proved something.
    cost : float
        Sum of the costs of all runs; unsupported ones count as not proved.
    n_best : int
        Tasks on which it found the best known value, with every seed.
    seconds : float
        Sum of the seconds of all runs.
    n_by_solver : mapping of str to int
        Number of results by the backend that did the work, the most frequent first.
    """

    contender: str
    is_exact: bool
    n_runs: int
    n_tasks: int
    n_supported: int
    n_proved: int
    par2: float | None
    mean_seconds: float | None
    cost: float
    n_best: int
    seconds: float
    n_by_solver: Mapping[str, int]

    @property
    def rank(self) -> tuple[float, ...]:
        """What sorts better scores first: most proved, then least cost, then most best values."""
        return (-self.n_proved, self.cost, -self.n_best, self.seconds)

    @property
    def solvers(self) -> list[str]:
        """Backends that did the work."""
        return sorted(self.n_by_solver)

    @property
    def backend(self) -> str:
        """Name of the backend, without formulation and settings."""
        return self.contender.partition(", ")[0].partition("/")[0]

    @property
    def choices(self) -> str:
        """What it chose how often, in words; empty if it makes no choice."""
        if self.backend != "auto" or not self.n_by_solver:
            return ""
        return f"It chose {', '.join(f'{name} ({n:,} runs)' for name, n in self.n_by_solver.items())}."

    @property
    def name(self) -> str:
        """The contender, and what it used if it chose itself."""
        used = [solver for solver in self.solvers if solver != self.backend]
        return f"{self.contender} ({', '.join(used)})" if used and self.backend == "auto" else self.contender

    @property
    def proved_text(self) -> str:
        """Such as ``25 of 25``."""
        return f"{self.n_proved} of {self.n_tasks}"


def by_contender(runs: Iterable[BenchRun]) -> dict[str, list[BenchRun]]:
    """Return the runs of each contender, in the order of their names."""
    groups: dict[str, list[BenchRun]] = {}
    for run in runs:
        groups.setdefault(run.contender, []).append(run)
    return {name: groups[name] for name in sorted(groups)}


def by_task(runs: Iterable[BenchRun]) -> list[list[BenchRun]]:
    """Return the runs of each task: the repetitions of one contender, or those of several."""
    groups: dict[RunSpec, list[BenchRun]] = {}
    for run in runs:
        groups.setdefault(run.task, []).append(run)
    return list(groups.values())


def proving(runs: Iterable[BenchRun]) -> dict[str, list[BenchRun]]:
    """Return the runs of each contender that can prove something about some of these problems."""
    groups = by_contender(runs).items()
    return {name: own for name, own in groups if any(run.exact and run.supported for run in own)}


def score(contender: str, runs: Sequence[BenchRun], best: Mapping[tuple[str, str], object]) -> Score:
    """Return the score of a contender on its runs."""
    tasks = by_task(runs)
    supported = [run for run in runs if run.supported]
    proved = [run.seconds for run in runs if run.proved]
    is_exact = any(run.exact for run in runs)
    has_par2 = is_exact and bool(supported)
    return Score(
        contender=contender,
        is_exact=is_exact,
        n_runs=len(runs),
        n_tasks=len(tasks),
        n_supported=sum(all(run.supported for run in own) for own in tasks),
        n_proved=sum(all(run.proved for run in own) for own in tasks),
        par2=sum(run.cost for run in supported) / len(supported) if has_par2 else None,
        mean_seconds=sum(proved) / len(proved) if proved else None,
        cost=sum(run.cost for run in runs),
        n_best=sum(
            all(run.value is not None and run.value == best.get(run.task.question) for run in own)
            for own in tasks
        ),
        seconds=sum(run.seconds for run in runs),
        n_by_solver=dict(Counter(run.solver for run in runs if run.result).most_common()),
    )


def ranking(runs: Iterable[BenchRun], benchmark: Benchmark) -> list[Score]:
    """Return the scores of all contenders, the best one first."""
    scores = [score(name, own, benchmark.best) for name, own in by_contender(runs).items()]
    return sorted(scores, key=lambda s: (s.rank, s.contender))


def printable(text: str) -> str:
    """Return a text without characters that would act: control characters, changes of direction."""
    return "".join(c if c.isprintable() else "�" for c in text)


def seconds_text(seconds: float | None) -> str:
    """Return seconds with as many digits as matter."""
    if seconds is None:
        return "–"
    for limit, digits in ((0.0995, 3), (9.95, 2 if seconds < 0.995 else 1)):
        if seconds < limit:
            return f"{seconds:.{digits}f} s"
    return f"{seconds:,.0f} s"
