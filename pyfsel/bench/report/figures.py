"""Figures of a report: proved over time, and the distance to the best known sets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from html import escape
from itertools import cycle, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyfsel.results.plots import COLOURS, new_figure, shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

LINES = ("-", "--", ":", "-.")
LEAST_SECONDS = 1e-3  # shorter times are noise, and zero has no place on a logarithmic axis
N_TIMES = 160
Lines = Iterable[tuple[str, Any, Any]]


class Drawing(NamedTuple):
    """A figure, and the words around it."""

    title: str
    caption: str
    figure: Figure


def svg_of(figure: Figure, title: str) -> str:
    """Return a figure as an element of a page: its texts are text, and the same figure has the same bytes."""
    import matplotlib

    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    element = file.getvalue().partition("<svg")[2]
    return f'<svg class="figure" role="img" aria-label="{escape(title)}"{element}'


def printable(text: str) -> str:
    """Return a text without characters that would act: control characters, changes of direction."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def looks_of(contenders: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return colour, line and label of each contender, the same in all figures."""
    found = {}
    for name, (line, colour) in zip(contenders, cycle(product(LINES, COLOURS)), strict=False):
        label = f" {name}" if name.startswith("_") else name  # legends lack names like "_x"
        found[name] = {"color": colour, "linestyle": line, "label": shortened(printable(label))}
    return found


def figures_of(runs: pd.DataFrame) -> list[Drawing]:
    """Return the figures of some runs; none of what has nothing to show."""
    if runs.empty:
        return []
    looks = looks_of(sorted(set(runs["contender"])))
    found = []
    if runs["proved"].any():
        caption = (
            "The share of its runs that a solver proved within a given number of seconds. Higher and further "
            "left is better."
        )
        figure = _steps("runs proved, %", _proved_over_time(runs[runs["exact"]]), looks)
        found.append(Drawing("Proved over time", caption, figure))
    known = runs[runs["best"].map(lambda best: best[0] > 0)]
    known = known[(known["search"] != "sequential") | known["kind"].str.contains("one set")]
    if len(known):
        caption = (
            "How far the sets found so far are from the best ones that any solver found, relative to these; "
            "100% until there are sets. Lower is better: who finds good sets early, proof or not."
        )
        figure = _steps("mean distance, %", _distances(known), looks)
        found.append(Drawing("Distance to the best known sets over time", caption, figure))
    return found


def _proved_over_time(runs: pd.DataFrame) -> Lines:
    for name, own in runs.groupby("contender"):
        times = own.loc[own["proved"], "seconds"].clip(lower=LEAST_SECONDS).sort_values()
        shares = 100 * np.arange(len(times) + 1) / len(own)
        yield str(name), [*times, own["limit"].max()], [*shares[1:], shares[-1]]


def _distances(runs: pd.DataFrame) -> Lines:
    times = np.geomspace(0.01, max(0.02, runs["seconds"].max()), N_TIMES)
    for name, own in runs.groupby("contender"):
        far = [distance_over_time(run, times) for run in own.itertuples()]
        yield str(name), times, 100 * np.mean(far, axis=0)


def _steps(y: str, lines: Lines, looks: Mapping[str, Any]) -> Figure:
    """Draw steps over a logarithmic axis of seconds, with a legend next to them."""
    figure, (axes,) = new_figure(5.0, 2.8)
    axes.set(xlabel="seconds", ylabel=y, xscale="log")
    axes.grid(visible=True)
    for name, times, values in lines:
        axes.step(times, values, where="post", **looks[name])
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure


def distance_over_time(run: Any, times: np.ndarray[Any, Any]) -> Any:
    """Return how far a run is from the best known value at some times, at most 1."""
    best = run.best[1]
    events = [*run.incumbents, (run.seconds, run.answer[1])]
    values = [max((value for at, value in events if at <= time), default=-np.inf) for time in times]
    return np.clip((best - np.array(values, dtype=float)) / max(1.0, abs(best)), 0.0, 1.0)
