"""Figures of a report: proved over time, and the distance to the best known sets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# eight hues that stay apart under protanopia, deuteranopia and tritanopia
HUES = ("#5f68fc", "#f16815", "#0ea868", "#c03bbc", "#006f88", "#8c5d00", "#152c82", "#6b0d06")
LINES = ("-", "--", ":", "-.")
LONGEST_NAME = 30
LEAST_SECONDS = 1e-3  # shorter times are noise, and zero has no place on a logarithmic axis
N_TIMES = 160
SETTINGS: Mapping[str, Any] = {
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "pyfsel",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "legend.fontsize": 8,
}


class Drawing(NamedTuple):
    """A figure, and the words around it."""

    title: str
    caption: str
    figure: Figure

    def svg(self) -> str:
        """Return the figure as SVG, on white paper."""
        import matplotlib

        file = io.StringIO()
        with matplotlib.rc_context(dict(SETTINGS)):
            metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
            self.figure.savefig(file, format="svg", metadata=metadata)
        return file.getvalue()


def printable(text: str) -> str:
    """Return a text without characters that would act: control characters, changes of direction."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def looks_of(contenders: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return colour, line and label of each contender, the same in all figures."""
    styles = cycle([{"color": hue, "linestyle": line} for line in LINES for hue in HUES])
    return {name: {**style, "label": _label(name)} for name, style in zip(contenders, styles, strict=False)}


def _label(name: str) -> str:
    """Return a printable name, cut if it is long; legends lack names like "_x"."""
    name = printable(f" {name}" if name.startswith("_") else name)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def figures_of(runs: pd.DataFrame) -> list[Drawing]:
    """Return the figures of some runs; none of what has nothing to show."""
    if runs.empty:
        return []
    looks = looks_of(sorted(set(runs["contender"])))
    found = [_proved_over_time(runs[runs["exact"]], looks)] if runs["proved"].any() else []
    known = runs[runs["best"].map(lambda best: best[0] > 0)]
    known = known[(known["search"] != "sequential") | known["kind"].str.contains("one set")]
    return found + ([] if known.empty else [_distance(known, looks)])


def _proved_over_time(runs: pd.DataFrame, looks: Mapping[str, Any]) -> Drawing:
    lines = []
    for name, own in runs.groupby("contender"):
        times = own.loc[own["proved"], "seconds"].clip(lower=LEAST_SECONDS).sort_values()
        shares = 100 * np.arange(len(times) + 1) / len(own)
        lines.append((str(name), [*times, own["limit"].max()], [*shares[1:], shares[-1]]))
    caption = (
        "The share of its runs that a solver proved within a given number of seconds. Higher and further "
        "left is better."
    )
    return _drawing("Proved over time", caption, "runs proved, %", lines, looks)


def _distance(runs: pd.DataFrame, looks: Mapping[str, Any]) -> Drawing:
    times = np.geomspace(0.01, max(0.02, runs["seconds"].max()), N_TIMES)
    lines = []
    for name, own in runs.groupby("contender"):
        far = [distance_over_time(run, times) for run in own.itertuples()]
        lines.append((str(name), times, 100 * np.mean(far, axis=0)))
    caption = (
        "How far the sets found so far are from the best ones that any solver found, relative to these; "
        "100% until there are sets. Lower is better: who finds good sets early, proof or not."
    )
    title = "Distance to the best known sets over time"
    return _drawing(title, caption, "mean distance, %", lines, looks)


def _drawing(
    title: str, caption: str, y: str, lines: Iterable[tuple[str, Any, Any]], looks: Mapping[str, Any]
) -> Drawing:
    """Draw steps over a logarithmic axis of seconds, with a legend next to them."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(dict(SETTINGS)):
        figure = Figure(figsize=(5.0, 2.8), layout="constrained")
        axes = figure.subplots()
        axes.set(xlabel="seconds", ylabel=y, xscale="log")
        for name, times, values in lines:
            axes.step(times, values, where="post", **looks[name])
        figure.legend(loc="outside right upper", frameon=False)
    return Drawing(title, caption, figure)


def distance_over_time(run: Any, times: np.ndarray[Any, Any]) -> Any:
    """Return how far a run is from the best known value at some times, at most 1."""
    best = run.best[1]
    events = [*run.incumbents, (run.seconds, run.answer[1])]
    values = [max((value for at, value in events if at <= time), default=-np.inf) for time in times]
    return np.clip((best - np.array(values, dtype=float)) / max(1.0, abs(best)), 0.0, 1.0)
