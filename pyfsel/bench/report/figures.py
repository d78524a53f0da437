"""Figures of a report: proved over time, and the distance to the best known sets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import PyfselError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# eight hues that stay apart under protanopia, deuteranopia and tritanopia
HUES = ("#5f68fc", "#f16815", "#0ea868", "#c03bbc", "#006f88", "#8c5d00", "#152c82", "#6b0d06")
MUTED = "#5b6470"
LINES = ("-", "--", ":", "-.")
LONGEST_NAME = 30
LEAST_SECONDS = 1e-3  # shorter times are noise, and zero has no place on a logarithmic axis
N_TIMES = 160
SETTINGS: Mapping[str, Any] = {
    "font.size": 9,
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
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
        return _saved(self.figure, self.name)


def _saved(figure: Figure, salt: str) -> str:
    import matplotlib

    file = io.StringIO()
    with matplotlib.rc_context({**SETTINGS, "svg.hashsalt": salt}):
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return file.getvalue()


def require_libraries() -> None:
    """Raise an error that says what to install, if a library that pages need is missing."""
    try:
        __import__("matplotlib")
    except ImportError:
        raise PyfselError(
            "report: matplotlib is not installed (pip install 'pyfsel[plots]'); Markdown needs none"
        ) from None


def printable(text: str) -> str:
    """Return a text without characters that would act: control characters, changes of direction."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


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
    """Return a printable name, cut if it is long; legends lack names like "_x"."""
    name = printable(f" {name}" if name.startswith("_") else name)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


@contextmanager
def panel(x: str, y: str, width: float = 5.0) -> Iterator[tuple[Figure, Any]]:
    """Yield a figure and its axes, with a logarithmic axis across and a legend beside what is drawn."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(dict(SETTINGS)):
        figure = Figure(figsize=(width, 2.8), layout="constrained")
        axes = figure.subplots()
        axes.set(xlabel=x, ylabel=y, xscale="log")
        yield figure, axes
        if axes.get_legend_handles_labels()[1]:
            figure.legend(loc="outside right upper", frameon=False)


def figures_of(runs: pd.DataFrame) -> list[Drawing]:
    """Return the figures of some runs; none of what has nothing to show."""
    if runs.empty:
        return []
    proving = runs[runs["exact"] & runs["supported"]]
    looks = looks_of(sorted(set(runs["contender"])))
    found = [_proved_over_time(proving, looks)] if proving["proved"].any() else []
    known = runs[runs["best"].map(lambda best: best[0] > 0) & runs["supported"]]
    known = known[(known["search"] != "sequential") | known["kind"].str.contains("one set")]
    return found + ([] if known.empty else [_distance(known, looks)])


def survival(runs: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Return times, and the share of the runs proved by then (Kaplan and Meier).

    A run without a proof is censored at its limit, also if it gave up before: more time would not have
    helped it.
    """
    from scipy import stats

    times = runs["seconds"].where(runs["proved"], runs["limit"])
    found = stats.ecdf(stats.CensoredData.right_censored(times, ~runs["proved"]))
    is_step = np.diff(found.cdf.probabilities, prepend=0) > 0
    return found.cdf.quantiles[is_step].tolist(), found.cdf.probabilities[is_step].tolist()


def _proved_over_time(runs: pd.DataFrame, looks: Mapping[str, Any]) -> Drawing:
    with panel("seconds", "runs proved, %") as (figure, axes):
        for name, own in runs.groupby("contender"):
            times, shares = survival(own)
            last = own["limit"].max()
            heights = [100 * share for share in (*shares, shares[-1] if shares else 0)]
            axes.step(
                [max(time, LEAST_SECONDS) for time in (*times, last)],
                heights,
                where="post",
                **looks[str(name)],
            )
    return Drawing(
        "solved-over-time",
        "Proved over time",
        "The share of its runs that a solver proved within a given number of seconds. A run without proof "
        "counts up to its limit (Kaplan and Meier). Higher and further left is better.",
        figure,
    )


def _distance(runs: pd.DataFrame, looks: Mapping[str, Any]) -> Drawing:
    times = np.geomspace(0.01, max(0.02, runs["seconds"].max()), N_TIMES)
    with panel("seconds", "mean distance, %") as (figure, axes):
        for name, own in runs.groupby("contender"):
            far = [distance_over_time(run, times) for run in own.itertuples()]
            axes.step(times, 100 * np.mean(far, axis=0), where="post", **looks[str(name)])
    return Drawing(
        "distance-over-time",
        "Distance to the best known sets over time",
        "How far the sets found so far are from the best ones that any solver found, relative to these; "
        "100% until there are sets. Lower is better: who finds good sets early, proof or not.",
        figure,
    )


def distance_over_time(run: Any, times: np.ndarray[Any, Any]) -> Any:
    """Return how far a run is from the best known value at some times, at most 1."""
    best = run.best[1]
    events = [*run.incumbents, (run.seconds, run.answer[1])]
    values = [max((value for at, value in events if at <= time), default=-np.inf) for time in times]
    return np.clip((best - np.array(values, dtype=float)) / max(1.0, abs(best)), 0.0, 1.0)
