"""How often a column of random numbers or categories is in one of the proved sets.

    python benchmarks/random_columns.py records.jsonl backache.csv.gz churn.csv.gz …
    python benchmarks/random_columns.py records.jsonl -o benchmarks/results/random_columns.md

To 500 rows of a table, drawn anew for each seed, one random column is added, and sets of five features are
selected (of three in tables of fewer than 20 columns): four of the sum of qualities, dissimilar by 0.6, or
one by mRMR. Once for each kind of column and each way to measure. What is in the records is not run again.
With -o the page is written from them: shares of the runs by kind, and their standard error over tables, whose
runs are alike.
"""

import argparse
import itertools
import json
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

from pyfsel import AlternativeFeatureSelector, PyfselError
from pyfsel.measures import read_table

ROWS, SEEDS = 500, 4
LEVELS = (2, 5, 10, 20, 50, 100, 150)
CATEGORIES = (*(f"{n} levels" for n in LEVELS), "nearly an identifier")
NUMBERS = ("normal", "exponential", "mostly 0")
MANY = {"n_sets": 4}
MRMR = {"n_sets": 1, "objective": "mrmr"}
ERROR = 0.05  # of the permutation test, family-wise
WAYS = {
    "sums: nearest neighbours": MANY | {"measure": "mutual_info", "chance": "off"},
    "sums: binned information": MANY | {"measure": "mutual_info_binned", "chance": "off"},
    "sums: information (default)": MANY,
    "sums: information, chance='forbid'": MANY | {"chance": "forbid"},
    "mRMR: binned information": MRMR | {"measure": "mutual_info_binned", "chance": "off"},
    "mRMR: information, chance='off'": MRMR | {"chance": "off"},
    "mRMR: information (default)": MRMR,
}
OPTIONS = {"near_duplicates": "ignore", "missing": "impute", "time_limit": 20}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("records", type=Path, help="JSON lines, added to")
    parser.add_argument("tables", nargs="*", type=Path, help="CSV files with classes in the column target")
    parser.add_argument("-o", "--output", type=Path, help="page to write")
    options = parser.parse_args()
    records = []
    if options.records.exists():
        records = [json.loads(line) for line in options.records.read_text().splitlines()]
    done = {(record["table"], record["seed"], record["way"]) for record in records}
    for path, seed, way in itertools.product(options.tables, range(SEEDS), WAYS):
        name = path.name.removesuffix(".csv.gz")
        if (name, seed, way) not in done:
            print(name, seed, way, flush=True)
            runs = runs_of(*read_table(path, "target"), seed, WAYS[way])
            records.append({"table": name, "seed": seed, "way": way, "runs": runs})
            with options.records.open("a") as file:
                file.write(json.dumps(records[-1]) + "\n")
    if options.output:
        options.output.write_text(page(records))


def runs_of(X, y, seed, asked):
    """Return for each kind of column whether the column is in a set, and whether it has a mark."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))[:ROWS]
    X, y = X.iloc[rows].reset_index(drop=True), np.asarray(y)[rows]
    columns = {kind: random_column(kind, len(X), rng) for kind in (*CATEGORIES, *NUMBERS)}
    return {kind: one_run(X.assign(added=column), y, asked) for kind, column in columns.items()}


def random_column(kind, n, rng):
    if kind == "normal":
        return rng.normal(size=n)
    if kind == "exponential":
        return rng.exponential(size=n)
    if kind == "mostly 0":
        return rng.exponential(size=n) * (rng.random(n) < 0.3)
    n_levels = n - n // 20 if kind not in CATEGORIES[:-1] else int(kind.split()[0])
    codes = np.concatenate([np.arange(n_levels), rng.integers(0, n_levels, n)])[:n]
    return pd.Categorical([f"c{code}" for code in rng.permutation(codes)])


def one_run(X, y, asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            selector = AlternativeFeatureSelector(5 if X.shape[1] > 20 else 3, **OPTIONS | asked).fit(X, y)
        except PyfselError:
            return None
    p_values = selector.scores_.p_values
    return {
        "held": any("added" in one for one in selector.sets_),
        "marked": p_values is not None and bool(p_values[-1] > ERROR),
    }


def page(records):
    tables = sorted({record["table"] for record in records})
    files = " ".join(f"{name}.csv.gz" for name in tables)
    lines = [
        "# Random columns in proved sets",
        "",
        f"    python benchmarks/random_columns.py records.jsonl {files}",
        "    python benchmarks/random_columns.py records.jsonl -o benchmarks/results/random_columns.md",
        "",
        f"{len(tables)} tables of up to {ROWS} rows, {SEEDS} draws of rows each; a random column of",
        f"{len(CATEGORIES)} kinds of categories ({', '.join(CATEGORIES)})",
        f"or {len(NUMBERS)} kinds of numbers ({', '.join(NUMBERS)}) is added alone. In how many per cent of",
        "the runs it is in one of four sets (sums; Dice dissimilarity 0.6) or in the one set (mRMR) of five",
        "features, of three in tables of fewer than 20; last column: in a set without the mark of what",
        "is not shown to tell more than chance. ± is the standard error over tables, whose runs are alike.",
        "",
        "| way | random categories | random numbers | in a set without a mark |",
        "|---|---|---|---|",
    ]
    for way, asked in WAYS.items():
        own = [record for record in records if record["way"] == way]
        cells = [rate(own, kinds) for kinds in (CATEGORIES, NUMBERS)]
        unmarked = "–" if "off" in asked.values() else rate(own, CATEGORIES + NUMBERS, unmarked=True)
        lines.append(f"| {way} | {' | '.join(cells)} | {unmarked} |")
    lines += [
        "",
        "What `chance='forbid'` leaves stands where fewer columns are shown to tell more than chance than",
        "sets need: then the least likely ones stay, and have their mark.",
    ]
    lines += ["", "By table, categories and numbers together:", ""]
    lines += ["| table | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 1) + "|"]
    for name in tables:
        own = [record for record in records if record["table"] == name]
        of_ways = [[record for record in own if record["way"] == way] for way in WAYS]
        cells = [rate(some, CATEGORIES + NUMBERS).partition(" ")[0] for some in of_ways]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def rate(records, kinds, unmarked=False):
    """Return the share of runs whose column is in a set in per cent, and its standard error over tables."""
    of_tables = defaultdict(list)
    for record in records:
        runs = [record["runs"][kind] for kind in kinds]
        some = [run["held"] and not (unmarked and run["marked"]) for run in runs if run is not None]
        of_tables[record["table"]] += some
    shares = np.array([np.mean(some) for some in of_tables.values() if some])
    error = f" ± {100 * shares.std(ddof=1) / len(shares) ** 0.5:.1f}" if len(shares) > 1 else ""
    return f"{100 * shares.mean():.1f}{error}"


if __name__ == "__main__":
    main()
