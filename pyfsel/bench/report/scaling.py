"""Figures of scaling: cost by number of features, alternatives, overlap and set size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsel.bench.report.drawing import (
    LEAST_SECONDS,
    Drawing,
    Style,
    legend_below,
    panel,
    plain_numbers,
    shortened,
)
from pyfsel.bench.report.runs import BenchRun
from pyfsel.bench.report.scores import proving

MOST_POSITIONS = 9


@dataclass(frozen=True)
class Dimension:
    """A number by which problems grow."""

    name: str
    title: str
    label: str
    of: Callable[[Mapping[str, Any]], float]
    is_logarithmic: bool = False


DIMENSIONS = (
    Dimension("n", "Scaling: number of features n", "features, n", lambda shape: shape["n_features"], True),
    Dimension(
        "a", "Scaling: number of alternatives a", "alternatives, a", lambda shape: shape["n_alternatives"]
    ),
    Dimension(
        "overlap",
        "Scaling: allowed overlap (1 − τ)",
        "max_overlap / k (0: no feature shared, τ = 1)",
        lambda shape: shape["max_overlap"] / shape["k"],
    ),
    Dimension("k", "Scaling: set size k", "features per set, k", lambda shape: shape["k"]),
)


def scaling_figures(
    runs: Sequence[BenchRun], looks: Mapping[str, Style], prefix: str = "", fewest_values: int = 2
) -> list[Drawing]:
    """Return one figure for each number in which the problems differ enough."""
    exact = proving(runs)
    drawings = []
    for dimension in DIMENSIONS:
        values = {dimension.of(run.shape) for own in exact.values() for run in own if run.supported}
        if len(values) >= fewest_values:
            drawings.append(_figure(dimension, exact, looks, prefix, sorted(values)))
    return drawings


def constant_numbers(runs: Sequence[BenchRun]) -> list[str]:
    """Return what all problems have in common, such as ``features per set, k: 5``."""
    found = []
    for dimension in DIMENSIONS:
        values = {dimension.of(run.shape) for run in runs}
        if len(values) == 1:
            found.append(f"{dimension.label}: {values.pop():g}")
    return found


def _figure(
    dimension: Dimension,
    exact: Mapping[str, list[BenchRun]],
    looks: Mapping[str, Style],
    prefix: str,
    values: Sequence[float],
) -> Drawing:
    position = _positions(values)
    limit = max(run.task.time_limit for own in exact.values() for run in own)
    with panel() as (figure, axes):
        for name, own in exact.items():
            costs: dict[float, list[float]] = {}
            for run in own:
                if run.supported:
                    costs.setdefault(position[dimension.of(run.shape)], []).append(run.cost)
            if not costs:
                continue
            across = sorted(costs)
            heights = [max(sum(costs[x]) / len(costs[x]), LEAST_SECONDS) for x in across]
            axes.plot(across, heights, label=shortened(name), **looks[name].line(len(across)))
        if dimension.is_logarithmic:
            axes.set_xscale("log")
            plain_numbers(axes.xaxis)
        else:
            ticks = sorted(set(position.values()))
            axes.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
        axes.margins(y=0.08)
        axes.set_xlabel(dimension.label)
        axes.set_ylabel("PAR2, seconds")
        legend_below(figure, axes)
    return Drawing(
        f"{prefix}scaling-{dimension.name}",
        dimension.title,
        f"PAR2 of the runs with this value; a backend that proves nothing there is at two time limits "
        f"({2 * limit:g} s at most). The other sizes of the problems vary as well.",
        figure,
    )


def _positions(values: Sequence[float]) -> dict[float, float]:
    """Return where each value is drawn: itself, or the geometric mean of its neighbours if these are many."""
    if len(values) <= MOST_POSITIONS:
        return {value: value for value in values}
    groups = np.array_split(np.array(values, dtype=float), MOST_POSITIONS)
    middles = [float(np.round(np.exp(np.log(np.maximum(group, 1e-9)).mean()), 2)) for group in groups]
    return {float(v): middle for group, middle in zip(groups, middles, strict=True) for v in group}
