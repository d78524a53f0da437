"""Figures of run times: solved over time, performance profile, pairwise scatter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pyfsel.bench.report.advice import FEWEST_INSTANCES
from pyfsel.bench.report.drawing import (
    INK,
    LEAST_SECONDS,
    MUTED,
    ROW,
    WIDTH,
    Drawing,
    Style,
    legend_below,
    panel,
    plain_numbers,
    shortened,
)
from pyfsel.bench.report.runs import Benchmark, BenchRun
from pyfsel.bench.report.scores import Score, proving, ranking
from pyfsel.bench.report.statistics import compared, pairwise_tests, survival

FEWEST_RANKED = 3
MOST_PAIRS_EACH = 4
MOST_PANELS = 3
MOST_NAMED = 8
POINTS_ACROSS = 120


def time_figures(
    benchmark: Benchmark,
    runs: Sequence[BenchRun],
    looks: Mapping[str, Style],
    prefix: str = "",
    fewest_tasks: int = 1,
) -> list[Drawing]:
    """Return the figures of run times of some runs; those that would be empty are left out.

    With fewer than `fewest_tasks` there are none: the curves would show single runs.
    """
    exact = proving(runs)
    if not any(run.proved for run in runs) or len({run.task for run in runs}) < fewest_tasks:
        return []
    scores = [s for s in ranking(runs, benchmark) if s.contender in exact]
    cactus = _cactus(exact, scores, looks, prefix)
    return [cactus, _profile(exact, scores, looks, prefix)] if len(exact) > 1 else [cactus]


def rank_figures(benchmark: Benchmark, looks: Mapping[str, Style]) -> list[Drawing]:
    """Return the diagram of critical differences, if there are three contenders and six instances."""
    costs, _ = compared(benchmark)
    means = costs.groupby(level="instance").mean()
    if means.shape[1] < FEWEST_RANKED or len(means) < FEWEST_INSTANCES:
        return []
    from scikit_posthocs import critical_difference_diagram

    ranks = means.rank(axis=1).mean()
    with panel(0.6 + ROW * len(ranks), 1.5 * WIDTH) as (figure, axes):
        critical_difference_diagram(
            ranks,
            pairwise_tests(means),
            ax=axes,
            color_palette={name: looks[name].colour for name in ranks.index},
            crossbar_props={"color": INK},
        )
    return [
        Drawing(
            "critical-differences",
            "Mean ranks",
            f"The mean rank of each backend by PAR2 on {len(means)} instances; 1 is best. Backends under one "
            "bar do not differ by Wilcoxon's signed-rank tests with Holm's correction (5 %).",
            figure,
        )
    ]


def scatter_figures(benchmark: Benchmark, looks: Mapping[str, Style]) -> list[Drawing]:
    """Return one figure per pair of contenders, or per contender against the best one if these are many."""
    exact = proving(benchmark.runs)
    names = [s.contender for s in ranking(benchmark.runs, benchmark) if s.contender in exact]
    pairs = list(combinations(names, 2))
    if len(names) > MOST_PAIRS_EACH:
        pairs = [(names[0], name) for name in names[1:]]
    drawn = (_scatter(number, exact[x], exact[y], looks[y]) for number, (x, y) in enumerate(pairs, 1))
    return [drawing for drawing in drawn if drawing is not None][:MOST_PANELS]


def _cactus(
    exact: Mapping[str, list[BenchRun]], scores: Sequence[Score], looks: Mapping[str, Style], prefix: str
) -> Drawing:
    end = max(run.task.time_limit for own in exact.values() for run in own)
    with panel() as (figure, axes):
        for place, own_score in enumerate(scores):
            name = own_score.contender
            times, shares = survival([run for run in exact[name] if run.supported] or exact[name])
            label = f"{shortened(name)}: {own_score.n_proved}/{own_score.n_tasks}"
            across = [*(max(seconds, LEAST_SECONDS) for seconds in times), max([end, *times])]
            heights = [100 * share for share in [*shares, *(shares[-1:] or [0.0])]]
            look = _look(place, len(scores), label, looks[name], len(across))
            axes.step(across, heights, where="post", **look)
        axes.set_xscale("log")
        plain_numbers(axes.xaxis)
        axes.set_ylim(-2, 103)
        axes.set_xlabel("seconds per run")
        axes.set_ylabel("runs proved, %")
        legend_below(figure, axes)
    return Drawing(
        f"{prefix}solved-over-time",
        "Solved over time",
        "Of the runs that each backend supports, the share that it proved (optimal or infeasible) within a "
        "given number of seconds; a run without proof counts up to its limit (Kaplan and Meier). Higher and "
        "further left is better; the legend names the best eight, with the tasks that they proved.",
        figure,
    )


def _profile(
    exact: Mapping[str, list[BenchRun]], scores: Sequence[Score], looks: Mapping[str, Style], prefix: str
) -> Drawing:
    fastest: dict[Any, float] = {}
    for own in exact.values():
        for run in own:
            if run.proved:
                seconds = max(run.seconds, LEAST_SECONDS)
                fastest[run.task] = min(seconds, fastest.get(run.task, seconds))
    ratios: dict[str, list[float]] = {}
    for name, own in exact.items():
        proved = [run for run in own if run.proved]
        ratios[name] = sorted(max(r.seconds, LEAST_SECONDS) / fastest[r.task] for r in proved)
    end = 1.2 * max(max(own, default=1.0) for own in ratios.values())
    with panel() as (figure, axes):
        for place, own_score in enumerate(scores):
            name = own_score.contender
            given = sum(run.task in fastest for run in exact[name])
            shares = [100 * (i + 1) / given for i in range(len(ratios[name]))]
            if not shares:
                continue
            across, heights = [1, *ratios[name], end], [0, *shares, shares[-1]]
            look = _look(place, len(scores), shortened(name), looks[name], len(across))
            axes.step(across, heights, where="post", **look)
        axes.set_xscale("log")
        plain_numbers(axes.xaxis)
        axes.set_xlim(left=0.97)
        axes.set_ylim(-2, 103)
        axes.set_xlabel("times as long as the fastest backend")
        axes.set_ylabel("runs proved, %")
        legend_below(figure, axes)
    return Drawing(
        f"{prefix}performance-profile",
        "Performance profile",
        "Of the runs that any backend proved, the share that this one proved within a given multiple of the "
        "fastest backend's time. At 1 it shows how often it was the fastest, at the right how much it proves "
        "at all.",
        figure,
    )


def _look(place: int, n_scores: int, label: str, style: Style, n_points: int) -> dict[str, Any]:
    """Return label and look of the curve of a score: the best have names, the others are grey."""
    if place < MOST_NAMED:
        return {"label": label, **style.line(n_points)}
    others = f"{n_scores - MOST_NAMED} others" if place == MOST_NAMED else None
    return {"label": others, "color": MUTED, "linewidth": 0.8, "alpha": 0.5}


def _scatter(number: int, across: list[BenchRun], up: list[BenchRun], style: Style) -> Drawing | None:
    """Draw one contender against another, on the tasks that both support and one of them proved."""
    common = [(mine, run) for run in up for mine in across if mine.task == run.task]
    same_seed = [pair for pair in common if pair[0].trial == pair[1].trial]
    common = same_seed or common
    supported = [pair for pair in common if pair[0].supported and pair[1].supported]
    decided = [pair for pair in supported if pair[0].proved or pair[1].proved]
    if not decided:
        return None
    x_name, y_name = across[0].contender, up[0].contender
    limit = max(run.task.time_limit for pair in decided for run in pair)
    seconds = np.array([[_shown(run, limit) for run in pair] for pair in decided])
    low = seconds.min() / 1.5
    high = max(seconds.max(), limit) * 1.4
    x, y = _thinned(seconds, low, high).T
    wins = [sum(a < b for a, b in seconds), sum(b < a for a, b in seconds)]
    with panel(2.8, 2.9) as (figure, axes):
        axes.plot([low, high], [low, high], color=MUTED, linewidth=1)
        axes.plot(x, y, linestyle="none", alpha=0.7, **style.points())
        for draw in (axes.axhline, axes.axvline):
            draw(limit, color=MUTED, linewidth=1, linestyle=(0, (3, 3)))
        axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
        plain_numbers(axes.xaxis)
        plain_numbers(axes.yaxis)
        axes.set_xlabel(f"{shortened(x_name)}, seconds")
        axes.set_ylabel(f"{shortened(y_name)}, seconds")
    return Drawing(
        f"scatter-{number}",
        f"{shortened(x_name)} against {shortened(y_name)}",
        f"{x_name} is faster on {wins[0]}, {y_name} on {wins[1]} of {len(decided)} runs.",
        figure,
    )


def _shown(run: BenchRun, limit: float) -> float:
    """Return the seconds of a run; those that proved nothing are drawn at the time limit."""
    return max(run.seconds, LEAST_SECONDS) if run.proved else limit


def _thinned(points: Any, low: float, high: float) -> Any:
    """Leave out points that would cover each other."""
    cells = np.round(POINTS_ACROSS * np.log(points / low) / np.log(high / low))
    first = np.unique(cells, axis=0, return_index=True)[1]
    return points[np.sort(first)]
