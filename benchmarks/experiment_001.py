"""The experiment of paper 001 (Section 6), each run beside the proved smallest consistent set.

    python benchmarks/experiment_001.py run results.csv            # goes on where an earlier call was stopped
    python benchmarks/experiment_001.py run results.csv --families parity-4 gmonks-6 --samples 3
    python benchmarks/experiment_001.py run results.csv --scheduler tcp://10.0.0.1:8786
    python benchmarks/experiment_001.py report results.csv benchmarks/results/experiment_001

Twelve families (Parity, Disjunction and GMonks of four sizes), three groups of points (irrelevant columns,
redundant columns, sample size), ten samples of each. A row of the file is one method on one table: its set,
the score of 001 with its three parts, and what is proved about the table: the smallest size (or a lower
bound), the scores of all smallest sets. Searches end after a number of evaluated sets (``--evaluations``),
proofs after CPU seconds (``--proof-seconds``): both depend little on how busy the machine is. Where
that cut a run, the column `stopped` says so. From 12 relevant features on there are five points and three
samples, one for the wrappers.
"""

import argparse
import csv
import json
import time
import warnings
from collections import Counter
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from pyfsel.bench.instances import Request, generated
from pyfsel.bench.instances.boolean_tables import ROWS_PER_FEATURE
from pyfsel.bench.instances.solution_score import solution_score
from pyfsel.papers.consistency.branching import DifferenceSets, branching_refusal
from pyfsel.papers.consistency.consistent_sets import consistent_sets
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.papers.subset.best_subset import select_subset
from pyfsel.results.backend_answer import Status

SIZES = {"parity": (4, 8, 16, 32), "disjunction": (5, 10, 15, 20), "gmonks": (6, 12, 18, 24)}
STEPS_PER_RELEVANT = {"parity": 4, "disjunction": 5, "gmonks": 6}
FACTORS = (0.25, 0.5, 0.75, 1, 1.25, 1.75, 2)
MANY = 12
FEW_STEPS, FEW_FACTORS = (0, 2, 5, 8, 10), (0.25, 0.5, 1, 1.25, 2)
METHODS = {
    "LVF": {"method": "lvf"},
    "LVI": {"method": "lvi"},
    "C-SFG": {"method": "forward"},
    "C-SBG": {"method": "backward"},
    "SFFG": {"method": "floating-forward"},
    "SFBG": {"method": "floating-backward"},
    "QBB": {"method": "qbb"},
    "ABB": {"method": "abb"},
    "Relief": {"method": "relief", "n_samples": 10**6},
    "E-SFG": {"method": "information-gain"},
    "W-SFG": {"method": "forward", "criterion": "model"},
    "W-SBG": {"method": "backward", "criterion": "model"},
}
CONSISTENCY = ("LVF", "LVI", "C-SFG", "C-SBG", "SFFG", "SFBG", "QBB", "ABB")
WRAPPERS = ("W-SFG", "W-SBG")
STYLES = {"W": "x--", "C": "s:"}
OPTIMUM = "optimum"
KEY = ("family", "n_relevant", "group", "step", "sample", "method")
COLUMNS = (
    *KEY, "n_irrelevant", "n_redundant", "n_rows", "size", "score", "relevance", "irrelevance", "redundancy",
    "stopped", "evaluations", "cpu_seconds", "bound", "n_smallest", "mean_score", "best_score", "set",
)  # fmt: skip
MOST_SMALLEST = 2000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run")
    run.add_argument("results", type=Path)
    run.add_argument("--families", nargs="*", help="such as parity-4; all unless given")
    run.add_argument("--methods", nargs="*", choices=[*METHODS, OPTIMUM], default=[OPTIMUM, *METHODS])
    run.add_argument("--samples", type=int, default=10)
    run.add_argument("--evaluations", type=int, default=10_000)
    run.add_argument("--proof-seconds", type=float, default=60)
    run.add_argument("--scheduler", help="run on the workers of this Dask scheduler")
    run.set_defaults(do=run_all)
    report = commands.add_parser("report")
    report.add_argument("results", type=Path)
    report.add_argument("folder", type=Path)
    report.set_defaults(do=lambda options: write_report(read(options.results), options.folder))
    options = parser.parse_args()
    options.do(options)


def tables(options):
    """Yield the tables as keys without the method, the first samples and cheap ones first."""
    cells = []
    for family, sizes in SIZES.items():
        for n in sizes:
            if options.families and f"{family}-{n}" not in options.families:
                continue
            steps, factors = (range(11), FACTORS) if n < MANY else (FEW_STEPS, FEW_FACTORS)
            points = [*product(("irrelevance", "redundancy"), steps), *product(("rows",), factors)]
            samples = min(options.samples, 10 if n < MANY else 3)
            cells += [(family, n, group, step, s) for (group, step), s in product(points, range(samples))]
    return sorted(cells, key=lambda cell: (cell[1] >= MANY, cell[4], cell[1], cell[3]))


def request_of(family, n, group, step):
    """Return what is asked of the family at a point of 001's Sections 6.2 and 6.3."""
    if group == "rows":
        n_rows = round(step * ROWS_PER_FEATURE * (n + 2 * (n // 2)))
        return Request(n_features=n, n_irrelevant=n // 2, n_redundant=n // 2, n_rows=n_rows)
    more = round(step * n / STEPS_PER_RELEVANT[family])
    irrelevant, redundant = (more, 0) if group == "irrelevance" else (0, more)
    return Request(n_features=n, n_irrelevant=irrelevant, n_redundant=redundant)


def run_all(options):
    done = set(map(tuple, read(options.results)[list(KEY)].astype(str).to_numpy()))
    tasks = []
    passes = [
        [m for m in options.methods if m not in WRAPPERS],
        [m for m in options.methods if m in WRAPPERS],
    ]
    for methods in passes:
        for cell in tables(options):
            skipped = methods and methods[0] in WRAPPERS and cell[1] >= MANY and cell[4] > 0
            left = [m for m in methods if (*map(str, cell), m) not in done]
            if left and not skipped:
                tasks.append((cell, left, options.evaluations, options.proof_seconds))
    print(f"{len(done)} runs are done, {sum(len(task[1]) for task in tasks)} to do")
    for rows in results_of(tasks, options.scheduler):
        append(options.results, rows)


def results_of(tasks, scheduler):
    """Yield the rows of each table as they are done, here or on the workers of a scheduler."""
    if scheduler is None:
        yield from (rows_of(task) for task in tasks)
        return
    from distributed import Client, as_completed

    with Client(scheduler) as client:
        for _, rows in as_completed(client.map(rows_of, tasks, pure=False), with_results=True):
            yield rows


def rows_of(task):
    """Run methods on one table."""
    cell, methods, evaluations, proof_seconds = task
    family, n, group, step, sample = cell
    made = generated(family, request_of(family, n, group, step), sample)
    X, y = made.table.drop(columns="target"), made.table["target"].to_numpy()
    known = {name: made.about[name] for name in ("relevant", "irrelevant", "copies")}
    about = dict(zip(KEY, cell, strict=False)) | {
        "n_irrelevant": len(known["irrelevant"]), "n_redundant": len(known["copies"]), "n_rows": len(y)
    }  # fmt: skip
    rows = []
    for name in methods:
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name == OPTIMUM:
                found = proved(X, y, known, proof_seconds)
            else:
                found = searched(name, X, y, known, evaluations, sample)
        rows.append(about | {"method": name} | found | {"cpu_seconds": round(time.process_time() - begin, 3)})
    return rows


def scores(names, known):
    made = solution_score(names, **known)
    parts = {name: getattr(made, name) for name in ("score", "relevance", "irrelevance", "redundancy")}
    return {name: round(part, 6) for name, part in parts.items()}


def searched(name, X, y, known, evaluations, sample):
    options = METHODS[name]
    if options["method"] in ("relief", "information-gain"):
        result = select_subset(X, y, random_state=sample, **options)
    else:
        result = select_subset(X, y, random_state=sample, max_evaluations=evaluations, **options)
    names = result.names_of(result.features)
    return scores(names, known) | {
        "size": len(names),
        "stopped": "" if result.stop_reason == "finished" else str(result.stop_reason),
        "evaluations": result.n_evaluations,
        "set": json.dumps(names),
    }


class OutOfCpuTimeError(Exception):
    """The CPU seconds of a proof are used up."""


def proved(X, y, known, seconds):
    """Return the smallest size, or a lower bound, and the scores of all sets of that size."""
    problem = consistency_problem(X, y)
    why_not = branching_refusal(problem)
    if why_not is not None:
        found = consistent_sets(problem, time_limit=seconds)
        [bound] = found.details["at_least"]
        return {"stopped": why_not, "size": bound if found.status is Status.OPTIMAL else "", "bound": bound}
    begin = time.process_time()

    def on_pause():
        if time.process_time() - begin > seconds:
            raise OutOfCpuTimeError

    hitting = DifferenceSets(problem)
    size = 0
    try:
        while True:
            found = hitting.of_size(size, 1, on_pause)
            if found:
                break
            size += 1
    except OutOfCpuTimeError:
        return {"stopped": "cpu_seconds", "bound": size, "evaluations": hitting.n_nodes}
    with suppress(OutOfCpuTimeError):
        found = hitting.of_size(size, MOST_SMALLEST, on_pause)
    all_scores = [scores([X.columns[j] for j in s], known)["score"] for s in found]
    return {
        "size": size, "bound": size, "n_smallest": len(found), "evaluations": hitting.n_nodes, "stopped": "",
        "mean_score": round(float(np.mean(all_scores)), 6), "best_score": max(all_scores),
    }  # fmt: skip


def read(path):
    if not path.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(
        path, keep_default_na=False, na_values={"size": "", "score": "", "bound": ""}, dtype={"step": str}
    )


def append(path, rows):
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def write_report(frame, folder):
    """Write the figures and the tables in numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    frame["step"] = frame["step"].astype(float)
    runs = frame[frame["method"] != OPTIMUM].copy()
    for column in ("score", "size"):
        runs[column] = pd.to_numeric(runs[column])
    optimum = frame[frame["method"] == OPTIMUM].copy()
    for column in ("size", "bound", "mean_score", "best_score", "n_smallest"):
        optimum[column] = pd.to_numeric(optimum[column], errors="coerce")
    table = [c for c in KEY if c != "method"]
    joined = runs.merge(optimum[[*table, "size", "bound", "mean_score", "best_score"]], on=table,
                        suffixes=("", "_optimum"), how="left")  # fmt: skip
    joined["distance"] = joined["size"] - joined["size_optimum"]
    draw_scores(runs, folder)
    draw_means(runs[runs.n_relevant < MANY], folder / "figure_3.png")
    draw_means(runs[runs.n_relevant >= MANY], folder / "figure_3_many.png")
    draw_distances(joined, folder)
    draw_allowed(optimum, folder)
    text = numbers(joined, optimum)
    (folder / "numbers.md").write_text(text, encoding="utf-8")
    print(text)


def x_of(frame):
    """Return the abscissa of a point: columns per relevant one, or the factor of the rows."""
    per = frame["family"].map(STEPS_PER_RELEVANT)
    return np.where(frame["group"] == "rows", frame["step"], frame["step"] / per)


XLABELS = {"irrelevance": "N_I / N_R", "redundancy": "N_R' / N_R", "rows": "sample factor k"}
FIGURE_2 = (
    ("a", "C-SBG", "parity", "irrelevance"),
    ("b", "Relief", "gmonks", "irrelevance"),
    ("c", "LVF", "parity", "redundancy"),
    ("d", "QBB", "disjunction", "redundancy"),
    ("e", "LVI", "gmonks", "rows"),
    ("f", "W-SBG", "disjunction", "rows"),
)


def new_figure(n_panels, columns=3, width=4.2, height=3.2):
    from matplotlib.figure import Figure

    rows = -(-n_panels // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def name_lines(figure, panel):
    """Name the lines of a panel, which all share, beside the panels."""
    figure.legend(*panel.get_legend_handles_labels(), loc="outside right upper", fontsize="x-small")


def draw_scores(runs, folder):
    figure, panels = new_figure(6)
    for axes, (letter, method, family, group) in zip(panels, FIGURE_2, strict=True):
        chosen = runs[(runs.method == method) & (runs.family == family) & (runs.group == group)]
        for n, part in chosen.groupby("n_relevant"):
            mean = part.assign(x=x_of(part)).groupby("x")["score"].mean()
            axes.plot(mean.index, mean, marker="o", markersize=3, label=f"N_R = {n}")
        axes.set(
            title=f"2{letter}: {method}, {family}", xlabel=XLABELS[group], ylabel="score", ylim=(0, 1.03)
        )
        if len(chosen):
            axes.legend(fontsize="small")
    figure.savefig(folder / "figure_2.png", dpi=120)


def draw_means(runs, path):
    figure, panels = new_figure(6)
    for column, group in enumerate(XLABELS):
        for row, is_weighted in enumerate((False, True)):
            axes = panels[3 * row + column]
            part = runs[runs.group == group]
            part = part.assign(x=part["step"], w=part["n_relevant"] if is_weighted else 1)
            for method in METHODS:
                of_method = part[part.method == method]
                sums = of_method.assign(s=of_method.score * of_method.w).groupby("x")[["s", "w"]].sum()
                axes.plot(sums.index, sums.s / sums.w, STYLES.get(method[0], ".-"), label=method)
            title = f"3{'abcdef'[2 * column + row]}: {group}{', weighted by N_R' if is_weighted else ''}"
            label = XLABELS[group] if group == "rows" else "step k"
            axes.set(title=title, xlabel=label, ylabel="mean score", ylim=(0, 1.03))
    name_lines(figure, panels[0])
    figure.savefig(path, dpi=120)


def draw_distances(joined, folder):
    figure, panels = new_figure(6)
    for axes, (is_many, group) in zip(panels, product((False, True), XLABELS), strict=True):
        part = joined[
            (joined.group == group) & joined.distance.notna() & ((joined.n_relevant >= MANY) == is_many)
        ]
        label = XLABELS[group]
        for method in CONSISTENCY:
            mean = part[part.method == method].groupby("step")["distance"].mean()
            axes.plot(mean.index, mean, marker=".", label=method)
        axes.set(
            title=f"{group}, N_R {'≥' if is_many else '<'} {MANY}",
            xlabel=label if group == "rows" else "step k",
            ylabel="features above the minimum",
        )
        axes.set_yscale("asinh", linear_width=1)
        ticks = [tick for tick in (0, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if tick <= axes.get_ylim()[1]]
        axes.set_yticks(ticks, ticks)
        axes.minorticks_off()
    name_lines(figure, panels[0])
    figure.savefig(folder / "distance.png", dpi=120)


def draw_allowed(optimum, folder):
    from matplotlib import colormaps

    figure, panels = new_figure(3)
    known = optimum[optimum.mean_score.notna()]
    colors = dict(
        zip(known.groupby(["family", "n_relevant"]).groups, colormaps["tab20"].colors, strict=False)
    )
    for axes, (group, label) in zip(panels, XLABELS.items(), strict=True):
        for (family, n), part in known[known.group == group].groupby(["family", "n_relevant"]):
            mean = part.assign(x=x_of(part)).groupby("x")["mean_score"].mean()
            axes.plot(mean.index, mean, marker=".", label=f"{family} {n}", color=colors[family, n])
        axes.set(title=group, xlabel=label, ylabel="score of the smallest consistent sets", ylim=(0, 1.03))
    name_lines(figure, panels[0])
    figure.savefig(folder / "allowed.png", dpi=120)


def markdown(frame):
    lines = ["| " + " | ".join(map(str, frame.columns)) + " |", "|" + "---|" * len(frame.columns)]
    shown = frame.map(lambda v: "–" if pd.isna(v) else f"{v:.2f}" if isinstance(v, float) else v)
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in shown.to_numpy())])


def by_method(joined):
    """Return mean scores by group, distances to the minimum and how many runs were cut, by method."""
    by_group = joined.pivot_table(index="method", columns="group", values="score", aggfunc="mean")
    weighted = joined.assign(s=joined.score * joined.n_relevant).groupby("method")[["s", "n_relevant"]].sum()
    by_group["weighted by N_R"] = weighted.s / weighted.n_relevant
    distance = joined[joined.method.isin(CONSISTENCY)].groupby("method").agg(
        above=("distance", "mean"), at_minimum=("distance", lambda d: (d.dropna() == 0).mean())
    )  # fmt: skip
    cut = Counter(joined[joined.stopped != ""]["method"])
    by_group["above the minimum"] = distance["above"]
    by_group["share at it"] = distance["at_minimum"]
    by_group["runs"] = joined.groupby("method").size()
    by_group["cut"] = [cut[m] for m in by_group.index]
    return by_group.sort_values("weighted by N_R", ascending=False).reset_index()


def weighted_by_group(joined):
    """Return mean scores weighted by the number of relevant features, by method and group."""
    sums = joined.assign(s=joined.score * joined.n_relevant).groupby(["method", "group"])[["s", "n_relevant"]]
    means = sums.sum().pipe(lambda of: of.s / of.n_relevant).unstack("group")
    return means.sort_values("irrelevance", ascending=False).reset_index()


def by_family(optimum):
    """Return what is proved of the smallest sets of each family, and what score they have."""
    allowed = optimum.groupby(["family", "n_relevant"]).agg(
        tables=("step", "size"), proved=("size", "count"), minimum=("size", "mean"), bound=("bound", "mean"),
        sets=("n_smallest", "mean"), mean_score=("mean_score", "mean"), best_score=("best_score", "mean"),
    )  # fmt: skip
    return allowed.reset_index()


def numbers(joined, optimum):
    """Return the tables of the page: methods on small and on large families, and the smallest sets."""
    parts = {
        f"N_R < {MANY}": joined[joined.n_relevant < MANY],
        f"N_R >= {MANY}": joined[joined.n_relevant >= MANY],
    }
    blocks = []
    for name, part in parts.items():
        if len(part):
            blocks += [f"Mean scores and distance to the proved minimum, {name}:", markdown(by_method(part))]
            blocks += [f"Mean scores weighted by N_R, {name}:", markdown(weighted_by_group(part))]
    blocks += [
        "What measure and sample allow: all smallest consistent sets:",
        markdown(by_family(optimum)),
        "",
    ]
    return "\n\n".join(blocks)


if __name__ == "__main__":
    main()
