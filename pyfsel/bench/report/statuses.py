"""Tables of numbers: outcomes by kind of problem (as paper 000, Table 3), and one row per contender."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pyfsel.bench.compare import Outcome
from pyfsel.bench.report.runs import Benchmark, BenchRun, Kind
from pyfsel.bench.report.scores import Score, by_contender, ranking, score, seconds_text
from pyfsel.bench.report.statistics import (
    borda_scores,
    compared,
    contributions,
    excesses,
    intervals,
    task_table,
)
from pyfsel.results.answer import Status

STATUSES = (
    Status.OPTIMAL,
    Status.FEWER,
    Status.INFEASIBLE,
    Status.FEASIBLE,
    Status.NOT_SOLVED,
    Outcome.UNSUPPORTED,
    Outcome.ERROR,
)
MEASURED = {"mean compile": "compile_seconds", "mean CPU": "cpu_seconds"}
CONTENDER_HEADS = (
    "backend",
    "search",
    "time limit",
    "runs",
    *map(str, STATUSES),
    "other",
    "proved",
    "PAR2",
    "mean seconds",
    *MEASURED,
    "MB",
)


@dataclass(frozen=True)
class StatusRow:
    """How the runs of a contender on a kind of problem ended."""

    kind: Kind
    score: Score
    counts: tuple[int, ...]
    other: int

    @property
    def shares(self) -> list[str]:
        """Percentages of the runs; the last one is of what is no status."""
        return [f"{100 * n / self.score.n_runs:.1f}" if n else "–" for n in (*self.counts, self.other)]


@dataclass(frozen=True)
class Failure:
    """What went wrong with several runs alike."""

    contender: str
    outcome: str
    message: str
    times: int


def status_rows(benchmark: Benchmark) -> list[StatusRow]:
    """Return one row per kind of problem and contender that supports it, the best one of a kind first."""
    rows = []
    for kind, runs in benchmark.kinds.items():
        of_kind = [
            StatusRow(kind, score(name, own, benchmark.best), *_counted(own))
            for name, own in by_contender(runs).items()
            if any(run.supported for run in own)
        ]
        rows += sorted(of_kind, key=lambda row: row.score.rank)
    return rows


@dataclass(frozen=True)
class MatrixCell:
    """How a contender did on problems of a kind: in short, as a share, and in words."""

    text: str
    share: float
    is_exact: bool
    said: str


def matrix_rows(benchmark: Benchmark) -> list[tuple[Score, list[MatrixCell | None]]]:
    """Return a row per contender, the best first: cells for all problems and for each of several kinds.

    A cell is None where a contender was given nothing, or supports nothing.
    """
    kinds = benchmark.kinds.values() if len(benchmark.kinds) > 1 else ()
    groups = [by_contender(runs) for runs in (benchmark.runs, *kinds)]
    return [
        (own, [_matrix_cell(own.contender, group.get(own.contender, []), benchmark) for group in groups])
        for own in ranking(benchmark.runs, benchmark)
    ]


def _matrix_cell(name: str, runs: Sequence[BenchRun], benchmark: Benchmark) -> MatrixCell | None:
    own = score(name, runs, benchmark.best)
    if not own.n_supported:
        return None
    reached, what = (own.n_proved, "proved") if own.is_exact else (own.n_best, "best known sets found in")
    said = f"{name}: {what} {reached} of {own.n_supported}"
    if own.par2 is not None:
        said += f", PAR2 {seconds_text(own.par2)}"
    complete = own.is_exact and reached == own.n_supported
    text = seconds_text(own.par2).removesuffix(" s") if complete else f"{reached}/{own.n_supported}"
    return MatrixCell(text, reached / own.n_supported, own.is_exact, said)


COMPARISON_HEADS = ("backend", "tasks proved, %", "PAR2", "beyond the first", "of the virtual best", "Borda")


def comparison_rows(benchmark: Benchmark) -> list[list[str]]:
    """Return one row per contender that can prove something and was given everything, as text.

    The last one is the virtual best: of each task the least cost of all.
    """
    costs, runs = compared(benchmark)
    if costs.shape[1] < 2:
        return []
    par2 = intervals(costs)
    names = sorted(par2, key=lambda name: par2[name].mean)
    proved = intervals(task_table(runs, lambda run: 100 * run.proved))
    beyond, shares, borda = excesses(costs, names[0]), contributions(costs), borda_scores(runs)
    rows = [
        [
            name,
            proved[name].text("{:.0f}".format),
            par2[name].text(seconds_text),
            beyond[name].text(seconds_text) if name in beyond else "–",
            f"{shares[name]:.0%}",
            f"{borda[name]:.2f}",
        ]
        for name in names
    ]
    best = intervals(costs.min(axis=1).to_frame("best"))["best"]
    return [*rows, ["virtual best", "–", best.text(seconds_text), "–", "100%", "–"]]


def unsupporting(benchmark: Benchmark) -> dict[Kind, list[str]]:
    """Return the contenders that support no problem of a kind."""
    found = {
        kind: [name for name, own in by_contender(runs).items() if not any(run.supported for run in own)]
        for kind, runs in benchmark.kinds.items()
    }
    return {kind: names for kind, names in found.items() if names}


def failures(benchmark: Benchmark) -> list[Failure]:
    """Return why runs crashed or have no result, the most frequent reason first.

    Unsupported problems are no failure.
    """
    reasons = Counter(
        (run.contender, run.outcome, run.message)
        for run in benchmark.runs
        if run.outcome == Outcome.ERROR or (not run.result and run.supported)
    )
    return [Failure(*reason, times) for reason, times in reasons.most_common()]


def contender_rows(benchmark: Benchmark) -> list[list[str]]:
    """Return one row per contender, search and time limit, as text under `CONTENDER_HEADS`."""
    groups: dict[tuple[str, str, float], list[BenchRun]] = {}
    for run in benchmark.runs:
        groups.setdefault((run.contender, run.task.search, run.task.time_limit), []).append(run)
    return [_contender_row(benchmark, key, groups[key]) for key in sorted(groups)]


def _counted(runs: Sequence[BenchRun]) -> tuple[tuple[int, ...], int]:
    counted = Counter(run.outcome for run in runs)
    counts = tuple(counted[status] for status in STATUSES)
    return counts, len(runs) - sum(counts)


def _mean(numbers: Sequence[float | None]) -> float | None:
    """Return the mean of the numbers that there are."""
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


def _contender_row(benchmark: Benchmark, key: tuple[str, str, float], runs: Sequence[BenchRun]) -> list[str]:
    contender, search, limit = key
    counts, other = _counted(runs)
    own = score(contender, runs, benchmark.best)
    share = f"{own.n_proved / own.n_supported:.0%}" if own.par2 is not None else "–"
    return [
        contender,
        search,
        f"{limit:g}",
        str(len(runs)),
        *map(str, counts),
        str(other),
        share,
        seconds_text(own.par2),
        seconds_text(own.mean_seconds),
        *(seconds_text(_mean([run.measured(name) for run in runs])) for name in MEASURED.values()),
        f"{max(run.peak_memory for run in runs):.0f}",
    ]
