"""Single figures that the papers print in their text, beside ours over the population that they name.

The records lack some of it: the Greedy Wrapper ran on the first fold, and simultaneous search with k = 5
alone. `Comparison.population` says over what ours is taken, so that like is beside like.
"""

from typing import NamedTuple

import pandas as pd

from paper_000.design import COLUMNS, METHODS
from paper_000.figures import RUN, difference, larger_sets, originals
from paper_000.tables import PAPER_ITERATIONS, outcomes

MEAN_MCC = {"model-gain": 0.53, "wrapper": 0.53, "mi": 0.47, "mrmr": 0.46, "fcbf": 0.43}
MEDIAN_MCC = {"model-gain": 0.57, "mi": 0.54, "wrapper": 0.51}
METHODS_OF_003 = ("mi", "fcbf", "model-gain", "wrapper")
WITHOUT_SET = {1: 2, 2: 14, 5: 24, 10: 30}
"""Shares of cases, in %, without a set for alternative 1, 2, 5, 10 (paper 003, Section VI-D2)."""
CORRELATIONS = {
    ("q_train", "q_test"): 0.67,
    ("q_train", "mcc_test"): 0.37,
    ("q_test", "mcc_test"): 0.43,
    ("mcc_train", "mcc_test"): 0.45,
}
"""Spearman's, of paper 003, Figure 2, between what the columns of the table of sets hold."""
SEQUENTIAL = "sequential, k = 5 and 10, all folds"
OF_WRAPPER = "sequential, k = 5 and 10, fold 0"


class Comparison(NamedTuple):
    """One figure: what it is, where the paper prints it, over what ours is taken, and both."""

    figure: str
    place: str
    population: str
    paper: float
    ours: float


def compare(rows):
    """Return the comparisons that the table of sets has rows for, those with our mutual information left out.

    Parameters
    ----------
    rows : DataFrame
        What `paper_000.score.read` returns.
    """
    rows = rows[rows["method"].isin(METHODS)]
    parts = (original_mcc, infeasible, larger, climbs, of_paper_003)
    return [one for part in parts for one in part(rows) if pd.notna(one.ours)]


def original_mcc(rows):
    first = originals(rows)
    for method, paper in MEAN_MCC.items():
        ours = first[first["method"] == method]["mcc_test"].mean()
        over = OF_WRAPPER if method == "wrapper" else SEQUENTIAL
        yield Comparison(f"mean test MCC of original sets, {METHODS[method]}", "000, 6.1", over, paper, ours)


def infeasible(rows):
    """Yield shares in % of sets that do not exist."""
    first = originals(rows)
    found = first[first["method"] == "fcbf"]["features"]
    ours = 100 * found.isna().mean()
    yield Comparison("FCBF, original sets that do not exist, %", "000, 6.1", SEQUENTIAL, 71, ours)
    for method, paper in (("fcbf", 89), ("model-gain", 18)):
        sets = rows[(rows["method"] == method) & (rows["search"] == "seq.")]["features"]
        name = f"{METHODS[method]}, all sets that do not exist, %"
        over = f"{SEQUENTIAL} (the paper: and simultaneous)"
        yield Comparison(name, "000, 6.1", over, paper, 100 * sets.isna().mean())


def larger(rows):
    """Yield medians of what ten features change; the paper says that all but FCBF's are close to zero."""
    change = larger_sets(rows)
    for method, group in change.groupby("method", observed=True):
        if method != "fcbf":
            name = f"median change of test MCC from k = 5 to 10, {METHODS[method]}"
            yield Comparison(name, "000, Fig. 1b", "original sets, all folds", 0, group["mcc_test"].median())


def climbs(rows):
    first = originals(rows[rows["method"] == "wrapper"])
    name = "Greedy Wrapper, mean iterations for an original set"
    yield Comparison(name, "000, 6.1", OF_WRAPPER, PAPER_ITERATIONS, first["iterations"].mean())


def of_paper_003(rows):
    sequential = rows[rows["search"] == "seq."]
    mi = sequential[sequential["method"] == "mi"]
    for number, paper in WITHOUT_SET.items():
        ours = 100 * mi[mi["number"] == number]["features"].isna().mean()
        yield Comparison(f"MI, no alternative {number}, %", "003, VI-D", SEQUENTIAL, paper, ours)
    sets = sequential[sequential["method"].isin(METHODS_OF_003)].dropna(subset=["mcc_test"])
    over = "sequential, all folds, methods of 003"
    for k, paper in ((5, 0.50), (10, 0.60)):
        ours = sets[sets["k"] == k]["mcc_test"].median()
        yield Comparison(f"median test MCC, k = {k}", "003, VI-C", over, paper, ours)
    for method, paper in MEDIAN_MCC.items():
        part = sets[sets["method"] == method]
        population = OF_WRAPPER if method == "wrapper" else SEQUENTIAL
        name = f"median test MCC, {METHODS[method]}"
        yield Comparison(name, "003, VI-C", population, paper, part["mcc_test"].median())
    for (one, other), paper in CORRELATIONS.items():
        ours = sets[one].corr(sets[other], method="spearman")
        name = f"Spearman's correlation of {one.replace('_', ' ')} and {other.replace('_', ' ')}"
        yield Comparison(name, "003, Fig. 2", over, paper, ours)


def with_features(rows):
    """Return by method and search Spearman's correlation of the number of features and mean CPU seconds."""
    found = outcomes(rows[rows["method"].isin(METHODS)])
    means = found.groupby(["method", "search", "table"], observed=True)["cpu"].mean().reset_index()
    means["n"] = means["table"].astype(str).map(COLUMNS)
    body = [
        [METHODS[method], search, len(group), f"{group['n'].corr(group['cpu'], method='spearman'):.2f}"]
        for (method, search), group in means.groupby(["method", "search"], observed=True)
        if len(group) > 2 and search not in ("rep.", "bal.")
    ]
    return ["method", "search", "tables", "correlation"], body


def over_numbers(rows):
    """Return medians of MI's training quality by number of the alternative, normalised as in 003."""
    found = rows[(rows["method"] == "mi") & (rows["search"] == "seq.")].dropna(subset="q_train")
    runs = found.groupby([found[column] for column in RUN])["q_train"]
    least, largest = runs.transform("min"), runs.transform("max")
    spread = (largest - least).where(largest > least)
    ways = {
        "divided by the largest": found["q_train"] / largest,
        "between least and largest": (found["q_train"] - least) / spread,
    }
    medians = {name: values.groupby(found["number"]).median() for name, values in ways.items()}
    body = [[name, *(f"{median:.2f}" for median in numbers)] for name, numbers in medians.items()]
    return ["median, by number of the alternative", *map(str, sorted(found["number"].unique()))], body


def on_test_rows(rows):
    """Return how much an exact search is above its heuristic at a = 5, on training and on test rows."""
    body = []
    for method in ("mi", "model-gain"):
        for exact, heuristic in (("sim. (min)", "bal."), ("seq.", "rep.")):
            means = []
            for measure in ("q_train", "q_test"):
                values = difference(rows, method, exact, heuristic, measure=measure)
                means.append(values[values["of_a"] == values["of_a"].max()]["value"].mean())
            if pd.notna(means[0]):
                body.append([METHODS[method], f"{exact} − {heuristic}", *(f"{mean:.4f}" for mean in means)])
    return ["method", "difference, most alternatives", "training rows", "test rows"], body
