"""Figures of results, sweeps and evaluations; they need matplotlib.

Each function returns a `matplotlib.figure.Figure`, which notebooks show and its method `savefig` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.core.arrays import Reals

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


COLOURS = ("#4269d0", "#e8804b", "#3ca951", "#a463f2", "#d0557b", "#6b7280", "#b08d00", "#0f9ba8")
MARKERS = "osD^vPX*"
GREY = "#6b7280"
LONGEST_NAME = 44  # characters
MOST_LABELS = 80  # in the usual size; more are smaller


def draw_membership(sets: Sequence[Sequence[str]]) -> Figure:
    """Draw which features, by name, are in which set; features in many sets come first."""
    counts = Counter(name for one in sets for name in one)
    names = sorted(counts, key=lambda name: -counts[name])
    return draw_cells(names, np.array([[float(name in one) for one in sets] for name in names]))


def draw_cells(names: Sequence[str], shares: Reals, framed: Sequence[tuple[int, int]] = ()) -> Figure:
    """Draw a cell for each feature and set, the darker the larger its share, from 0 to 1.

    Parameters
    ----------
    names : sequence of str
        Of the features, the rows.
    shares : array of float, shape (n_features, n_sets)
        They are written into the framed cells, or next to them if there are values other than 0 and 1.
    framed : sequence of (row, set)
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    n_rows, n_columns = shares.shape
    is_written = bool(((shares > 0) & (shares < 1)).any())
    cell = min(0.42 if is_written else 0.3, 24 / n_rows)
    short = [shortened(name) for name in names]
    figure, (axes,) = new_figure(0.6 + 0.09 * max(map(len, short)) + cell * n_columns, 0.8 + cell * n_rows)
    edges = [np.arange(-0.5, number) for number in (n_columns, n_rows)]
    colours = LinearSegmentedColormap.from_list("share", ["#eef0f4", COLOURS[0]])
    axes.pcolormesh(*edges, shares, cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=2)
    for row, column in framed:
        corner = (column - 0.45, row - 0.45)
        axes.add_patch(Rectangle(corner, 0.9, 0.9, fill=False, edgecolor=COLOURS[1], linewidth=1.6))
    for row, column in np.argwhere(shares > 0) if is_written else ():
        share = float(shares[row, column])
        colour = "white" if share > 0.5 else "#374151"
        axes.text(column, row, f"{100 * share:.0f}", color=colour, ha="center", va="center", fontsize=7)
    axes.set_ylim(n_rows - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.set_xticks(range(n_columns))
    axes.set_yticks(range(n_rows), short, fontsize=9 if n_rows <= MOST_LABELS else 5)
    axes.set_xlabel("set")
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return figure


def draw_qualities(sets: Sequence[Any], head: str, title: str) -> Figure:
    """Draw the quality of each set, with its proved bound, given the earlier sets.

    Parameters
    ----------
    sets : sequence of FeatureSet
    head : str
        What their quality is.
    title : str
    """
    n = len(sets)
    figure, (axes,) = new_figure(max(4.0, 0.5 * n + 2.5), 3.4)
    axes.bar(range(n), [one.quality for one in sets], color=COLOURS[0], width=0.7, label="quality")
    bounds = [(one.high, i - 0.42, i + 0.42) for i, one in enumerate(sets) if one.high is not None]
    if bounds:
        style = {"label": "bound, given the sets before", "color": COLOURS[1], "linewidth": 2.5}
        axes.hlines(*zip(*bounds, strict=True), **style)
    axes.set_xticks(range(n))
    axes.set_xlabel("set")
    axes.set_ylabel(head)
    axes.set_title(title)
    legend_below(figure, axes)
    return figure


def new_figure(
    width: float, height: float, n_panels: int = 1, *, sharey: bool = True
) -> tuple[Figure, list[Any]]:
    """Return a figure, its size in inches, and the axes of its panels, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    panels = figure.subplots(1, n_panels, sharey=sharey, squeeze=False)[0]
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(panels)


def draw_shares_and_growth(
    names: Sequence[str], shares: Sequence[float], growth: Sequence[tuple[float, int]]
) -> Figure:
    """Draw a bar for the proportion of each feature, and how many sets reach each minimum quality.

    Parameters
    ----------
    names, shares : sequences of str and of float from 0 to 1
    growth : sequence of (quality, number)
        Of falling qualities, from the best one on.
    """
    height = max(2.6, 0.9 + 0.22 * len(names))
    figure, (bars, line) = new_figure(8.6, height, 2, sharey=False)
    bars.barh([shortened(name) for name in names], [100 * share for share in shares], color=COLOURS[0])
    bars.invert_yaxis()
    bars.set_xlim(0, 100)
    bars.set_xlabel("% of the sets")
    best = growth[0][0]
    scale = abs(best) or 1.0
    losses = [100 * (best - quality) / scale for quality, _ in growth]
    line.step(losses, [number for _, number in growth], where="post", color=COLOURS[0])
    line.set_yscale("log")
    line.set_xlabel("% of the best quality lost" if best else "quality lost")
    line.set_ylabel("sets")
    return figure


def draw_sweep(rows: pd.DataFrame, by: str) -> Figure:
    """Draw quality against dissimilarity: a panel for each size, a line for each number of sets.

    Parameters
    ----------
    rows : DataFrame
        As `pyfsel.explore.sweep` returns them; those without all sets are left out.
    by : str
        What measures dissimilarity.
    """
    complete = rows[rows["n_found"] == rows["n_sets"]]
    sizes = sorted(set(complete["k"]))
    figure, panels = new_figure(1.4 + 3.7 * max(1, len(sizes)), 4.2, max(1, len(sizes)))
    for panel, size in zip(panels, sizes, strict=False):
        panel.set_prop_cycle(color=COLOURS, marker=list(MARKERS))
        for number, line in complete[complete["k"] == size].groupby("n_sets"):
            panel.plot(line["dissimilarity"], 100 * line["relative"], label=f"{number} sets")
        panel.set_title(f"k = {size}")
        panel.set_xlabel(f"{by.capitalize()} dissimilarity of two sets, at least")
        panel.set_xlim(-0.04, 1.04)
    panels[0].set_ylabel("quality, % of the best single set")
    legend_below(figure, panels[0])
    return figure


def legend_below(figure: Figure, axes: Any) -> None:
    """Draw the legend of some axes below the figure."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)


def shortened(name: str) -> str:
    """Return a name with the middle left out if it is long, and no mathematics in it."""
    half = (LONGEST_NAME - 1) // 2
    short = name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
    return short.replace("$", r"\$")
