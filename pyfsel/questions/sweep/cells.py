"""What a sweep returns: its cells, and which of them are worth a choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from pyfsel.problem.dissimilarity import largest_tau_for
from pyfsel.results.answer import StopReason
from pyfsel.results.display import bar, html_cell, html_table
from pyfsel.results.plots import COLOURS, GREY, MARKERS, legend_below, new_figure
from pyfsel.results.result import Result

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Cell:
    """One combination of k, a and τ.

    Parameters
    ----------
    result : Result
        Its problem holds `set_size`, `n_sets` and `max_overlap`.
    taus : tuple of float
        The thresholds of the grid that mean this overlap.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    best_quality : float
        Quality of the best single set of this size that is known; NaN without one.
    explanation : str
        Why sets are missing, and what could be asked instead; empty if none are.
    """

    result: Result
    taus: tuple[float, ...]
    dissimilarity: str
    best_quality: float
    explanation: str = ""

    @property
    def set_size(self) -> int:
        """Features per set, k."""
        return self.result.problem.set_size

    @property
    def n_alternatives(self) -> int:
        """Sets asked for in addition to the original one, a."""
        return self.result.problem.n_sets - 1

    @property
    def max_overlap(self) -> int:
        """Largest number of features that two sets may share."""
        return self.result.problem.max_overlap

    @property
    def is_complete(self) -> bool:
        """Whether all the sets asked for were found."""
        return len(self.result.sets) == self.result.problem.n_sets

    @property
    def quality(self) -> float:
        """Mean quality of the sets, the smallest with min-aggregation; NaN without sets."""
        found = self.result.qualities
        if not found:
            return nan
        return sum(found) / len(found) if self.result.problem.aggregate == "sum" else min(found)

    @property
    def relative_quality(self) -> float:
        """`quality` divided by that of the best single set of this size; NaN where that is not positive."""
        return self.quality / self.best_quality if self.best_quality > 0 else nan

    @cached_property
    def dissimilarities(self) -> list[float]:
        """Dissimilarity of every pair of sets."""
        k, kind = self.set_size, self.dissimilarity
        pairs = combinations(map(frozenset, self.result.sets), 2)
        n = self.result.problem.n_features
        return [float(largest_tau_for(k, len(a & b), kind, n)) for a, b in pairs]

    @property
    def least_dissimilarity(self) -> float:
        """Dissimilarity of the two most similar sets, which can be above the threshold; NaN without pairs."""
        return min(self.dissimilarities, default=nan)

    def dominates(self, other: Cell) -> bool:
        """Return whether this cell has at least the other's quality, dissimilarity and number of sets.

        One of the three must be larger. Cells of different set sizes are not compared.
        """
        mine = (self.quality, self.least_dissimilarity, self.n_alternatives)
        theirs = (other.quality, other.least_dissimilarity, other.n_alternatives)
        at_least = all(a >= b for a, b in zip(mine, theirs, strict=True))
        return self.is_complete and self.set_size == other.set_size and at_least and mine != theirs


@dataclass(frozen=True, repr=False)
class Sweep:
    """The cells of a grid, ordered by set size, number of alternatives and falling overlap.

    Not all of them if the sweep was interrupted.
    """

    cells: tuple[Cell, ...]
    search: str
    runtime: float
    stop_reason: StopReason = StopReason.FINISHED

    @cached_property
    def pareto(self) -> tuple[bool, ...]:
        """For each cell, whether it is complete and no other one dominates it (see `Cell.dominates`)."""
        return tuple(
            cell.is_complete and not any(other.dominates(cell) for other in self.cells) for cell in self.cells
        )

    def __repr__(self) -> str:
        return f"<Sweep: {len(self.cells)} cells, {self.search} search>"

    def _repr_html_(self) -> str:
        rows = [
            [
                html_cell(str(row["set_size"])),
                html_cell(str(row["n_alternatives"])),
                html_cell(f"{row['tau']:.3g}"),
                html_cell(str(row["max_overlap"])),
                bar(row["relative_quality"], f"{row['quality']:.5g}"),
                html_cell(str(row["status"])),
                html_cell("*" if row["pareto"] else ""),
            ]
            for row in self.rows()
        ]
        heads = ("k", "a", "tau", "most shared", "quality, relative to the best set", "status", "Pareto")
        return f"<div>{html_table(heads, rows)}</div>"

    def plot(self) -> Figure:
        """Draw quality against dissimilarity: one panel per set size, one line per number of alternatives.

        Filled points are on the Pareto front (see `Cell.dominates`); crosses at the
        bottom are thresholds without enough sets.

        Returns
        -------
        matplotlib.figure.Figure
        """
        sizes = sorted({cell.set_size for cell in self.cells})
        figure, panels = new_figure(1.4 + 3.7 * len(sizes), 4.2, len(sizes))
        complete = [cell for cell in self.cells if cell.is_complete]
        is_relative = all(isfinite(cell.relative_quality) for cell in complete)
        numbers = sorted({cell.n_alternatives for cell in self.cells})
        on_front = dict(zip(map(id, self.cells), self.pareto, strict=True))
        for panel, size in zip(panels, sizes, strict=True):
            for position, a in enumerate(numbers):
                line = [c for c in complete if c.set_size == size and c.n_alternatives == a]
                missing = [
                    c for c in self.cells if c.set_size == size and c.n_alternatives == a and c not in line
                ]
                _draw_cells(panel, line, missing, a, position, is_relative, on_front)
            panel.set_title(f"k = {size}")
            panel.set_xlabel(f"least {self.cells[0].dissimilarity.capitalize()} dissimilarity of two sets")
            panel.set_xlim(-0.04, 1.04)
            panel.grid(color="#e5e7eb")
        if len(complete) < len(self.cells):
            panels[0].plot([], [], "x", color=GREY, label="too few sets (at this threshold)")
        aggregate = "mean" if self.cells[0].result.problem.aggregate == "sum" else "smallest"
        unit = ", % of the best single set" if is_relative else ""
        panels[0].set_ylabel(f"{aggregate} quality{unit}")
        legend_below(figure, panels[0])
        return figure

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the numbers of each cell."""
        for cell, is_on_front in zip(self.cells, self.pareto, strict=True):
            result = cell.result
            yield {
                "set_size": cell.set_size,
                "n_alternatives": cell.n_alternatives,
                "tau": cell.taus[-1],
                "max_overlap": cell.max_overlap,
                "status": str(result.status),
                "scope": str(result.claim.scope),
                "n_found": len(result.sets),
                "quality": cell.quality,
                "relative_quality": cell.relative_quality,
                "least_quality": min(result.qualities, default=nan),
                "least_dissimilarity": cell.least_dissimilarity,
                "gap": _gap(result),
                "runtime": result.runtime,
                "pareto": is_on_front,
                "explanation": cell.explanation,
            }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the rows, each with its feature sets."""
        numbers = [
            {
                name: None if isinstance(value, float) and isnan(value) else value
                for name, value in row.items()
            }
            for row in self.rows()
        ]
        for row, cell in zip(numbers, self.cells, strict=True):
            row |= {
                "taus": list(cell.taus),
                "backend": cell.result.backend,
                "feature_sets": cell.result.feature_sets,
            }
        return {
            "search": self.search,
            "runtime": self.runtime,
            "stop_reason": str(self.stop_reason),
            "cells": numbers,
        }


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


def _gap(result: Result) -> float:
    """Return the gap of all sets together, or in a sequential search the largest of its steps; else NaN."""
    gaps = result.step_gaps if result.is_stepwise else [result.gap]
    known = [gap for gap in gaps if gap is not None]
    return max(known, default=nan) if len(known) == len(gaps) else nan
