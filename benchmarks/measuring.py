"""Time and memory of mutual information by neighbours, beside scikit-learn's.

    python benchmarks/measuring.py relevance
    python benchmarks/measuring.py pairs clean2.csv.gz --rows 5278
    python benchmarks/measuring.py sparse
    python benchmarks/measuring.py selector

relevance: of 50 columns of 200,000 numbers, for classes and for numbers as target. pairs: of all columns of a
table. sparse: of 20,000 columns of 2,000 rows, one entry in a hundred not 0. scikit-learn measures the first
`--columns` of them, and ours does the same again; the ratio is of these two, and "apart" how far their
numbers are from each other at most. CPU seconds of one thread; of memory the peak of this process, the
table and all libraries included.

selector: whole fits of `AlternativeFeatureSelector` (4 sets of 5) with the default measure, chance and errors
included, and by nearest neighbours without them, as all fits were before. Least of five fits, all threads.
"""

import argparse
import resource
import time

import numpy as np
import scipy.sparse
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from threadpoolctl import threadpool_limits

from pyfsel import AlternativeFeatureSelector
from pyfsel.measures import load_dataset, prepare, quality, read_table, redundancy

HEADER = ("what", "rows", "columns", "CPU s", "peak MB", "compared", "ours", "scikit-learn", "ratio", "apart")
FORMAT = "{:18} {:>7} {:>7} {:>8} {:>8} {:>9} {:>8} {:>12} {:>6} {:>8}"
ASKED = {"random_state": 0}


def main():
    options = parse()
    if options.what == "selector":
        return selector()
    print(FORMAT.format(*HEADER))
    with threadpool_limits(1):
        for row in {"relevance": relevance, "pairs": pairs, "sparse": sparse}[options.what](options):
            print(FORMAT.format(*row), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["relevance", "pairs", "sparse", "selector"])
    parser.add_argument("table", nargs="?", help="CSV file, for pairs")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--rows", type=int, help="only the first rows of the table")
    parser.add_argument("--columns", type=int, default=10, help="compared with scikit-learn")
    return parser.parse_args()


def relevance(options):
    random = np.random.default_rng(0)
    X = random.standard_normal((200_000, 50))
    some = X[:, : options.columns]
    numbers = X[:, :5].sum(axis=1) + random.standard_normal(len(X))
    for name, y, peer in (
        ("classes as target", (numbers > 0).astype(int), mutual_info_classif),
        ("numbers as target", numbers, mutual_info_regression),
    ):
        yield row(
            name,
            X.shape,
            lambda y=y: qualities(X, y),
            lambda y=y: qualities(some, y),
            lambda y=y, peer=peer: peer(some, y, random_state=0),
            options.columns,
        )


def pairs(options):
    X, y = read_table(options.table, options.target)
    X, y = X.select_dtypes("number").iloc[: options.rows].to_numpy(float), y[: options.rows]
    some = X[:, : options.columns]

    def by_scikit_learn():
        seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=options.columns)
        targets = zip(some.T, seeds, strict=True)
        found = [mutual_info_regression(some, column, random_state=int(seed)) for column, seed in targets]
        return np.where(np.eye(options.columns), 0, np.transpose(found))

    yield row(
        "pairs",
        X.shape,
        lambda: redundancy(prepare(X, y), "mutual_info", **ASKED),
        lambda: redundancy(prepare(some, y), "mutual_info", **ASKED),
        by_scikit_learn,
        options.columns,
    )


def sparse(options):
    random, shape, per_column = np.random.default_rng(0), (2_000, 20_000), 20
    places = random.integers(0, shape[0], (shape[1], per_column)), np.indices((shape[1], per_column))[0]
    entries = random.random(places[0].size), tuple(place.ravel() for place in places)
    X = scipy.sparse.coo_array(entries, shape=shape).tocsc()
    y = (np.asarray(X[:, :20].sum(axis=1)).ravel() > 0.1).astype(int)
    some = X[:, : options.columns].toarray()
    yield row(
        "sparse",
        X.shape,
        lambda: qualities(X, y),
        lambda: qualities(some, y),
        lambda: mutual_info_classif(some, y, discrete_features=False, random_state=0),
        options.columns,
    )


def selector():
    random = np.random.default_rng(0)
    tables = {"breast_cancer": load_dataset("breast_cancer")}
    for n_rows, n_columns, n_classes in ((3000, 180, 6), (72, 7129, 2)):
        y = random.integers(0, n_classes, n_rows)
        X = random.standard_normal((n_rows, n_columns))
        X[:, :20] += 0.5 * y[:, None]
        tables[f"{n_rows} x {n_columns}"] = X, y
    print(f"{'table':15} {'information':>12} {'mutual_info':>12}  CPU s")
    for name, (X, y) in tables.items():
        new, old = (fitted(X, y, **asked) for asked in ({}, {"measure": "mutual_info", "chance": "off"}))
        print(f"{name:15} {new:12.3f} {old:12.3f}", flush=True)


def fitted(X, y, **asked):
    AlternativeFeatureSelector(**asked).fit(*load_dataset("wine"))  # imports
    return min(
        timed(lambda: AlternativeFeatureSelector(random_state=0, **asked).fit(X, y))[0] for _ in range(5)
    )


def qualities(X, y):
    return quality(prepare(X, y), measure="mutual_info", **ASKED)


def row(name, shape, whole, ours, peers, n_compared):
    seconds, _ = timed(whole)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    own_seconds, found = timed(ours)
    peer_seconds, expected = timed(peers)
    times = (f"{own_seconds:.3f}", f"{peer_seconds:.3f}", f"{peer_seconds / own_seconds:.1f}")
    apart = f"{np.abs(found - expected).max():.0e}"
    return name, *shape, f"{seconds:.2f}", f"{peak:.0f}", n_compared, *times, apart


def timed(call):
    begin = time.process_time()
    found = call()
    return time.process_time() - begin, found


if __name__ == "__main__":
    main()
