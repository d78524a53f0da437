"""What the white-box methods see of each table and fold: qualities and redundancies of both parts, as files.

A file is DIR/numbers/TABLE-fF-KIND.npz. Kinds: "gain" (importances in the entropy tree), "mi" and "pairs"
(mutual information as in the paper, the class and all columns as numbers), "mi-own" and "pairs-own" (the
package's: classes and columns of few whole numbers as such).
"""

import os
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from paper_000.design import COLUMNS, SEED, folds, methods_of, model, tables_of
from pyfsel import InputError
from pyfsel.measures import prepare, quality, read_table, redundancy
from pyfsel.problem.make import make_instance

KINDS = {
    "model-gain": ("gain",), "mi": ("mi",), "fcbf": ("mi", "pairs"), "mrmr": ("mi", "pairs"),
    "mi-own": ("mi-own",), "fcbf-own": ("mi-own", "pairs-own"), "mrmr-own": ("mi-own", "pairs-own"),
}  # fmt: skip


def measure(options):
    """Measure whatever has no file yet; what is cheap first, then fold by fold."""
    names = tables_of(options.tier, options.tables)
    check_tables(options.data, names)
    methods = [m for m in methods_of(options.tier, options.methods) if m in KINDS]
    kinds = dict.fromkeys(kind for method in methods for kind in KINDS[method])
    n_folds = min(options.folds, 2) if options.tier == "smoke" else options.folds
    cells = [(kind, fold, name) for fold in range(n_folds) for kind in kinds for name in names]
    left = [cell for cell in cells if not numbers_file(options.folder, *cell).exists()]
    print(f"{len(cells) - len(left)} of {len(cells)} files are there", flush=True)
    Parallel(n_jobs=options.jobs)(delayed(_measured)(options.data, options.folder, *cell) for cell in left)


def numbers_file(folder, kind, fold, name):
    return Path(folder) / "numbers" / f"{name}-f{fold}-{kind}.npz"


def check_tables(folder, names):
    """Raise `InputError` about the first table that is missing or not as the experiment needs it."""
    for name in names:
        load(folder, name)


def load(folder, name):
    """Return the columns of a table and its target."""
    paths = [Path(folder) / f"{name}{suffix}" for suffix in (".csv.gz", ".csv", ".tsv.gz", ".tsv")]
    path = next((p for p in paths if p.exists()), None)
    if path is None:
        raise InputError(f"{folder}: has no {name}.csv, .tsv, .csv.gz or .tsv.gz")
    X, y = read_table(path, "target")
    if X.shape[1] != COLUMNS[name]:
        raise InputError(f"{path}: has {X.shape[1]} columns besides the target, must have {COLUMNS[name]}")
    wrong = [column for column in X if X[column].isna().any() or X[column].dtype.kind not in "biuf"]
    if wrong:
        raise InputError(f"{path}: column {wrong[0]!r} has blanks or text, must hold numbers")
    if y.nunique(dropna=False) != 2 or y.isna().any():
        raise InputError(f"{path}: target must have two classes and no blanks")
    return X.astype(float), y.to_numpy()


def _measured(data, folder, kind, fold, name):
    X, y = load(data, name)
    begin = time.process_time()
    arrays = {}
    for part, rows in zip(("train", "test"), folds(y)[fold], strict=True):
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore", UserWarning)
            arrays[part] = numbers_of(kind, X, y, rows)
    path = numbers_file(folder, kind, fold, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.tmp")
    with part.open("wb") as file:
        np.savez_compressed(file, seconds=time.process_time() - begin, **arrays)
    part.replace(path)


def numbers_of(kind, X, y, rows):
    """Return a vector of qualities, or a matrix of redundancies, of some rows.

    Whether a column is discrete is seen in the whole table, as a part of it may have fewer values.
    """
    kind, own = kind.removesuffix("-own"), kind.endswith("-own")
    table = prepare(X.iloc[rows], y[rows], task="classification")
    if own:
        table = replace(table, is_discrete=prepare(X, y).is_discrete)
    if kind == "gain":
        return quality(table, measure="model_importance", estimator=model())
    measure = "mutual_info" if own else "mutual_info_numeric"
    if kind == "mi":
        return quality(table, measure=measure, random_state=SEED)
    return redundancy(table, measure, random_state=SEED)


def have_numbers(folder, method, fold, name):
    return all(numbers_file(folder, kind, fold, name).exists() for kind in KINDS[method])


def problem_of(folder, method, fold, name, k, part="train"):
    """Return the problem of a method's objective with the paper's scale, or None where all qualities are 0.

    MI and FCBF: qualities divided by their sum. mRMR: all numbers divided by the largest.
    """
    arrays = [np.load(numbers_file(folder, kind, fold, name))[part] for kind in KINDS[method]]
    q, r = arrays[0], (arrays[1] if len(arrays) > 1 else None)
    objective = method.removesuffix("-own")
    unit = max(q.max(), r.max()) if objective == "mrmr" else q.sum()
    if unit <= 0:
        return None
    q, r = q / unit, None if r is None else r / unit
    about = {"objective": objective} if objective in ("fcbf", "mrmr") else {}
    return make_instance(q, r, k=k, n_sets=2, dissimilarity=f"shared:{k - 1}", **about)
