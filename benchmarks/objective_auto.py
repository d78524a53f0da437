"""Held-out scores of the sets of ``objective="auto"``, JMI and sums, on folds that chose no default.

    python benchmarks/objective_auto.py backache.csv.gz churn.csv.gz …
    python benchmarks/objective_auto.py -o benchmarks/results/objective_auto.md

Four tables of scikit-learn and CSV files with a column target; at most 1,000 rows of each, drawn at random.
Selection and models see the training rows of 5 folds only, and the folds are the same for all ways. What is
in the records is not run again. With -o the page is written from them.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t, wilcoxon
from sklearn import datasets

from pyfsel import AlternativeFeatureSelector, evaluate
from pyfsel.measures import read_table

ROWS, SEED = 1000, 20261127
OWN = ("breast_cancer", "wine", "digits", "diabetes")
RECORDS = Path(__file__).parent / "results" / "objective_auto.jsonl"
BASE = "sums"
WAYS = {
    BASE: {},
    "sums, near-duplicates apart": {"near_duplicates": "note"},
    "jmi": {"objective": "jmi"},
    "auto": {"objective": "auto"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", type=Path, help="CSV files with the column target")
    parser.add_argument("-o", "--output", type=Path, help="page to write")
    options = parser.parse_args()
    done = set(read_records()["table"]) if RECORDS.exists() else set()
    if options.output:
        options.output.write_text(page(read_records()), encoding="utf-8")
        return
    for name, source in [*zip(OWN, OWN, strict=True), *((p.name.split(".")[0], p) for p in options.tables)]:
        if name not in done:
            print(name, flush=True)
            with RECORDS.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records_of(name, source))


def read_records():
    return pd.read_json(RECORDS, lines=True)


def records_of(name, source):
    """Yield the mean score over the folds of each way, set and model."""
    warnings.simplefilter("ignore")
    if isinstance(source, str):
        X, y = getattr(datasets, f"load_{source}")(return_X_y=True, as_frame=True)
    else:
        X, y = read_table(source, "target")
    rows = np.random.default_rng(SEED).permutation(len(X))[:ROWS]
    X, y = X.iloc[rows].reset_index(drop=True), pd.Series(np.asarray(y)[rows])
    if y.dtype.kind in "iu" and y.nunique() > 20:
        y = y.astype(float)  # numbers, not classes
    shape = {"n_sets": 2, "missing": "impute", "time_limit": 4}
    size = 5 if X.shape[1] >= 20 else 3
    ways = {way: AlternativeFeatureSelector(size, **shape, **changes) for way, changes in WAYS.items()}
    found = evaluate(X, y, ways, ["linear", "forest"], repeats=1, random_state=SEED, n_jobs=1)
    folds = found.folds()
    for (one, model), scores in folds.groupby(["set", "model"])["score"]:
        way, _, number = one.rpartition(" ")
        if number.isdecimal():
            yield {
                "table": name,
                "way": way,
                "set": int(number),
                "model": model,
                "score": round(float(scores.mean()), 5),
                "n_folds": len(scores),
                "is_numeric": found.details["task"] == "regression",
            }


def page(records):
    """Return the page: what each way scores more than sums, over tables."""
    scores = records.pivot_table("score", "table", ["set", "way"])
    tables = list(scores.index)
    files = " ".join(f"{name}.csv.gz" for name in tables if name not in OWN)
    lines = [
        "# Held-out scores of objectives",
        "",
        f"    python benchmarks/objective_auto.py {files}",
        "    python benchmarks/objective_auto.py -o benchmarks/results/objective_auto.md",
        "",
        f"{len(tables)} tables of at most 1,000 rows; sets of 5 features (of 3 below 20), and",
        "one alternative of Dice dissimilarity 0.6. Scores are means of a linear model and a random forest",
        "over 5 folds that chose none of the defaults: balanced accuracy, or R². Differences are to sums",
        "with near-duplicates merged, the default. p is of Wilcoxon's signed-rank test over tables, not",
        "corrected for the number of comparisons. Numeric targets: abalone, diabetes, residential_building.",
        "",
        "| set | objective | tables | difference | 95% interval | p | more / less by 0.005 | worst table |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for number in (0, 1):
        base = scores[number, BASE]
        for way in WAYS:
            apart = (scores[number, way] - base).dropna()
            if way == BASE:
                continue
            half = t.ppf(0.975, len(apart) - 1) * apart.std() / np.sqrt(len(apart))
            p = wilcoxon(apart).pvalue if apart.any() else 1.0
            more, less = (apart > 0.005).sum(), (apart < -0.005).sum()
            worst = f"{apart.idxmin()} {apart.min():+.3f}"
            ends = f"{apart.mean() - half:+.3f} to {apart.mean() + half:+.3f}"
            cells = [
                number,
                way,
                len(apart),
                f"{apart.mean():+.3f}",
                ends,
                f"{p:.2g}",
                f"{more} / {less}",
                worst,
            ]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
