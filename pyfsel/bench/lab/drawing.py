"""The work of models without each of their strengthenings, on instances of growing size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyfsel.bench.lab.examine import ALL, NOTHING, Report
from pyfsel.errors import InputError
from pyfsel.results.answer import PROVED
from pyfsel.results.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = {"seconds": 1e-3, "failures": 1, "nodes": 1}
WIDTH, HEIGHT, LEGEND_ROW = 4.5, 3.0, 0.2
MARKERS = "osD^vPX*"
EXTREMES: dict[str, dict[str, Any]] = {
    NOTHING: {"color": "black", "linestyle": "--"},
    ALL: {"color": "grey", "linestyle": "--"},
}


def draw_costs(reports: Sequence[Report]) -> Figure:
    """Draw the failures of each model with all strengthenings, without each, and without any.

    Where the solver does not count failures it is nodes, or seconds. A hollow marker is a run that ended at
    its limit.

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
        counted = next(
            name for name in ("failures", "nodes", "seconds") if any(row[name] for row in report.costs)
        )
        for number, without in enumerate(dict.fromkeys(row["without"] for row in report.costs)):
            rows = [r for r in report.costs if r["without"] == without and r[counted] is not None]
            values = [max(row[counted], LEAST[counted]) for row in rows]
            look = EXTREMES.get(without, {})
            (line,) = axes.plot([r["n_features"] for r in rows], values, label=f"without {without}", **look)
            for value, row in zip(values, rows, strict=True):
                fill = line.get_color() if row["status"] in PROVED else "white"
                marker = MARKERS[number % len(MARKERS)]
                axes.plot(
                    row["n_features"],
                    value,
                    marker,
                    color=line.get_color(),
                    markersize=4,
                    markerfacecolor=fill,
                )
        axes.set(title=report.model, xlabel="features", ylabel=counted, yscale="log")
        axes.set_xticks(sorted({row["n_features"] for row in report.costs}))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=7, frameon=False)
    return figure
