"""Figures of progress: how the gap to the bound and the distance to the best known sets shrink."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pyfsel.bench.report.drawing import Drawing, Style, legend_below, panel, plain_numbers, shortened
from pyfsel.bench.report.runs import Benchmark, BenchRun
from pyfsel.bench.report.scores import by_contender

N_TIMES = 160
FIRST_SECOND = 0.01
Times = NDArray[np.float64]
Curve = Callable[[BenchRun, Times], Times]


def progress_figures(
    benchmark: Benchmark, runs: Sequence[BenchRun], looks: Mapping[str, Style], prefix: str = ""
) -> list[Drawing]:
    """Return the figures of progress; those for which the runs hold nothing are left out.

    Sequential runs with several sets are left out: each step has bounds of its own.
    """
    supported = [run for run in runs if run.supported]
    supported = [r for r in supported if r.task.search != "sequential" or r.shape["n_alternatives"] == 0]
    known = [run for run in supported if run.task.question in benchmark.best]
    drawings = []
    if any(run.proved or run.history("bounds", "integer_bound") for run in supported):
        exact = [run for run in supported if run.exact]
        drawings.append(_figure(f"{prefix}gap-over-time", *GAP_WORDS, exact, gap_over_time, looks))
    if known:

        def distance(run: BenchRun, times: Times) -> Times:
            return distance_over_time(run, times, benchmark.best[run.task.question][1])

        drawings.append(_figure(f"{prefix}distance-over-time", *DISTANCE_WORDS, known, distance, looks))
    return drawings


GAP_WORDS = (
    "Gap over time",
    "mean gap, %",
    "The mean distance between the best sets found so far and the proved bound, relative to the sets; 100 % "
    "until there are both, 0 % from the proof on. Lower is better. Over the runs that a backend supports and "
    "that look for all sets at once.",
)
DISTANCE_WORDS = (
    "Distance to the best known sets over time",
    "mean distance, %",
    "How far the sets found so far are from the best ones that any backend found, relative to these; 100 % "
    "until there are sets. Lower is better: this shows which backend finds good sets early, proof or not.",
)


def gap_over_time(run: BenchRun, times: Times) -> Times:
    """Return the gap of a run at some times, at most 1; 1 also where no gap is known."""
    found = _steps(run.history("incumbents", "integer_objective"), run, "integer_objective", times, -np.inf)
    bound = _steps(run.history("bounds", "integer_bound"), run, "integer_bound", times, np.inf)
    gap = _relative(bound, found, found)
    if run.proved:
        gap[times >= run.seconds] = 0.0
    return gap


def distance_over_time(run: BenchRun, times: Times, best: float) -> Times:
    """Return how far a run is from the best known value at some times, at most 1."""
    found = _steps(run.history("incumbents", "integer_objective"), run, "integer_objective", times, -np.inf)
    known = np.full(len(times), float(best))
    return _relative(known, found, known)


def _steps(
    history: Sequence[tuple[float, float]], run: BenchRun, name: str, times: Times, before: float
) -> Times:
    """Return the last value of a history at some times; at the end of the run that of its result."""
    final = run.result.get(name)
    events = [*history, *([(run.seconds, final)] if final is not None else [])]
    if not events:
        return np.full(len(times), before)
    order = np.argsort([time for time, value in events], kind="stable")
    at = np.array([events[i][0] for i in order])
    values = np.array([float(events[i][1]) for i in order])
    best = np.minimum.accumulate(values) if before > 0 else np.maximum.accumulate(values)
    position = np.searchsorted(at, times, side="right")
    return np.where(position > 0, best[position - 1], before)


def _relative(high: Times, low: Times, to: Times) -> Times:
    """Return the distance of two series relative to a third, as `Result.gap` does, at most 1."""
    known = np.isfinite(high) & np.isfinite(low)
    gap = np.ones(len(high))
    gap[known] = (high[known] - low[known]) / np.maximum(1.0, np.abs(to[known]))
    return np.clip(gap, 0.0, 1.0)


def _figure(
    name: str,
    title: str,
    label: str,
    caption: str,
    runs: Sequence[BenchRun],
    curve: Curve,
    looks: Mapping[str, Style],
) -> Drawing:
    end = max(FIRST_SECOND * 2, *(run.seconds for run in runs))
    times = np.geomspace(FIRST_SECOND, end, N_TIMES)
    with panel() as (figure, axes):
        for contender, own in by_contender(runs).items():
            mean = 100 * np.mean([curve(run, times) for run in own], axis=0)
            look = looks[contender].line(N_TIMES)
            axes.step(times, mean, where="post", label=shortened(contender), **look)
        axes.set_xscale("log")
        plain_numbers(axes.xaxis)
        axes.set_ylim(-3, 103)
        axes.set_xlabel("seconds")
        axes.set_ylabel(label)
        legend_below(figure, axes)
    return Drawing(name, title, caption, figure)
