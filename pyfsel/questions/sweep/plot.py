"""What dissimilarity costs, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from pyfsel.problem.checks import is_a
from pyfsel.questions.sweep.cells import Sweep
from pyfsel.results.plots import COLOURS, GREY, MARKERS, legend_below, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pyfsel.questions.sweep.cells import Cell


def plot_sweep(sweep: Sweep) -> Figure:
    """Draw quality against dissimilarity: one panel per set size, one line per number of alternatives.

    Filled points are on the Pareto front (see `pyfsel.questions.sweep.cells.Cell.dominates`); crosses at the
    bottom are thresholds without enough sets.

    Parameters
    ----------
    sweep : Sweep

    Returns
    -------
    matplotlib.figure.Figure
    """
    is_a("sweep", sweep, Sweep, "a Sweep")
    sizes = sorted({cell.set_size for cell in sweep.cells})
    figure, panels = new_figure(1.4 + 3.7 * len(sizes), 4.2, len(sizes))
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
    legend_below(figure, panels[0])
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
