"""Held-out scores of the sets, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsel.results.plots import COLOURS, GREY, new_figure
from pyfsel.selectors.evaluation.result import VOTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pyfsel.selectors.evaluation.result import Evaluation


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
    figure, (axes,) = new_figure(max(4.2, 0.75 * len(names) + 1.8), 3.6)
    for position, name in enumerate(names):
        scores = evaluation.scores_of(name)
        spread = [position + 0.3 * (i / max(1, len(scores) - 1) - 0.5) for i in range(len(scores))]
        colour = GREY if name in (evaluation.all_features, VOTE) else COLOURS[0]
        axes.plot(spread, scores, "o", color=colour, alpha=0.45, markersize=4)
        mean = sum(scores) / len(scores)
        axes.plot([position - 0.32, position + 0.32], [mean, mean], color=colour, linewidth=2.5)
    axes.set_xticks(range(len(names)), names, rotation=0 if len(names) < 8 else 60)
    axes.set_ylabel(f"held-out {evaluation.scoring}")
    axes.set_xlabel("feature set (dots: folds, lines: means)")
    axes.grid(axis="y", color="#e5e7eb")
    axes.set_axisbelow(True)
    return figure
