"""Figures of a report: solved over time, performance profile, pairs, mean ranks, distance to best sets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.bench.report.advice import FEWEST_INSTANCES
from pyfsel.bench.report.runs import Benchmark, BenchRun
from pyfsel.bench.report.scores import by_contender, printable, proving, ranking
from pyfsel.bench.report.statistics import compared, pairwise_tests, survival
from pyfsel.errors import PyfselError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# eight hues that stay apart under protanopia, deuteranopia and tritanopia, on white and on dark paper
HUES = ("#5f68fc", "#f16815", "#0ea868", "#c03bbc", "#006f88", "#8c5d00", "#152c82", "#6b0d06")
DARK_HUES = ("#7f7efd", "#fe9093", "#0f895f", "#bb29a6", "#00c3dd", "#f0ce2a", "#dbe4ff", "#de2506")
PAPER, INK, MUTED, GRID = "#ffffff", "#1b1f24", "#5b6470", "#e3e6ea"
DARK_PAPER, DARK_INK, DARK_MUTED, DARK_GRID = "#16181d", "#e6e8eb", "#a2aab5", "#343941"
LINES = ("-", "--", ":", "-.")
LONGEST_NAME = 30
LONG_LABEL, ROW = 18, 0.18
LEAST_SECONDS = 1e-3  # shorter times are noise, and zero has no place on a logarithmic axis
FEWEST_RANKED = 3
MOST_PAIRS = 3
N_TIMES = 160
SETTINGS: Mapping[str, Any] = {
    "font.size": 9,
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "text.color": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@dataclass(frozen=True)
class Drawing:
    """A figure with a file name, and the words around it."""

    name: str
    title: str
    caption: str
    figure: Figure

    @cached_property
    def svg(self) -> str:
        """The figure as an SVG file, on white paper."""
        return _saved(self.figure, "svg", self.name).decode()

    @property
    def pdf(self) -> bytes:
        """The figure as a PDF file, for papers."""
        return _saved(self.figure, "pdf", self.name)


def _saved(figure: Figure, kind: str, salt: str) -> bytes:
    import matplotlib

    file = io.BytesIO()
    named = ("Creator", "Date", "Format", "Type") if kind == "svg" else ("CreationDate",)
    with matplotlib.rc_context({**SETTINGS, "svg.hashsalt": salt}):
        figure.savefig(file, format=kind, metadata=dict.fromkeys(named))
    return file.getvalue()


def page_colours() -> dict[str, tuple[str, str]]:
    """Return the custom properties of the page that figures use, each on white and on dark paper."""
    hues = {f"hue{i}": pair for i, pair in enumerate(zip(HUES, DARK_HUES, strict=True))}
    light, dark = (PAPER, INK, MUTED, GRID), (DARK_PAPER, DARK_INK, DARK_MUTED, DARK_GRID)
    names = ("paper", "ink", "muted", "grid")
    return hues | dict(zip(names, zip(light, dark, strict=True), strict=True))


def require_libraries() -> None:
    """Raise an error that says what to install, if a library that pages need is missing."""
    for library in ("matplotlib", "scikit_posthocs"):
        try:
            __import__(library)
        except ImportError:
            raise PyfselError(
                f"report: {library} is not installed (pip install 'pyfsel[plots]'); "
                "--format markdown needs no libraries"
            ) from None


def looks_of(contenders: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return colour, line and label of each contender, the same in all figures."""
    return {
        name: {
            "color": HUES[i % len(HUES)],
            "linestyle": LINES[i // len(HUES) % len(LINES)],
            "label": shortened(name),
        }
        for i, name in enumerate(contenders)
    }


def shortened(name: str) -> str:
    """Return a printable name, the middle left out if it is long; legends lack names like "_x"."""
    name = printable(name)
    name = f" {name}" if name.startswith("_") else name
    half = (LONGEST_NAME - 1) // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


@contextmanager
def panel(x: str, y: str, width: float = 4.0) -> Iterator[tuple[Figure, Any]]:
    """Yield a figure and its axes, with a logarithmic axis across and a legend below what is drawn."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(dict(SETTINGS)):
        figure = Figure(figsize=(width, 2.8), layout="constrained")
        axes = figure.subplots()
        axes.set(xlabel=x, ylabel=y, xscale="log")
        yield figure, axes
        names = axes.get_legend_handles_labels()[1]
        if names:
            columns = 1 if max(map(len, names)) > LONG_LABEL else 2
            figure.set_figheight(2.6 + ROW * -(-len(names) // columns))
            figure.legend(loc="outside lower center", ncols=columns)


def figures_of(benchmark: Benchmark) -> list[Drawing]:
    """Return the figures of all runs; those that would be empty are left out."""
    looks = looks_of(benchmark.contenders)
    exact = proving(benchmark.runs)
    drawn = [*_distance(benchmark, looks)]
    if any(run.proved for run in benchmark.runs):
        drawn = [_cactus(exact, looks), _profile(exact, looks), *_ranks(benchmark, looks), *drawn]
    return drawn


def pairs_of(benchmark: Benchmark) -> list[Drawing]:
    """Return the best contender against each of the next ones."""
    exact = proving(benchmark.runs)
    names = [s.contender for s in ranking(benchmark.runs, benchmark) if s.contender in exact]
    looks = looks_of(benchmark.contenders)
    drawn = (
        _scatter(number, exact[names[0]], exact[name], looks) for number, name in enumerate(names[1:], 1)
    )
    return [one for one in drawn if one is not None][:MOST_PAIRS]


def _cactus(exact: Mapping[str, list[BenchRun]], looks: Mapping[str, Any]) -> Drawing:
    with panel("seconds per run", "runs proved, %") as (figure, axes):
        for name, own in exact.items():
            times, shares = survival([run for run in own if run.supported] or own)
            end = max(run.task.time_limit for run in own)
            across = [*np.maximum(times, LEAST_SECONDS), max([end, *times])]
            axes.step(across, 100 * np.array([*shares, *(shares[-1:] or [0.0])]), where="post", **looks[name])
    return Drawing(
        "solved-over-time",
        "Solved over time",
        "Of the runs that each backend supports, the share that it proved within a given number of seconds. "
        "A run without proof counts up to its limit (Kaplan and Meier). Higher and further left is better.",
        figure,
    )


def _profile(exact: Mapping[str, list[BenchRun]], looks: Mapping[str, Any]) -> Drawing:
    fastest: dict[Any, float] = {}
    for run in (run for own in exact.values() for run in own if run.proved):
        fastest[run.task] = min(max(run.seconds, LEAST_SECONDS), fastest.get(run.task, np.inf))
    with panel("times as long as the fastest backend", "runs proved, %") as (figure, axes):
        for name, own in exact.items():
            given = [run for run in own if run.task in fastest]
            ratios = [max(r.seconds, LEAST_SECONDS) / fastest[r.task] if r.proved else np.inf for r in given]
            ratios = sorted(ratio for ratio in ratios if ratio < np.inf)
            shares = 100 * np.arange(1, len(ratios) + 1) / max(1, len(given))
            axes.step([1, *ratios], [0, *shares], where="post", **looks[name])
    return Drawing(
        "performance-profile",
        "Performance profile",
        "Of the runs that any backend proved, the share that this one proved within a given multiple of the "
        "fastest time. At 1 it shows how often it was the fastest, at the right how much it proves.",
        figure,
    )


def _ranks(benchmark: Benchmark, looks: Mapping[str, Any]) -> list[Drawing]:
    """Return the diagram of critical differences, if there are three contenders and six instances."""
    means = compared(benchmark)[0].groupby(level="instance").mean()
    if means.shape[1] < FEWEST_RANKED or len(means) < FEWEST_INSTANCES:
        return []
    from scikit_posthocs import critical_difference_diagram

    ranks = means.rank(axis=1).mean()
    with panel("", "", 6.0) as (figure, axes):
        axes.set_xscale("linear")
        colours = {name: looks[name]["color"] for name in ranks.index}
        tests = pairwise_tests(means)
        critical_difference_diagram(
            ranks, tests, ax=axes, color_palette=colours, crossbar_props={"color": INK}
        )
    return [
        Drawing(
            "critical-differences",
            "Mean ranks",
            f"The mean rank of each backend by PAR2 on {len(means)} instances; 1 is best. Backends under one "
            "bar do not differ by Wilcoxon's signed-rank tests with Holm's correction (5%).",
            figure,
        )
    ]


def _scatter(
    number: int, across: Sequence[BenchRun], up: Sequence[BenchRun], looks: Mapping[str, Any]
) -> Drawing | None:
    """Draw one contender against another, on the tasks that both support and one of them proved."""
    common = [(mine, run) for run in up for mine in across if mine.task == run.task]
    common = [pair for pair in common if pair[0].trial == pair[1].trial] or common
    decided = [p for p in common if p[0].supported and p[1].supported and (p[0].proved or p[1].proved)]
    if not decided:
        return None
    x_name, y_name = across[0].contender, up[0].contender
    limit = max(run.task.time_limit for pair in decided for run in pair)
    seconds = np.array(
        [[max(r.seconds, LEAST_SECONDS) if r.proved else limit for r in pair] for pair in decided]
    )
    ends = [seconds.min() / 1.5, max(seconds.max(), limit) * 1.4]
    wins = [int((seconds[:, 0] < seconds[:, 1]).sum()), int((seconds[:, 1] < seconds[:, 0]).sum())]
    with panel(f"{shortened(x_name)}, seconds", f"{shortened(y_name)}, seconds", 2.8) as (figure, axes):
        axes.set(yscale="log", xlim=ends, ylim=ends, aspect="equal")
        axes.plot(ends, ends, color=MUTED, linewidth=1)
        axes.plot(*seconds.T, "o", alpha=0.7, color=looks[y_name]["color"], markersize=4)
    return Drawing(
        f"scatter-{number}",
        f"{shortened(x_name)} against {shortened(y_name)}",
        f"{x_name} is faster on {wins[0]}, {y_name} on {wins[1]} of {len(decided)} runs.",
        figure,
    )


def _distance(benchmark: Benchmark, looks: Mapping[str, Any]) -> list[Drawing]:
    """Return how the distance to the best known sets shrinks, in runs that look for all sets at once."""
    known = [
        run
        for run in benchmark.runs
        if run.supported and run.task.question in benchmark.best
        if run.task.search != "sequential" or run.shape["n_alternatives"] == 0
    ]
    if not known:
        return []
    times = np.geomspace(0.01, max(0.02, *(run.seconds for run in known)), N_TIMES)
    with panel("seconds", "mean distance, %") as (figure, axes):
        for name, own in by_contender(known).items():
            far = [distance_over_time(run, times, benchmark.best[run.task.question][1]) for run in own]
            axes.step(times, 100 * np.mean(far, axis=0), where="post", **looks[name])
    return [
        Drawing(
            "distance-over-time",
            "Distance to the best known sets over time",
            "How far the sets found so far are from the best ones that any backend found, relative to these; "
            "100% until there are sets. Lower is better: who finds good sets early, proof or not.",
            figure,
        )
    ]


def distance_over_time(run: BenchRun, times: np.ndarray[Any, Any], best: float) -> np.ndarray[Any, Any]:
    """Return how far a run is from the best known value at some times, at most 1."""
    found = run.history("incumbents", "integer_objective")
    final = run.result.get("integer_objective")
    events = [*found, *([(run.seconds, final)] if final is not None else [])]
    values = [max((value for at, value in events if at <= time), default=-np.inf) for time in times]
    return np.clip((best - np.array(values, dtype=float)) / max(1.0, abs(best)), 0.0, 1.0)
