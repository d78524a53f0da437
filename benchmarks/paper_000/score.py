"""One row per set, found or not: DIR/sets.parquet, from which all figures and tables are made.

Columns: table, fold, method, search, k, overlap, tau, a (of the run), number (0 is the original set), status
(of the step in sequential search, else of the run), features, q_train, q_test, mcc_train, mcc_test, bound (of
the set, or of all sets together), gap, seconds, cpu_seconds (of the run), backend, iterations. Sets that were
not found have no features and no numbers; a step after an infeasible one is infeasible.

Rows of searches that have no record in DIR are kept as they are (``--keep``): so the committed table grows by
searches that are made elsewhere.
"""

import json
import math
from itertools import groupby
from pathlib import Path

import pandas as pd

from paper_000.design import COLUMNS, Task, folds, model
from paper_000.held_out import HeldOutScores
from paper_000.measure import check_tables, load, problem_of
from paper_000.run import Records
from paper_000.wrapper import scorer
from pyfsel.problem.values import qualities

COMMON = (*Task._fields, "tau", "number", "status", "features")
NUMBERS = ("q_train", "q_test", "mcc_train", "mcc_test", "bound", "gap", "seconds", "cpu_seconds")


def score(options):
    """Compute qualities and MCC of all sets, and write the table."""
    records = [r for name in ("runs", "wrapper") for r in Records(options.folder / f"{name}.jsonl").records]
    records = [r for r in records if not options.tables or r["task"][0] in options.tables]
    check_tables(options.data, {record["task"][0] for record in records})
    records.sort(key=lambda record: record["task"][:4])
    frames = []
    for (name, fold), group in groupby(records, lambda record: record["task"][:2]):
        part = list(group)
        rows = pd.DataFrame([row for record in part for row in rows_of(record)])
        with_qualities(rows, options, name, fold)
        with_mcc(rows, options, name, fold)
        frames.append(rows)
        print(f"{name}, fold {fold}: {len(rows)} rows", flush=True)
    if frames:
        path = options.folder / "sets.parquet"
        kept = pd.read_parquet(path) if options.keep and path.exists() else None
        write(pd.concat(frames, ignore_index=True), path, kept)


def rows_of(record):
    """Yield a row for each set that was asked for."""
    task = Task(*record["task"])
    sets, steps = record["sets"], record.get("steps")
    base = task._asdict() | {"tau": (task.k - task.overlap) / task.k, "backend": record.get("backend", "")}
    base |= {"cpu_seconds": record["cpu_seconds"], "seconds": record["seconds"]}
    base |= {"bound": record.get("bound", math.nan), "gap": record.get("gap")}
    for number in range(task.a + 1):
        features = tuple(sets[number]) if number < len(sets) else None
        row = base | {"number": number, "features": features, "status": record["status"]}
        if steps is not None:
            row["status"], row["bound"], row["seconds"] = (
                steps[number] if number < len(steps) else (after(steps), None, 0.0)
            )
        elif task.search == "rep.":  # one set after another, too: fewer alternatives may have been found
            row["status"] = "NOT_SOLVED" if features is None else "FEASIBLE"
        if "iterations" in record and number < len(record["iterations"]):
            row["iterations"] = record["iterations"][number]
        if "scores" in record and features is not None:
            row["q_train"] = record["scores"][number]
        yield row


def after(steps):
    """Return the status of steps that were not made because the last one found no set."""
    return steps[-1][0] if steps else "NOT_SOLVED"


def with_qualities(rows, options, name, fold):
    """Add the objective of each set, from the training part and from the test part alone."""
    found = rows["features"].notna()
    for (method, k), group in rows[found].groupby(["method", "k"]):
        sets = group["features"].tolist()
        if method == "wrapper":
            rows.loc[group.index, "q_test"] = scorer(options.data, name, fold, "test")(sets)
            continue
        for part in ("train", "test"):
            problem = problem_of(options.folder, method, fold, name, k, part)
            numbers = [math.nan] * len(sets) if problem is None else qualities(problem, sets)
            rows.loc[group.index, f"q_{part}"] = numbers


def with_mcc(rows, options, name, fold):
    """Add MCC of the tree on both parts: of original sets, of seq., and of all searches with Model Gain."""
    shown = rows["features"].notna()
    if not options.all:
        shown &= (rows["number"] == 0) | (rows["search"] == "seq.") | (rows["method"] == "model-gain")
    X, y = load(options.data, name)
    train, test = folds(y)[fold]
    path = Path(options.folder) / "mcc" / f"{name}-f{fold}.json"
    known = {tuple(s): tuple(m) for s, m in json.loads(path.read_text("utf-8"))} if path.exists() else {}
    parts = (X.iloc[train], y[train], X.iloc[test], y[test])
    scores = HeldOutScores(model(), *parts, scoring="matthews_corrcoef", known=known)
    pairs = scores(rows.loc[shown, "features"])
    rows.loc[shown, "mcc_train"] = [train_score for train_score, _ in pairs]
    rows.loc[shown, "mcc_test"] = [test_score for _, test_score in pairs]
    if len(scores.known) > len(known):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(list(scores.known.items())), "utf-8")


def write(rows, path, kept=None):
    """Write the table with narrow columns, features as text; kept rows whose searches are made anew go."""
    for column in (*NUMBERS, "iterations", "tau"):
        values = rows[column] if column in rows else pd.Series(math.nan, rows.index)
        rows[column] = pd.to_numeric(values).astype("float32")
    rows["features"] = [None if s is None else " ".join(map(str, s)) for s in rows["features"]]
    if kept is not None:
        made = set(zip(*(rows[field] for field in Task._fields), strict=True))
        others = [task not in made for task in zip(*(kept[field] for field in Task._fields), strict=True)]
        rows = pd.concat([kept[others], rows], ignore_index=True)
    for column in ("table", "method", "search", "status", "backend"):
        rows[column] = rows[column].astype("category")
    for column in ("fold", "k", "overlap", "a", "number"):
        rows[column] = rows[column].astype("int8")
    rows.to_parquet(path, index=False, compression="zstd")


def read(folder):
    """Return the table of sets, with the number of features of each table."""
    rows = pd.read_parquet(Path(folder) / "sets.parquet")
    for column in ("table", "method", "search", "status", "backend"):
        rows[column] = rows[column].astype(str)
    for column in NUMBERS:
        rows[column] = rows[column].astype(float)
    rows["n"] = rows["table"].map(COLUMNS)
    return rows
