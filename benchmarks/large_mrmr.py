"""Exact mRMR of large tables, and how far greedy mRMR is from the optimum.

    python benchmarks/large_mrmr.py golub.csv.gz -k 5 -a 2 --tau 0.6
    python benchmarks/large_mrmr.py --synthetic factors noise blocks --features 2000 -k 5
    python benchmarks/large_mrmr.py --synthetic factors noise blocks --features 100000 -k 5
    python benchmarks/large_mrmr.py sonar.csv.gz clean1.csv.gz -k 5 -k 10 --greedy

Redundancy and relevance are absolute Pearson correlations, or mutual information of ten bins or by nearest
neighbours (`--measure`), of `--keep` the best features if that is given.
The seconds are processor time of the search in this process. Synthetic tables
have 200 rows: factors (40 hidden factors, of which each column holds some, and noise), noise (nothing
else), blocks (near copies of one column in twenty), the target the sign of a sum of eight factors or
columns and noise. Greedy is the usual one: the feature of the largest relevance minus mean redundancy with
those taken comes next. `--peer` asks mrmr_classif of the package mrmr_selection (PyPI) with its defaults,
F statistic divided by mean correlation, and shows what its set is worth. From `--on-demand` features on (the
default is for correlations; the others know their own) redundancies are computed when they are asked for:
"measured" is how many, beside the number of pairs.
"""

import argparse
import time
from math import comb
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from pyfsel.backends import get_backend
from pyfsel.backends.own_searches import KSubgraph
from pyfsel.measures import pair_measures, prepare, read_table
from pyfsel.measures.redundancy_rows import Products
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.results.control import Control, Limits
from pyfsel.solving.sequential import sequential_search

ROWS, SEED = 200, 1
MEASURES = ("pearson", "mutual_info_binned", "mutual_info")
HEADER = (
    "table",
    "n",
    "k",
    "sets",
    "search",
    "status",
    "value",
    "bound",
    "greedy",
    "below",
    "peer",
    "below",
    "beginnings",
    "measured",
    "CPU s",
)
FORMAT = "{:24} {:>5} {:>3} {:>4} {:>10} {:>10} {:>10} {:>10} {:>9} {:>7} {:>9} {:>8} {:>10} {:>8} {:>7}"


def main():
    options = parse()
    print(FORMAT.format(*HEADER))
    for name, X, y in tables(options):
        if options.measure == "pearson":
            relevance, dependence = correlations(X, y, options)
        else:
            relevance, dependence = pair_measures(
                prepare(X, y), measure=options.measure, objective="mrmr", random_state=0
            )
        best = np.sort(np.argsort(-relevance, kind="stable")[: options.keep])
        quality = relevance[best]
        redundancy = (
            dependence.among(best)
            if isinstance(dependence, LazyRedundancy)
            else dependence[np.ix_(best, best)]
        )
        for k in options.k or [5]:
            problem = make_instance(
                quality, redundancy, objective="mrmr", k=k, n_sets=options.a + 1, dissimilarity=options.tau
            )
            searches = [("one", problem.replace(n_sets=1))]
            if options.a:
                searches.append(("sequential", problem))
                searches += [
                    (aggregate, problem.replace(aggregate=aggregate)) for aggregate in ("sum", "min")
                ]
            for search, asked in searches:
                peer = peer_set(X[:, best], y, k) if options.peer and search == "one" else None
                print(FORMAT.format(name, len(quality), k, *row(search, asked, options, peer)), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files")
    parser.add_argument("--synthetic", nargs="*", default=[], choices=["factors", "noise", "blocks"])
    parser.add_argument("--features", type=int, default=2000, help="of the synthetic tables")
    parser.add_argument("--keep", type=int, help="only the features of the largest relevance")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--measure", choices=MEASURES, default="pearson")
    parser.add_argument("-k", type=int, action="append", help="set size (repeatable), 5 if none")
    parser.add_argument("-a", type=int, default=0, help="alternatives: one after another, and together")
    parser.add_argument("--tau", type=float, default=0.6)
    parser.add_argument("--on-demand", type=int, default=5000, help="from this number of features on")
    parser.add_argument("--greedy", action="store_true", help="compare greedy mRMR with the optimum")
    parser.add_argument("--peer", action="store_true", help="compare mrmr_selection with the optimum")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per search")
    return parser.parse_args()


def tables(options):
    """Yield names, numbers and classes."""
    for path in options.tables:
        X, y = read_table(path, options.target)
        numbers = X.select_dtypes("number")
        numbers = numbers.fillna(numbers.median()).to_numpy(float)
        yield Path(path).name.split(".")[0], numbers, np.unique(y, return_inverse=True)[1]
    for kind in options.synthetic:
        yield kind, *synthetic(kind, options.features)


def synthetic(kind, n):
    random = np.random.default_rng(SEED)
    if kind == "factors":
        hidden = random.standard_normal((ROWS, 40))
        shares = random.standard_normal((40, n)) * (random.random((40, n)) < 0.08)
        X = hidden @ shares + random.standard_normal((ROWS, n))
    else:
        hidden = random.standard_normal((ROWS, n if kind == "noise" else -(-n // 20)))
        X = hidden
        if kind == "blocks":
            X = np.repeat(hidden, 20, axis=1)[:, :n] + 0.3 * random.standard_normal((ROWS, n))
    return X, hidden[:, :8].sum(axis=1) + random.standard_normal(ROWS) > 0


def correlations(X, y, options):
    """Return absolute Pearson correlations with the target and between columns, 0 for constant ones."""
    if X.shape[1] >= options.on_demand:
        X = X - X.mean(axis=0)
        y = (y - y.mean()) / np.linalg.norm(y - y.mean())
        relevance = np.abs(y @ X) / np.maximum(np.linalg.norm(X, axis=0), 1e-300)
        return relevance, Products.of(SimpleNamespace(X=X, is_constant=np.ptp(X, axis=0) == 0))
    with np.errstate(all="ignore"):
        together = np.abs(np.nan_to_num(np.corrcoef(np.column_stack([X, y]).T)))
    redundancy = together[:-1, :-1]
    np.fill_diagonal(redundancy, 0)
    return together[:-1, -1], redundancy


def row(search, problem: Instance, options, peer):
    control = Control(limits=Limits.starting_now(options.time_limit))
    bounds = []
    control.report_bound = bounds.append
    begin = time.process_time()
    before, nodes = 0 if problem.lazy_pairs is None else problem.lazy_pairs.measured, ""
    if search == "sequential":
        status, value, bound = one_after_another(problem, control)
    else:
        answer = get_backend("ksubgraph").solve(problem, control)
        status, bound = answer.status, answer.bound if answer.bound is not None else min(bounds, default=None)
        value = None if answer.sets is None else values.total(problem, answer.sets)
        nodes = answer.statistics.get("nodes", "")
    seconds = time.process_time() - begin
    measured = ""
    if problem.lazy_pairs is not None:
        measured = f"{(problem.lazy_pairs.measured - before) / comb(problem.n_features, 2):.2%}"
    unit = problem.scale * values.objective_of(problem).factor(problem.k)
    greedy = None
    if options.greedy and search == "one":
        greedy = values.value(problem, greedy_set(problem))
    others = []
    for other in (greedy, None if peer is None else values.value(problem, peer)):
        below = "" if other is None or not value else f"{(value - other) / abs(value):.2%}"
        others += ["" if other is None else f"{other / unit:.5f}", below]
    shown = ["" if number is None else f"{number / unit:.5f}" for number in (value, bound)]
    return problem.n_sets, search, status, *shown, *others, nodes, measured, f"{seconds:.2f}"


class Here(KSubgraph):
    """In this process, where its seconds are counted."""

    isolated = False


def one_after_another(problem, control):
    """Return the status of the last set, the summed values and bounds."""
    steps = sequential_search(problem, Here(), control.limits).steps
    total = sum(step.objective for step in steps if step.objective is not None)
    return steps[-1].status, total, total if steps[-1].status.name == "OPTIMAL" else None


def greedy_set(problem):
    quality = problem.quality.astype(float)
    chosen = [int(quality.argmax())]
    while len(chosen) < problem.k:
        if problem.lazy_pairs is None:
            rows = problem.pairs[chosen]
        else:
            rows = problem.lazy_pairs.rows(np.array(chosen))
        gain = quality - rows.mean(axis=0)
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
    return tuple(sorted(chosen))


def peer_set(X, y, k):
    import pandas as pd
    from mrmr import mrmr_classif

    chosen = mrmr_classif(X=pd.DataFrame(X), y=pd.Series(y), K=k, show_progress=False, n_jobs=1)
    return tuple(sorted(int(j) for j in chosen))


if __name__ == "__main__":
    main()
