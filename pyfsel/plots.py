"""Figures of results, sweeps and evaluations; they need the extra ``plots`` (matplotlib).

Each function returns a `matplotlib.figure.Figure`, which notebooks show and `save_figure` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel import objectives
from pyfsel.checks import file_path, is_a
from pyfsel.errors import InputError, PyfselError
from pyfsel.result import Incumbent, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pyfsel.evaluation import Evaluation
    from pyfsel.sweep_cells import Cell, Sweep

COLOURS = ("#4269d0", "#e8804b", "#3ca951", "#a463f2", "#d0557b", "#6b7280", "#b08d00", "#0f9ba8")
MARKERS = "osD^vPX*"
GREY = "#6b7280"
LONGEST_NAME = 44
MOST_LABELS = 80
FORMATS = (".png", ".svg", ".pdf")


def plot_membership(result: Result) -> Figure:
    """Draw which features are in which set; features in many sets come first.

    Parameters
    ----------
    result : Result

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the result holds no sets.
    """
    _require_sets(result)
    counts = Counter(j for members in result.sets for j in members)
    first_in = {j: i for i, members in reversed(list(enumerate(result.sets))) for j in members}
    features = sorted(counts, key=lambda j: (-counts[j], first_in[j], j))
    n_rows, n_columns = len(features), len(result.sets)
    cell = min(0.3, 24 / n_rows)
    names = [_shortened(result.problem.feature_names[j]) for j in features]
    figure, (axes,) = _figure(0.6 + 0.09 * max(map(len, names)) + cell * n_columns, 0.8 + cell * n_rows)
    for row, feature in enumerate(features):
        for column, members in enumerate(result.sets):
            colour = COLOURS[0] if feature in members else "#eef0f4"
            axes.add_patch(_rectangle(column, row, colour))
    axes.set_xlim(-0.5, n_columns - 0.5)
    axes.set_ylim(n_rows - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.set_xticks(range(n_columns))
    axes.set_yticks(range(n_rows), names, fontsize=9 if n_rows <= MOST_LABELS else 5)
    axes.set_xlabel("set")
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    _without_frame(axes)
    return figure


def plot_overlaps(result: Result) -> Figure:
    """Draw how many features each two sets share; the diagonal shows the sizes.

    Parameters, return value and errors as for `plot_membership`.
    """
    _require_sets(result)
    n = len(result.sets)
    members = [frozenset(s) for s in result.sets]
    shared = [[len(a & b) for b in members] for a in members]
    side = max(3.2, 0.5 * n + 1.6)
    figure, (axes,) = _figure(side + 1.2, side)
    image = axes.imshow(shared, cmap="Blues", vmin=0, vmax=1.4 * result.problem.set_size)
    for i in range(n):
        for j in range(n):
            axes.text(j, i, str(shared[i][j]), ha="center", va="center", fontsize=10)
    axes.set_xticks(range(n))
    axes.set_yticks(range(n))
    axes.set_xlabel("set")
    axes.set_ylabel("set")
    axes.tick_params(length=0)
    axes.set_title(f"features shared (at most {result.problem.max_overlap} allowed)")
    _without_frame(axes)
    image.set_clim(0, 1.4 * result.problem.set_size)
    return figure


def plot_qualities(result: Result) -> Figure:
    """Draw the quality of each set, with what is proved to be the most that is possible.

    In sequential search each set has its own bound, given the sets before it; in simultaneous search the
    line is the bound on the mean of the sets, or on the smallest with min-aggregation. The rounding loss is
    included. Parameters, return value and errors as for `plot_membership`.
    """
    _require_sets(result)
    n = len(result.sets)
    figure, (axes,) = _figure(max(4.0, 0.5 * n + 2.5), 3.4)
    axes.bar(range(n), result.qualities, color=COLOURS[0], width=0.7, label="quality")
    problem, style = result.problem, {"color": COLOURS[1], "linewidth": 2.5}
    if result.steps:
        loss = objectives.rounding_loss(problem.replace(n_sets=1))
        label = "bound, given the sets before"
        for number, step in enumerate(result.steps[:n]):
            if step.bound is not None:
                level = objectives.to_float(problem, step.bound) + loss
                axes.plot([number - 0.42, number + 0.42], [level, level], label=label, **style)
                label = "_nolegend_"
    elif result.bound is not None:
        by_sum = problem.aggregate == "sum"
        level = result.bound / problem.n_sets if by_sum else result.bound
        label = f"bound on the {'mean' if by_sum else 'smallest'}"
        axes.plot([-0.5, n - 0.5], [level, level], label=label, **style)
    axes.set_xticks(range(n))
    axes.set_xlabel("set")
    axes.set_ylabel(f"{problem.objective} quality")
    axes.set_title(str(result.status))
    _legend_below(figure, axes)
    return figure


def plot_incumbents(result: Result) -> Figure:
    """Draw how the objective of the best known solution rose, and the final bound.

    In sequential search each set has a line of its own. Parameters and return value as for
    `plot_membership`.

    Raises
    ------
    InputError
        If the result holds no history.
    """
    if not result.incumbents:
        raise InputError("result: holds no incumbents to plot")
    figure, (axes,) = _figure(5.4, 3.4)
    groups = _by_step(result)
    for number, (incumbents, end) in enumerate(groups):
        times = [incumbent.time for incumbent in incumbents]
        values = [objectives.to_float(result.problem, incumbent.objective) for incumbent in incumbents]
        colour = COLOURS[number % len(COLOURS)]
        label = f"set {number}" if len(groups) > 1 else "best known solution"
        axes.step([*times, end], [*values, values[-1]], where="post", color=colour, label=label)
        axes.plot(times, values, MARKERS[0], color=colour, markersize=5)
    if len(groups) == 1 and result.bound is not None:
        axes.axhline(result.bound, color=COLOURS[1], linestyle="--", label="bound at the end")
    axes.set_xlim(left=0)
    axes.margins(y=0.1)
    axes.set_xlabel("seconds")
    axes.set_ylabel("objective")
    axes.set_title(str(result.status))
    _legend_below(figure, axes)
    return figure


def plot_sweep(sweep: Sweep) -> Figure:
    """Draw quality against dissimilarity: one panel per set size, one line per number of alternatives.

    Filled points are on the Pareto front (see `pyfsel.sweep_cells.Cell.dominates`); crosses at the bottom are
    thresholds without enough sets.

    Parameters
    ----------
    sweep : Sweep

    Returns
    -------
    matplotlib.figure.Figure
    """
    sizes = sorted({cell.set_size for cell in sweep.cells})
    figure, panels = _figure(1.4 + 3.7 * len(sizes), 4.2, len(sizes))
    complete = [cell for cell in sweep.cells if cell.is_complete]
    is_relative = all(isfinite(cell.relative_quality) for cell in complete)
    numbers = sorted({cell.n_alternatives for cell in sweep.cells})
    on_front = dict(zip(map(id, sweep.cells), sweep.pareto, strict=True))
    for panel, size in zip(panels, sizes, strict=True):
        for position, a in enumerate(numbers):
            line = [c for c in complete if c.set_size == size and c.n_alternatives == a]
            missing = [
                c for c in sweep.cells if c.set_size == size and c.n_alternatives == a and c not in line
            ]
            _draw_cells(panel, line, missing, a, position, is_relative, on_front)
        panel.set_title(f"k = {size}")
        panel.set_xlabel(f"least {sweep.cells[0].dissimilarity.capitalize()} dissimilarity of two sets")
        panel.set_xlim(-0.04, 1.04)
        panel.grid(color="#e5e7eb")
    if len(complete) < len(sweep.cells):
        panels[0].plot([], [], "x", color=GREY, label="too few sets (at this threshold)")
    aggregate = "mean" if sweep.cells[0].result.problem.aggregate == "sum" else "smallest"
    unit = ", % of the best single set" if is_relative else ""
    panels[0].set_ylabel(f"{aggregate} quality{unit}")
    _legend_below(figure, panels[0])
    return figure


def _draw_cells(
    panel: Any,
    line: Sequence[Cell],
    missing: Sequence[Cell],
    a: int,
    position: int,
    is_relative: bool,
    on_front: dict[int, bool],
) -> None:
    colour, marker = COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]
    heights = [100 * c.relative_quality if is_relative else c.quality for c in line]
    across = [c.least_dissimilarity for c in line]
    label = f"{a} alternative{'' if a == 1 else 's'}"
    panel.plot(across, heights, color=colour, marker=marker, markerfacecolor="white", label=label, zorder=2)
    front = [(x, y) for x, y, c in zip(across, heights, line, strict=True) if on_front[id(c)]]
    if front:
        panel.plot(*zip(*front, strict=True), color=colour, marker=marker, linestyle="none", zorder=3)
    at = [(c.taus[-1], 0.02 + 0.035 * position) for c in missing]
    if at:
        panel.plot(
            *zip(*at, strict=True),
            color=colour,
            marker="x",
            linestyle="none",
            transform=panel.get_xaxis_transform(),
        )


def plot_evaluation(evaluation: Evaluation) -> Figure:
    """Draw the held-out scores of each set: every fold as a dot, the mean as a line.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = evaluation.set_names
    figure, (axes,) = _figure(max(4.2, 0.75 * len(names) + 1.8), 3.6)
    for position, name in enumerate(names):
        scores = evaluation.scores_of(name)
        spread = [position + 0.3 * (i / max(1, len(scores) - 1) - 0.5) for i in range(len(scores))]
        colour = GREY if name == evaluation.all_features else COLOURS[0]
        axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
        mean = sum(scores) / len(scores)
        axes.plot([position - 0.32, position + 0.32], [mean, mean], color=colour, linewidth=2.5)
    axes.set_xticks(range(len(names)), names, rotation=0 if len(names) < 8 else 60)
    axes.set_ylabel(f"held-out {evaluation.scoring}")
    axes.set_xlabel("feature set (dots: folds, lines: means)")
    axes.grid(axis="y", color="#e5e7eb")
    axes.set_axisbelow(True)
    return figure


KINDS: dict[str, Callable[[Result], Figure]] = {
    "membership": plot_membership,
    "overlaps": plot_overlaps,
    "qualities": plot_qualities,
    "incumbents": plot_incumbents,
}


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF, on a white background.

    Raises
    ------
    InputError
        If the extension is another one, or the file cannot be written.
    """
    path = file_path("path", path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: must end in {', '.join(FORMATS)}")
    try:
        figure.savefig(path, dpi=150, facecolor="white", bbox_inches="tight", pad_inches=0.15)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _figure(width: float, height: float, n_panels: int = 1) -> tuple[Figure, list[Any]]:
    """Return a figure of so many inches and the axes of its panels, side by side."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PyfselError("plots: matplotlib is not installed (pip install 'pyfsel[plots]')") from None
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    panels = figure.subplots(1, n_panels, sharey=True, squeeze=False)[0]
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(panels)


def _rectangle(column: int, row: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.45, row - 0.45), 0.9, 0.9, facecolor=colour)


def _without_frame(axes: Any) -> None:
    for spine in axes.spines.values():
        spine.set_visible(False)


def _legend_below(figure: Figure, axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)


def _shortened(name: str) -> str:
    """Return a name with the middle left out if it is long, and no mathematics in it."""
    half = (LONGEST_NAME - 1) // 2
    short = name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
    return short.replace("$", r"\$")


def _require_sets(result: Result) -> None:
    is_a("result", result, Result, "a Result")
    if not result.sets:
        raise InputError(f"result: is {result.status} and holds no sets to plot")


def _by_step(result: Result) -> list[tuple[list[Incumbent], float]]:
    """Return the incumbents of each step, whose last one is its set, and when it ended."""
    if not result.steps:
        return [(list(result.incumbents), result.runtime)]
    groups: list[list[Incumbent]] = [[]]
    for incumbent in result.incumbents:
        groups[-1].append(incumbent)
        number = len(groups) - 1
        if number < len(result.sets) - 1 and incumbent.sets[0] == result.sets[number]:
            groups.append([])
    found = [group for group in groups if group]
    ends = [*(group[0].time for group in found[1:]), result.runtime]
    return list(zip(found, ends, strict=True))
