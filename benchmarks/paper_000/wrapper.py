"""The Greedy Wrapper (paper 000, Algorithm 1) with its estimator, split and score: DIR/wrapper.jsonl.

One search is all climbs of one table, fold, k and overlap; what a fold's models have scored is remembered
across overlaps and k, which changes no climb.
"""

import time
import warnings
from collections import Counter
from functools import lru_cache

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from paper_000.design import CLIMBS, SEED, Task, folds, model, tasks
from paper_000.measure import check_tables, load
from paper_000.run import Records, cpu_seconds, results_of
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.make import make_instance
from pyfsel.selectors.wrapper.climb import WrapperSearch
from pyfsel.selectors.wrapper.scoring import SetScorer

SECONDS_PER_SET = 60
"""Of a climb; the paper gives as much to each call of its solver."""


def wrapper(options):
    """Make the searches of the Greedy Wrapper that have no record yet."""
    records = Records(options.folder / "wrapper.jsonl")
    every = tasks("wrapper", options.folds, options.tables, climbs=[CLIMBS[name] for name in options.search])
    wanted = [t for t in every if t.k in options.k]
    if options.overlaps:
        wanted = [t for t in wanted if t.overlap in options.overlaps]
    if options.originals:
        wanted = [t._replace(a=0) for t in wanted if t.overlap == t.k - 1]
    check_tables(options.data, {task.table for task in wanted})
    left = [task for task in wanted if task not in records.done]
    print(f"{len(records.done)} searches are done, {len(left)} to do")
    arguments = [(options.data, task) for task in left]
    for record in results_of(climbed, arguments, options.scheduler, options.cpu_minutes):
        records.append(record)


@lru_cache(maxsize=1)
def scorer(data, name, fold, part="train"):
    """Return what scores sets on a part of a table: MCC on a fifth of its rows, trained on the others."""
    X, y = load(data, name)
    rows = folds(y)[fold][part == "test"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = prepare(X.iloc[rows], y[rows], task="classification")
    split = StratifiedShuffleSplit(1, test_size=0.2, random_state=SEED)
    return SetScorer(table, model(), matthews, split, SEED)


def matthews(fitted, X, y):
    """Return what scikit-learn's scorer "matthews_corrcoef" does for two classes, without its many checks.

    They take longer than to train and ask a tree of five features.
    """
    second = fitted.classes_[1]
    both = 2 * (y == second) + (fitted.predict(X) == second)
    counts = np.bincount(both, minlength=4).reshape(2, 2).astype(float)
    true, predicted, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    spread = (n**2 - true @ true) * (n**2 - predicted @ predicted)
    return (np.trace(counts) * n - true @ predicted) / np.sqrt(spread) if spread else 0.0


def climbed(data, task):
    score = scorer(data, task.table, task.fold)
    begin, cpu = time.monotonic(), cpu_seconds()
    problem = make_instance(
        np.zeros(score.table.n_features), k=task.k, n_sets=task.a + 1, dissimilarity=f"shared:{task.overlap}"
    )
    how = next(name for name, search in CLIMBS.items() if search == task.search)
    search = WrapperSearch(problem, score, how, SEED)
    iterations = Counter()
    stopped = search.run(SECONDS_PER_SET * problem.n_sets, lambda: iterations.update([len(search.climbs)]))
    return {
        "task": Task(*task), "status": str(search.status), "backend": "swaps", "stopped": str(stopped),
        "sets": [list(map(int, s)) for s in search.sets], "scores": list(search.scores),
        "iterations": list(iterations.values()),
        "steps": [[str(climb.status), None, None] for climb in search.climbs],
        "seconds": round(time.monotonic() - begin, 3), "cpu_seconds": round(cpu_seconds() - cpu, 3),
    }  # fmt: skip
