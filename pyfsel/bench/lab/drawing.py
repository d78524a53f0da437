"""The work of models without each of their strengthenings, on instances of growing size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyfsel.bench.lab.examine import Report
from pyfsel.errors import InputError
from pyfsel.results.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_SECONDS = 1e-3
WIDTH, HEIGHT, LEGEND_ROW = 5.5, 3.0, 0.2
DECIDED = ("OPTIMAL", "INFEASIBLE")
MARKERS = "osD^vPX*"


def draw_costs(reports: Sequence[Report]) -> Figure:
    """Draw the seconds of each model with all strengthenings, without each, and without any.

    A hollow marker is a run that ended at its limit.

    Raises
    ------
    InputError
        If nothing was measured (`examine` with ``costs=True``).
    PyfselError
        If matplotlib is not installed.
    """
    measured = [report for report in reports if report.costs]
    if not measured:
        raise InputError("reports: have no costs, which `costs=True` measures")
    most = max(len({row["without"] for row in report.costs}) for report in measured)
    height = HEIGHT + LEGEND_ROW * most
    figure, panels = new_figure(WIDTH * len(measured), height, len(measured), sharey=False)
    for report, axes in zip(measured, panels, strict=True):
        for number, without in enumerate(dict.fromkeys(row["without"] for row in report.costs)):
            rows = [row for row in report.costs if row["without"] == without]
            sizes = [row["n_features"] for row in rows]
            seconds = [max(row["seconds"] or 0.0, LEAST_SECONDS) for row in rows]
            (line,) = axes.plot(sizes, seconds, label=f"without {without}")
            for size, value, row in zip(sizes, seconds, rows, strict=True):
                colour = line.get_color()
                fill = colour if row["status"] in DECIDED else "white"
                axes.plot(size, value, MARKERS[number % len(MARKERS)], color=colour, markerfacecolor=fill)
        axes.set(title=report.model, xlabel="features", ylabel="seconds", yscale="log")
        axes.set_xticks(sorted({row["n_features"] for row in report.costs}))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=7, frameon=False)
    return figure
