"""Greedy against exact: how far Greedy Replacement and Greedy Balancing stay behind, by a and tau.

    python benchmarks/greedy_gap.py
    python benchmarks/greedy_gap.py sonar.csv.gz spambase.csv.gz --plot gap.png --markdown gap.md
    python benchmarks/greedy_gap.py --pairs

For each table, a = 1 … 5 and tau = 0.2, 0.4, …, 1 (k = 5, Dice, binned mutual information): the
mean quality of the sets of Greedy Replacement against exact sequential search, and of Greedy
Balancing against exact simultaneous search with min-aggregation, as Figure 4 of paper 000 compares them.
Greedy Balancing is also held against the largest possible sum of qualities, that is mean quality itself.
A gap is (exact − greedy) / exact of the means. The five values of tau are all the overlaps that k = 5 allows.
A setting (table, tau, comparison) counts if for every a the exact search proved its answer and both searches
have all sets, so that the same settings stand behind each a; the others are counted.

``--pairs`` compares one set of k = 2 to 15 features by objectives over pairs: forward selection, by which
mRMR, JMI, CIFE and MIFS (with β = 1) are used in practice, against the proved optimum of the same quality.
"""

import argparse
import os
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

import pyfsel
from pyfsel.measures import load_dataset, pair_measures, prepare, quality, read_table
from pyfsel.problem.make import make_instance
from pyfsel.problem.values import values
from pyfsel.solving.solve import solve

BUNDLED = ("breast_cancer", "diabetes", "digits", "wine")
SIZE = 5
ALTERNATIVES = (1, 2, 3, 4, 5)
TAUS = (0.2, 0.4, 0.6, 0.8, 1.0)
PAIR_SIZES = (2, 3, 5, 8, 10, 12, 15)
FORWARD = {"mrmr": lambda m: 1 / m, "jmi": lambda m: 1 / m, "cife": lambda m: 1, "mifs": lambda m: 1}
"""What a redundancy with one of the m features before costs the next one, beside its relevance."""
COMPARISONS = {
    "replacement | sequential": ("greedy-replacement", "sequential", "sum"),
    "balancing | min": ("greedy-balancing", "simultaneous", "min"),
    "balancing | sum": ("greedy-balancing", "simultaneous", "sum"),
}
FINDINGS = """\
What paper 000 reports beside its Figure 4 (k = 5; Model Gain, MI and others; 30 data sets; SCIP; differences
of mean training quality, shown without numbers in the text):

- a = 1: solver-based and heuristic search reach the same mean quality, except where the solver timed out.
- The more alternatives, the larger the solver's advantage; it grows faster for Balancing against simultaneous
  (min) search than for Replacement against sequential search.
- Over tau the difference first rises and then falls; at tau = 1 there is none (Proposition 11).
- Negative differences occur where the solver timed out. Table 3: with MI, 9.33 % of the simultaneous
  searches with min-aggregation and 3.04 % of those with sum-aggregation ended unproved, none of the
  sequential ones; the heuristics found no solution in 9.20 % of the cases.
"""


def main():
    options = parse()
    sources = options.tables or list(BUNDLED)
    if options.pairs:
        report = report_of_pairs(pd.concat(pairs_of(source, options) for source in sources))
        print(report)
        if options.markdown:
            Path(options.markdown).write_text(report + "\n", encoding="utf-8")
        return
    with ThreadPoolExecutor(options.processes) as pool:
        frames = list(pool.map(lambda source: cells_of(source, options), sources))
    cells = pd.concat(frames, ignore_index=True)
    cells["counts"] = cells.groupby(["table", "tau", "comparison"])["gap"].transform(
        lambda g: g.notna().all()
    )
    report = report_of(cells, options)
    print(report)
    if options.plot:
        report += f"\n\n![Gaps by a and tau]({Path(options.plot).name})"
    if options.markdown:
        Path(options.markdown).write_text(report + "\n", encoding="utf-8")
    if options.csv:
        cells.to_csv(options.csv, index=False)
    if options.plot:
        draw(cells, options.plot)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files; scikit-learn's bundled tables if none")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per exact search")
    parser.add_argument("--processes", type=int, default=1, help="tables at the same time")
    parser.add_argument("--markdown", help="write the report there")
    parser.add_argument("--csv", help="write all cells there")
    parser.add_argument("--pairs", action="store_true", help="forward selection by mRMR, JMI, CIFE and MIFS")
    parser.add_argument("--plot", help="draw the gaps there (.png or .svg; needs matplotlib)")
    return parser.parse_args()


def cells_of(source, options):
    name, q = measured(source, options.target)
    rows = []
    for a in ALTERNATIVES:
        for tau in TAUS:
            for label, (heuristic, search, aggregate) in COMPARISONS.items():
                problem = make_instance(q, k=SIZE, n_sets=a + 1, dissimilarity=tau, aggregate=aggregate)
                arguments = {"search": search}
                greedy = solve(problem, heuristic, **arguments)
                exact = solve(problem, time_limit=options.time_limit, **arguments)
                outcome, gap = compared(greedy, exact)
                rows.append((name, len(q), a, tau, label, outcome, gap, exact.backend, exact.runtime))
    print(f"{name}: done", flush=True)
    columns = ["table", "n", "a", "tau", "comparison", "outcome", "gap", "backend", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def measured(source, target):
    name, table = prepared(source, target)
    return name, quality(table, measure="mutual_info_binned")


def prepared(source, target):
    X, y = load_dataset(source) if source in BUNDLED else read_table(source, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Path(source).name.split(".")[0], prepare(X, y, missing="impute")


def pairs_of(source, options):
    """Return a row for each objective and size: the gap of forward selection, and what was proved."""
    name, table = prepared(source, options.target)
    rows = []
    for objective, share in FORWARD.items():
        q, r = pair_measures(table, objective=objective)
        for k in (k for k in PAIR_SIZES if k < len(q)):
            problem = make_instance(q, r, objective=objective, k=k)
            exact = solve(problem, time_limit=options.time_limit)
            greedy, best = values(problem, [forward(q, r, k, share), exact.sets[0]])
            rows.append((name, objective, k, (best - greedy) / abs(best), str(exact.status), exact.runtime))
    return pd.DataFrame(rows, columns=["table", "objective", "k", "gap", "status", "seconds"])


def forward(q, r, k, share):
    """Return the features taken one after another, each the best beside those before it."""
    members = [int(q.argmax())]
    while len(members) < k:
        scores = q - share(len(members)) * r[members].sum(axis=0)
        scores[members] = -np.inf
        members.append(int(scores.argmax()))
    return tuple(sorted(members))


def report_of_pairs(cells):
    proved = cells[cells["status"] == "OPTIMAL"]
    lines = [
        "# Forward selection against exact: objectives over pairs",
        "",
        f"{cells['table'].nunique()} tables: {', '.join(cells['table'].unique())}; information beyond "
        f"chance. {len(proved)} of {len(cells)} optima proved, in {cells['seconds'].max():.1f} s at most. "
        "The mean gap, relative to the optimum; in brackets the largest gap, and in how many tables forward "
        "selection finds an optimum.",
        "",
        "| k | " + " | ".join(FORWARD) + " |",
        "|---" * (len(FORWARD) + 1) + "|",
    ]
    for k, of_size in proved.groupby("k"):
        found = [of_size.loc[of_size["objective"] == objective, "gap"] for objective in FORWARD]
        shown = [f"{g.mean():.2%} ({g.max():.2%}; {(g == 0).sum()} of {len(g)})" for g in found]
        lines.append(f"| {k} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def compared(greedy, exact):
    asked = exact.problem.n_sets
    if exact.status is pyfsel.Status.INFEASIBLE or len(exact.sets) < asked:
        proved = exact.status in (pyfsel.Status.INFEASIBLE, pyfsel.Status.OPTIMAL)
        return "too few sets" if proved else "not proved", None
    if exact.status is not pyfsel.Status.OPTIMAL:
        return "not proved", None
    if len(greedy.sets) < asked:
        return "greedy found none", None
    found, best = (int(values(r.problem, r.sets).sum()) for r in (greedy, exact))
    return "compared", (best - found) / best


def report_of(cells, options):
    counts = Counter(cells["outcome"])
    parts = [
        "# Greedy against exact",
        "",
        f"{cells['table'].nunique()} tables: {', '.join(listed(cells))}. k = {SIZE}, Dice, binned mutual "
        f"information, a = 1 to 5, tau = {', '.join(map(str, TAUS))}; at most {options.time_limit:g} s per "
        f"exact search, one thread each, {options.processes} tables at a time on a machine with "
        f"{os.cpu_count()} cores.",
        "",
        f"{len(cells)} cells: "
        + ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
        + ".",
        "",
        f"Of the {len(cells) // len(ALTERNATIVES)} settings (table, tau, comparison), "
        f"{cells['counts'].sum() // len(ALTERNATIVES)} count: those complete and proved for every a. "
        "Below: the mean gap of the mean quality of the sets, relative to the exact one; in brackets the "
        "largest gap, and the number of cells.",
        "",
    ]
    cells = cells[cells["counts"]]
    for key in ("a", "tau"):
        parts += [*grid(cells, key), ""]
    parts += [*grid(cells, "table"), "", FINDINGS.rstrip(), "", *held_against(cells)]
    return "\n".join(parts)


def listed(cells):
    return [
        f"{name} (n = {n})" for name, n in cells[["table", "n"]].drop_duplicates().itertuples(index=False)
    ]


def grid(cells, key):
    yield "| " + " | ".join([key, *(label.replace(" | ", " / ") for label in COMPARISONS)]) + " |"
    yield "|---" * (len(COMPARISONS) + 1) + "|"
    for value, group in cells.groupby(key):
        gaps = [group.loc[group["comparison"] == label, "gap"] for label in COMPARISONS]
        shown = [f"{g.mean():.2%} ({g.max():.2%}; {len(g)})" if len(g) else "–" for g in gaps]
        yield f"| {value} | " + " | ".join(shown) + " |"


def held_against(cells):
    yield "The same statements, tested on the cells above:"
    yield ""
    for label in COMPARISONS:
        gaps = cells[cells["comparison"] == label]
        by_a, by_tau = gaps.groupby("a")["gap"].mean(), gaps.groupby("tau")["gap"].mean()
        yield f"- {label.replace(' | ', ' / ')}: " + "; ".join(
            [
                f"largest |gap| at a = 1 {largest(gaps, 'a', 1)}",
                f"at tau = 1 {largest(gaps, 'tau', 1.0)}",
                f"the mean gap {'rises with every' if rising(by_a) else 'does not always rise with'} a",
                f"it is largest at tau = {by_tau.idxmax()}",
                f"negative gaps: {(gaps['gap'] < 0).sum()}",
            ]
        )


def largest(gaps, key, value):
    here = gaps.loc[gaps[key] == value, "gap"].abs()
    return f"{here.max():.4%}" if len(here) else "–"


def rising(means):
    return bool((means.diff().dropna() > 0).all())


def draw(cells, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 6), layout="constrained")
    axes = figure.subplots(2, len(COMPARISONS), sharey=True)
    for row, key in zip(axes, ("a", "tau"), strict=True):
        for ax, label in zip(row, COMPARISONS, strict=True):
            gaps = cells[cells["counts"] & (cells["comparison"] == label)]
            groups = {value: 100 * group["gap"] for value, group in gaps.groupby(key)}
            ax.boxplot(
                list(groups.values()),
                tick_labels=[f"{value:g}" for value in groups],
                widths=0.55,
                showmeans=True,
                meanprops={
                    "marker": "D",
                    "markersize": 4,
                    "markerfacecolor": "#d0557b",
                    "markeredgewidth": 0,
                },
                medianprops={"color": "#4269d0", "linewidth": 1.6},
                flierprops={"marker": ".", "markersize": 4, "markeredgecolor": "#6b7280"},
            )
            ax.set_xlabel("number of alternatives a" if key == "a" else "dissimilarity threshold τ (Dice)")
            ax.grid(axis="y", color="#e5e7eb", linewidth=0.8)
            ax.set_axisbelow(True)
            ax.spines[["top", "right"]].set_visible(False)
        row[0].set_ylabel("gap to exact, %")
    titles = (
        "Greedy Replacement\nagainst exact sequential",
        "Greedy Balancing\nagainst exact simultaneous, min",
        "Greedy Balancing\nagainst exact simultaneous, sum",
    )
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize=10)
    figure.suptitle(
        f"Mean quality given up by the greedy heuristics ({cells['table'].nunique()} tables, k = {SIZE}; "
        "boxes: quartiles, diamonds: means)",
        fontsize=11,
    )
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
