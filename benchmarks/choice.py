"""Which backend to take: the rules of `auto` beside rules learned from the same runs, and the best of all.

    pyfsel bench run benchmarks/choice.toml -o DIR
    python benchmarks/choice.py record DIR
    python benchmarks/choice.py report -o benchmarks/results/choice.md

`record` writes what counts of each run to results/choice.csv; `report` reads it and the instances. Times are
CPU seconds, twice the limit where nothing was proved; means are geometric, of a tenth of a second more.
Learned rules see an instance only through `described`, and choose for a table what runs on the others say.
Regret is how many times as long as with the best backend of each instance, with a 95 % interval over tables.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import bootstrap
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.tree import DecisionTreeRegressor, export_text

from pyfsel.backends.choose import choose_backend
from pyfsel.bench.store import read_records
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES

INSTANCES = Path(__file__).parents[1] / "instances"
RECORD = Path(__file__).parent / "results" / "choice.csv"
COLUMNS = ["instance", "solver", "outcome", "cpu_seconds", "time_limit"]
SHIFT = 0.1  # seconds, less than which hardly matters
PROVED = ("OPTIMAL", "INFEASIBLE")
LEARNED = {
    "learned, 300 trees": ExtraTreesRegressor(300, min_samples_leaf=2, random_state=0),
    "learned, one tree of 8 leaves": DecisionTreeRegressor(max_leaf_nodes=8, random_state=0),
}


def record(folder):
    """Write the columns that count, sorted, so that a second record differs in figures only."""
    table = pd.json_normalize(read_records(folder))[COLUMNS].sort_values(["instance", "solver"])
    table.round({"cpu_seconds": 3}).to_csv(RECORD, index=False)


def problem_of(name):
    return Instance.load(next(INSTANCES.glob(f"*/{name}.json")))


def by_reason(instances):
    """Return the instances for each reason that `auto` gives."""
    reasons = pd.Series({name: choose_backend(problem_of(name))[1] for name in instances})
    return reasons.groupby(reasons).groups


def described(problem):
    """Return what learned rules see of a problem."""
    quality, redundancy = problem.quality, problem.pairs
    k, n, largest = problem.k, problem.n_features, max(1, int(np.abs(problem.quality).max()))
    pairs = np.zeros(1) if redundancy is None else redundancy[np.triu_indices(n, 1)] / largest
    return {
        **{f"is {name}": problem.objective == name for name in OBJECTIVES},
        "min": problem.aggregate == "min",
        "features": n,
        "set size": k,
        "sets": problem.n_sets,
        "overlap": problem.max_shared / k,
        "used": k * problem.n_sets / n,
        "conflicts": len(problem.conflicts) / n**2,
        "spread of qualities": float(np.std(quality)) / largest,
        "k-th quality": np.sort(quality)[-k] / largest,
        "redundancy": float(np.mean(pairs)),
        "spread of redundancies": float(np.std(pairs)),
    }


def times_of(table):
    """Return penalised CPU seconds, a row per instance and a column per backend; NaN where unsupported."""
    proved = table["outcome"].isin(PROVED)
    seconds = table["cpu_seconds"].where(proved, 2 * table["time_limit"])
    seconds = seconds.where(table["outcome"] != "unsupported")
    return table.assign(seconds=seconds).pivot(index="instance", columns="solver", values="seconds")


def learned_choice(model, seen, times, tables):
    """Return for each instance the time of the backend chosen by a model that never saw its table."""
    known = np.log(times + SHIFT)
    filled = known.fillna(known.max().max()).to_numpy()
    chosen = np.empty(len(times))
    for train, test in LeaveOneGroupOut().split(seen, groups=tables):
        predicted = model.fit(seen[train], filled[train]).predict(seen[test])
        predicted[known.isna().to_numpy()[test]] = np.inf  # whether it takes the problem is known beforehand
        chosen[test] = times.to_numpy()[test, predicted.argmin(axis=1)]
    return pd.Series(chosen, times.index)


def geometric(seconds):
    return float(np.exp(np.log(seconds + SHIFT).mean()) - SHIFT)


def line(name, seconds, best, tables, limit):
    """Return a row of the table of rules."""
    ratio = np.log((seconds + SHIFT) / (best + SHIFT))
    whole = ratio.groupby(tables)
    sums, counts = whole.sum().to_numpy(), whole.size().to_numpy()
    cells = [name, f"{int((seconds <= limit).sum())} of {len(seconds)}", f"{geometric(seconds):.2f}"]
    cells.append(f"{np.exp(ratio.mean()):.2f}")
    if sums.any():
        interval = bootstrap(
            (sums, counts),
            lambda s, c: np.exp(s.sum() / c.sum()),
            paired=True,
            vectorized=False,
            random_state=0,
        ).confidence_interval
        cells[-1] += f" [{interval.low:.2f}, {interval.high:.2f}]"
    return f"| {' | '.join(cells)} |"


def report():
    """Return the lines of the page."""
    table = pd.read_csv(RECORD)
    limit = float(table["time_limit"].max())
    times = times_of(table)
    auto = times.pop("auto")
    tables = np.array([name.split("-")[0] for name in times.index])
    descriptions = pd.DataFrame([described(problem_of(name)) for name in times.index])
    seen, best = descriptions.to_numpy(float), times.min(axis=1)
    rules = {"virtual best": best, "auto": auto}
    rules |= {name: learned_choice(model, seen, times, tables) for name, model in LEARNED.items()}
    everywhere = [name for name in times if times[name].notna().all()]
    rules |= {f"{name} alone": times[name] for name in everywhere}
    lines = [
        f"{len(times)} problems of {len(set(tables))} tables and generators, {limit:g} s for each; CPU "
        "seconds are geometric means, twice the limit where nothing was proved. Regret: how many times as "
        "long as with the best backend of each problem, with a 95 % interval over tables; learned rules "
        "never saw the table. `auto` also has searches for special problems that are not among the others.",
        "",
        "| rule | proved | CPU s | regret |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [line(name, seconds, best, tables, limit) for name, seconds in rules.items()]
    lines += ["", "## By reason", "", "What `auto` says, and what the best single backend takes there.", ""]
    lines += ["| auto chose | because | problems | auto, CPU s | best single backend | CPU s |"]
    lines += ["|---|---|---:|---:|---|---:|"]
    for reason, names in by_reason(times.index).items():
        own = times.loc[names].dropna(axis=1)
        single = min(own, key=lambda name: geometric(own[name]))
        chosen, why = reason.removeprefix("auto chose ").rstrip(".").split(": ", 1)
        seconds = [f"{geometric(found):.2f}" for found in (auto[names], own[single])]
        lines.append(f"| {chosen} | {why} | {len(names)} | {seconds[0]} | {single} | {seconds[1]} |")
    tree = LEARNED["learned, one tree of 8 leaves"].fit(seen, np.log(times + SHIFT).fillna(5.0))
    grown = export_text(tree, feature_names=list(descriptions), decimals=2).splitlines()
    rows = [named_leaf(row, list(times)) for row in grown]
    return [*lines, "", "## The one tree, of all tables", "", "```text", *rows, "```"]


def named_leaf(row, backends):
    """Return a row of a printed tree; that of a leaf says which backend is fastest there."""
    before, leaf, values = row.partition("value: [")
    if not leaf:
        return row
    seconds = [float(value) for value in values.rstrip("]").split(",")]
    return f"{before}{backends[int(np.argmin(seconds))]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("folder", type=Path)
    commands.add_parser("report").add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.command == "record":
        record(options.folder)
        return
    text = "\n".join(report())
    print(text)
    if options.output is not None:
        options.output.write_text(
            f"# The choice of a backend\n\n`python benchmarks/choice.py report`\n\n{text}\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
