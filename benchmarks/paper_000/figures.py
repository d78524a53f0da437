"""Figures 1 to 7 of paper 000: their data from the table of sets, and the drawings."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from paper_000.design import METHODS, SEARCHES

SETTING = ["table", "fold", "method", "k", "tau"]
RUN = [*SETTING, "search"]
MEASURES = {"q_train": "training quality", "q_test": "test quality", "mcc_test": "test MCC"}
SHIFTED = ("mrmr", "mrmr-own", "wrapper")
"""Methods whose qualities may be negative: they go to [0, 1] before they are divided by the largest."""


def originals(rows):
    """Return the original set of each table, fold, method and k, of one τ as they agree (Figure 1)."""
    first = rows[(rows["number"] == 0) & (rows["search"] == "seq.")]
    return first.sort_values("tau").drop_duplicates(["table", "fold", "method", "k"])


def larger_sets(rows):
    """Return how much quality and MCC of original sets change from k = 5 to 10 (Figure 1b)."""
    by_k = originals(rows).pivot_table(index=["table", "fold", "method"], columns="k", values=list(MEASURES))
    if not {5, 10} <= set(by_k.columns.get_level_values("k")):
        return pd.DataFrame(columns=["method", *MEASURES])
    change = by_k.xs(10, axis=1, level="k") - by_k.xs(5, axis=1, level="k")
    return change.dropna(how="all").reset_index()


def by_alternatives(rows):
    """Return the sets of runs with a = 1 … 5 alternatives, a in `of_a`: also prefixes of seq. and rep."""
    parts = []
    for a in range(1, most_of(rows) + 1):
        whole = rows["search"].isin(("seq.", "rep.")) & (rows["a"] >= a)
        parts.append(rows[(whole & (rows["number"] <= a)) | (~whole & (rows["a"] == a))].assign(of_a=a))
    return pd.concat(parts, ignore_index=True)


def most_of(rows):
    """Return the largest a of simultaneous search: 5, less in the smoke tier."""
    return int(min(5, rows.loc[rows["search"].isin(("sim. (sum)", "sim. (min)", "bal.")), "a"].max()))


def complete_settings(rows, searches=SEARCHES):
    """Return the runs of settings in which all searches have all sets for every a (Figures 2 to 4)."""
    if set(searches) - set(rows["search"]):
        return rows.iloc[:0].assign(of_a=0)
    runs = by_alternatives(rows[rows["search"].isin(searches)])
    found = runs.assign(found=runs["features"].notna()).groupby(SETTING)
    wanted = len(searches) * sum(a + 1 for a in range(1, most_of(rows) + 1))
    whole = (found["found"].sum() == wanted) & (found.size() == wanted)
    return runs.merge(whole[whole].index.to_frame(index=False), on=SETTING)


def spread(runs, measure, statistic):
    """Return the standard deviation or the mean of a measure within each run (Figures 2 and 3)."""
    return runs.groupby([*RUN, "of_a"])[measure].agg(statistic).rename("value").reset_index()


def difference(rows, method, exact, heuristic, searches=SEARCHES, measure="q_train"):
    """Return mean quality of one search minus that of another (Figure 4: exact and heuristic, training).

    Settings in which one of `searches` lacks a set are left out.
    """
    runs = complete_settings(rows[(rows["method"] == method) & (rows["k"] == 5)], searches)
    if runs.empty:
        return pd.DataFrame(columns=[*SETTING, "of_a", "value"])
    means = runs.groupby([*SETTING, "of_a", "search"])[measure].mean().unstack("search")
    return (means[exact] - means[heuristic]).rename("value").reset_index()


def normalised(rows, measure, zeros=False):
    """Return a measure divided by its largest value in the run; sets not found left out, or 0 (Figure 5).

    What can be negative is moved to [0, 1] first. A run whose largest value is 0 gets NaN.
    """
    values = rows[measure].astype(float)
    is_shifted = rows["method"].isin(SHIFTED) | measure.startswith("mcc")
    values = values.where(~is_shifted, (values + 1) / 2)
    if zeros:
        values = values.fillna(0)
    largest = values.groupby([rows[c] for c in RUN]).transform("max")
    return values / largest.where(largest != 0)


def by_number(rows, values):
    """Return means over tables and folds, a row per number of the alternative, a column per τ."""
    return values.groupby([rows["number"], rows["tau"].round(2)]).mean().unstack()


def boxes(axes, groups, label=""):
    """Draw a box per group of numbers, by name."""
    named = {name: np.asarray(v, dtype=float) for name, v in groups.items()}
    named = {name: v[~np.isnan(v)] for name, v in named.items()}
    axes.boxplot(list(named.values()), tick_labels=list(map(str, named)), widths=0.6,
                 flierprops={"markersize": 2}, medianprops={"color": "tab:red"})  # fmt: skip
    axes.set_ylabel(label)


def draw_all(rows, folder):
    """Draw what there are rows for, the same bytes each time; return titles by file name without suffix."""
    matplotlib.rcParams["svg.hashsalt"] = "paper 000"
    drawn = {}
    for name, (title, draw) in FIGURES.items():
        figure = draw(rows)
        if figure is None:
            continue
        for suffix in ("png", "svg"):
            figure.savefig(
                folder / f"{name}.{suffix}", dpi=100, metadata={"Date": None} if suffix == "svg" else None
            )
        drawn[name] = title
    return drawn


def panels(rows, columns, width=3.6, height=3.0):
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def legend(figure, panel):
    """Name the colours of a panel, which all share, beside the panels."""
    figure.legend(*panel.get_legend_handles_labels(), loc="outside right upper", fontsize="x-small")


def figure_1(rows):
    first = originals(rows).dropna(subset="mcc_test")
    if first.empty:
        return None
    figure, axes = panels(1, 2, width=6.5)
    groups = {(METHODS[m], k): g for (m, k), g in first.groupby(["method", "k"])["mcc_test"] if m in METHODS}
    names = {method: method.replace(" ", "\n") for method in METHODS.values()}
    boxes(axes[0], {f"{names[m]}\n{k}": g for (m, k), g in groups.items()}, "test MCC of original sets")
    change = larger_sets(rows)
    change = change[change["method"].isin(METHODS)]
    for place, measure in enumerate(MEASURES):
        for at, (_, group) in enumerate(change.groupby("method")):
            axes[1].boxplot([group[measure].dropna()], positions=[4 * at + place], widths=0.7, sym="")
    names = [METHODS[method] for method in sorted(set(change["method"]))]
    axes[1].set_xticks([4 * at + 1 for at in range(len(names))], names)
    axes[1].set(ylim=(-0.65, 0.65), ylabel="k = 10 minus k = 5")
    axes[1].set_title(" | ".join(MEASURES.values()), fontsize="small")
    axes[1].set_visible(len(change) > 0)
    return figure


def _within(statistic):
    def draw(rows):
        runs = complete_settings(rows[(rows["method"] == "model-gain") & (rows["k"] == 5)])
        if runs.empty:
            return None
        figure, axes = panels(1, 3)
        for panel, (measure, title) in zip(axes, MEASURES.items(), strict=True):
            values = spread(runs, measure, statistic)
            for at, search in enumerate(SEARCHES):
                group = values[values["search"] == search].groupby("of_a")["value"]
                places = [a + (at - 2) * 0.15 for a, _ in group]
                panel.boxplot([g.dropna() for _, g in group], positions=places, widths=0.12, sym="",
                              patch_artist=True, boxprops={"facecolor": f"C{at}"},
                              medianprops={"color": "black"})  # fmt: skip
                panel.plot([], [], color=f"C{at}", linewidth=6, label=search)
            panel.set_xticks(range(1, 6), range(1, 6))
            panel.set(xlabel="alternatives a", ylabel=title)
        legend(figure, axes[0])
        return figure

    return draw


def figure_4(rows):
    pairs = [("sim. (min)", "bal."), ("seq.", "rep.")]
    found = [[difference(rows, method, *pair) for method in ("mi", "model-gain")] for pair in pairs]
    if all(part.empty for parts in found for part in parts):
        return None
    figure, axes = panels(2, 2)
    for column, parts in enumerate(found):
        both = pd.concat([part for part in parts if len(part)])
        for row, by in enumerate(("of_a", "tau")):
            panel = axes[2 * row + column]
            boxes(panel, {f"{a:g}": g for a, g in both.groupby(by)["value"]}, " − ".join(pairs[column]))
            panel.set_xlabel("alternatives a" if by == "of_a" else "τ")
    return figure


def lines(panel, table, label):
    for tau in table:  # the same colour in all panels, whatever other τ they have
        panel.plot(table.index, table[tau], marker=".", label=f"τ = {tau:g}", color=f"C{round(10 * tau) - 1}")
    panel.set(xlabel="number of the alternative", ylabel=label)


def figure_5(rows):
    some = rows[(rows["method"] == "model-gain") & (rows["search"] == "seq.") & (rows["k"] == 10)]
    if some.empty:
        return None
    figure, axes = panels(3, 2)
    for row, (measure, title) in enumerate(MEASURES.items()):
        for column, zeros in enumerate((False, True)):
            values = normalised(some, measure, zeros)
            lines(axes[2 * row + column], by_number(some, values), f"{title}{', missing as 0' * zeros}")
    legend(figure, axes[0])
    return figure


def figure_6(rows):
    some = rows[(rows["method"] == "model-gain") & (rows["search"] == "seq.")]
    if some.empty:
        return None
    figure, axes = panels(1, 2)
    for panel, k in zip(axes, (5, 10), strict=True):
        part = some[some["k"] == k]
        if len(part):
            lines(panel, by_number(part, part["features"].notna().astype(float)), f"share found, k = {k}")
    legend(figure, axes[1] if axes[1].lines else axes[0])
    return figure


def figure_7(rows):
    some = rows[(rows["search"] == "seq.") & (rows["k"] == 10)]
    methods = [m for m in ("mi", "mrmr", "fcbf", "wrapper") if (some["method"] == m).any()]
    if not methods:
        return None
    figure, axes = panels(1, len(methods))
    for panel, method in zip(axes, methods, strict=True):
        part = some[some["method"] == method]
        lines(panel, by_number(part, normalised(part, "q_train")), f"training quality, {METHODS[method]}")
    legend(figure, axes[0])
    return figure


FIGURES = {
    "figure_1": ("Figure 1: original sets, and what k = 10 changes", figure_1),
    "figure_2": ("Figure 2: standard deviation within runs (Model Gain, k = 5)", _within("std")),
    "figure_3": ("Figure 3: mean within runs (Model Gain, k = 5)", _within("mean")),
    "figure_4": ("Figure 4: exact minus heuristic, mean training quality (k = 5)", figure_4),
    "figure_5": ("Figure 5: quality over the alternatives, relative to the run's best (Model Gain, k = 10)",
                 figure_5),
    "figure_6": ("Figure 6: share of alternatives that exist (Model Gain)", figure_6),
    "figure_7": ("Figure 7: quality over the alternatives (k = 10)", figure_7),
}  # fmt: skip
