"""Derives the files of ``instances/``: measured numbers of tables, never the tables, and synthetic families.

Each but `hardness` takes a folder with NAME.csv.gz for each name in instances/sources.toml, the target in
the column target; the manifest keeps the best known values, from the results of benchmarks that are clean.

python benchmarks/make_instances.py make FOLDER
python benchmarks/make_instances.py cfs FOLDER
python benchmarks/make_instances.py pairs FOLDER
python benchmarks/make_instances.py paper-000 FOLDER     (about ten minutes on two cores)
python benchmarks/make_instances.py consistency FOLDER
python benchmarks/make_instances.py hardness
pyfsel bench run benchmarks/library.toml -o DIR && pyfsel bench check DIR
python benchmarks/make_instances.py manifest DIR …
python benchmarks/make_instances.py rewrite [FILE …]     (brings files to version 2; default: all here)
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from instance_manifest import CFS_MEASURE, LIBRARY, MEASURE, sources, write_manifest

from pyfsel.bench.instances import Request, generated, write_instance
from pyfsel.bench.instances.hardness import NumberPartitioning, PartitioningProblem
from pyfsel.bench.instances.instance_families import about_path
from pyfsel.bench.suite import file_hash
from pyfsel.measures import delta, load_dataset, pair_measures, prepare, quality, read_table, redundancy
from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.levels import bin_columns
from pyfsel.papers.consistency.branching import as_sets, minimal_differences
from pyfsel.papers.consistency.consistent_sets import consistent_sets
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.papers.graph_score import graph_score_problem
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import RENAMED, instance_text, json_object, known_names, minizinc_json
from pyfsel.problem.make import make_instance

SHAPES = (
    ("univariate", 5, 3, 0.4, "sum"),
    ("univariate", 5, 5, 0.6, "min"),
    ("univariate", 10, 3, 0.4, "sum"),
    ("univariate", 10, 5, 0.8, "sum"),
    ("fcbf", 5, 1, 0.6, "sum"),
    ("mrmr", 5, 1, 0.6, "sum"),
    ("mrmr", 10, 0, 1.0, "sum"),
    ("fcbf", 5, 3, 0.4, "sum"),
    ("mrmr", 5, 3, 0.4, "min"),
    ("mrmr", 10, 2, 0.8, "sum"),
)
LARGE = (("mrmr", 15, 2, 0.6, "sum"), ("mrmr", 20, 0, 1.0, "sum"))
LEAST_LARGE, LARGEST_R2 = 57, 70
LARGEST_GRAPH = 60
LARGEST_CFS = 40
BINS = (2, 3, 4, 6, 10, 20)
MOST_ROWS, MOST_SETS_TO_HIT = 5000, 1000
PARTS, PART_SIZE, LARGEST_NUMBER = 4, 12, 10**11
SYNTHETIC = (
    ("uniform", 0.5, 40, 5, 3, 2),
    ("uniform", 1.0, 40, 5, 5, 2),
    ("exponential", 0.5, 60, 10, 3, 4),
    ("correlated", 0.9, 60, 5, 4, 1),
    ("few-values", 0.5, 60, 5, 5, 2),
    ("block-redundancy", 0.5, 36, 5, 1, 2),
    ("block-redundancy", 1.0, 48, 10, 0, 10),
    ("partition", 0.5, None, 4, 4, 0),
    ("partition", 1.0, None, 5, 3, 0),
    ("partition", 0.5, None, 5, 3, 1),
    ("near-infeasible-fcbf", 0.9, None, 5, 2, 1),
    ("near-infeasible-fcbf", 1.0, None, 5, 3, 1),
    ("planted-alternatives", 0.5, None, 4, 2, 2),
    ("planted-alternatives", 1.0, None, 5, 2, 0),
)


def make(folder):
    """Write all instance files."""
    for name, source in sources().items():
        table = prepared(name, source, folder)
        for shape in SHAPES:
            save_shape(name, table, *shape)
        if table.task == "classification" and table.n_features <= LARGEST_GRAPH:
            pairs = redundancy(table, "pearson")
            graph = graph_score_problem(delta(table), pairs, feature_names=table.feature_names)
            save(graph, "real", f"{name}-graph_score")
    for family, difficulty, n, k, n_alternatives, max_shared in SYNTHETIC:
        request = Request(
            n_features=n,
            k=k,
            n_sets=n_alternatives + 1,
            max_shared=max_shared,
            difficulty=difficulty,
        )
        write_instance(generated(family, request, seed=0), LIBRARY / "synthetic")


def save_shape(name, table, objective, k, n_alternatives, tau, aggregate):
    """Write one problem about a table, unless it has too few features.

    Those of the library have qualities that were divided by their sum, or brought to [0, 1] (mRMR).
    """
    if k > table.n_features or (objective == "univariate" and 2 * k > table.n_features):
        return
    problem = problem_from_table(
        [table],
        k=k,
        n_sets=n_alternatives + 1,
        dissimilarity=tau if n_alternatives else None,
        objective=objective,
        measure=MEASURE,
        aggregate=aggregate,
    )
    tau_part = f"-t{tau:g}-{aggregate}" if n_alternatives else ""
    save(problem, "real", f"{name}-{objective}-k{k}-a{n_alternatives}{tau_part}")


def pairs(folder):
    """Write what is hard about pairs: mRMR sets of many features of wide tables, and best subsets."""
    for name, source in sources().items():
        table = prepared(name, source, folder)
        for shape in LARGE if table.n_features >= LEAST_LARGE else ():
            save_shape(name, table, *shape)
        has_line = table.task == "regression" or len(set(table.y)) == 2
        if has_line and table.n_features <= LARGEST_R2:
            k = 10 if table.n_features > 10 else 5
            problem = problem_from_table([table], k=k, objective="r2")
            save(problem, "real", f"{name}-r2-k{k}-a0")


def cfs(folder):
    """Write correlation-based feature selection of tables with few features: five of them, and any number."""
    for name, source in sources().items():
        table = prepared(name, source, folder)
        if table.n_features > LARGEST_CFS:
            continue
        numbers = pair_measures(table, objective="cfs", measure=CFS_MEASURE)
        for sizes, k in (("k5", 5), ("free", (1, table.n_features))):
            names = table.feature_names
            problem = make_instance(*numbers, objective="cfs", k=k, feature_names=names)
            save(problem, "real", f"{name}-cfs-{sizes}")


def hardness():
    """Write what the questions of paper 000 about hardness lead to, as generated instances.

    Number partitioning as in Propositions 8 and 10, of random numbers, so that no value is planted; and sums
    with overlap for many sets (A.5.4): 157 sets of 13 of 157 features, any two of which share at most one,
    would be a projective plane of order 12, which nobody has found or excluded.
    """
    numbers = np.random.default_rng(0).integers(1, LARGEST_NUMBER, PARTS * PART_SIZE)
    instance = NumberPartitioning(tuple(numbers), PARTS)
    for proposition, made in (
        ("8", PartitioningProblem.of(instance)),
        ("10", PartitioningProblem.of(instance, overlap=1)),
    ):
        name = f"random-partition-proposition-{proposition}"
        save_generated(made.problem, name, family="random-partition", seed=0, proposition=proposition)
    p = 12
    n = p * p + p + 1
    plane = make_instance([1] * n, k=p + 1, n_sets=n, dissimilarity="shared:1")
    save_generated(plane, f"projective-plane-{p}", family="projective-plane", order=p)


def save_generated(problem, name, **about):
    """Write a generated problem and how it was made."""
    save(problem, "hardness", name)
    about_path(LIBRARY / "hardness" / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n")


def save(problem, folder, name):
    """Write what the integers say, without the floats."""
    (LIBRARY / folder).mkdir(exist_ok=True)
    search = "simultaneous" if problem.n_sets > 1 else None
    plain = problem.replace(exact_quality=None, exact_pairs=None, search=search)
    plain.save(LIBRARY / folder / f"{name}.json")


def prepared(name, source, folder):
    if source.get("bundled"):
        X, y = load_dataset(name)
    else:
        X, y = read_table(folder / f"{name}.csv.gz", "target")
    X = X.drop(columns=source.get("left_out", []))
    return prepare(X, y, missing=source.get("missing", "error"), task=source.get("task", "auto"))


def together(relevance, pairs):
    """Bring relevance and redundancies to [0, 1] together, the latter symmetric (paper 000, Eq. 13)."""
    pairs = (pairs + pairs.T) / 2
    numbers = np.concatenate([relevance, pairs[~np.eye(len(pairs), dtype=bool)]])
    pairs = (pairs - numbers.min()) / np.ptp(numbers)
    np.fill_diagonal(pairs, 0.0)
    return (relevance - numbers.min()) / np.ptp(numbers), pairs


def paper_000(folder):
    """Write what paper 000 measures of each table that is not bundled: one file for each of four methods.

    As there, mutual information is estimated by nearest neighbours, FCBF compares it as measured, and Model
    Gain is the importance in an entropy decision tree.
    """
    for name, source in sources().items():
        if source.get("bundled"):
            continue
        table = prepared(name, source, folder)
        relevance = quality(table, measure="mutual_info", random_state=0, n_jobs=2)
        pairs = redundancy(table, "mutual_info", random_state=0, n_jobs=2)
        gain = quality(table, measure="model_importance", random_state=0)
        numbers = {
            "mi": (relevance / relevance.sum(), None, "univariate"),
            "model-gain": (gain / gain.sum(), None, "univariate"),
            "fcbf": (relevance, pairs, "fcbf"),
            "mrmr": (*together(relevance, pairs), "mrmr"),
        }
        for method, (q, r, objective) in numbers.items():
            problem = make_instance(
                q, r, objective=objective, k=5, n_sets=6, dissimilarity=0.6, feature_names=table.feature_names
            )
            save(problem, "paper-000", f"{name}-{method}")
        print(name, flush=True)


def consistency(folder):
    """Write the minimal difference sets of the tables: what the smallest consistent set has to hit.

    Continuous columns get the fewest quantile bins with which all rows of different classes can be told
    apart; tables for which there are none, or with too many rows or sets, are left out.
    """
    (LIBRARY / "consistency").mkdir(exist_ok=True)
    for name, source in sources().items():
        table = prepared(name, source, folder)
        if table.task != "classification" or len(table.y) > MOST_ROWS:
            continue
        for n_bins in BINS:
            codes = pd.DataFrame(bin_columns(table, n_bins), columns=table.feature_names)
            problem = consistency_problem(codes, table.y)
            if not problem.is_consistent(range(problem.n_features)):
                continue
            sets = as_sets(minimal_differences(problem.patterns, problem.counts.argmax(axis=1)))
            if len(sets) <= MOST_SETS_TO_HIT:
                write_consistency(f"{name}-b{n_bins}", problem, sets)
            break


def write_consistency(name, problem, sets):
    """Write the data of models/consistency/hitting_set.mzn, and beside it the proved smallest set."""
    file = LIBRARY / "consistency" / f"{name}.json"
    of_rows = ("n_patterns", "n_classes", "patterns", "counts", "max_inconsistent")
    data = {key: given for key, given in problem.to_dict().items() if key not in of_rows}
    file.write_text(
        json.dumps({**data, "to_hit": [{"set": list(cut)} for cut in sets]}) + "\n", encoding="utf-8"
    )
    answers = [consistent_sets(problem, method=name) for name in ("auto", "cpsat")]
    found = {answer.solver: answer for answer in answers}
    proved = {answer.high for answer in answers if answer.status == "OPTIMAL"}
    if len(proved) > 1:
        sys.exit(f"{name}: two optima, {proved}")
    by, best = min(found.items(), key=lambda item: (item[1].status != "OPTIMAL", item[1].high))
    about = {
        "status": str(best.status),
        "features": list(best[0].indices),
        "bound": best.details["at_least"][0],
        "by": by,
    }
    about_path(file).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(name, len(sets), about, flush=True)


def rewrite(*files):
    """Bring instance files to version 2, and the hashes of the manifest with them; what is known stays."""
    path = LIBRARY / "manifest.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    places = {(LIBRARY / one["file"]).resolve(): one for one in entries}
    for file in map(Path.resolve, files or places):
        entry, before = places.get(file), file_hash(file)
        file.write_text(version_2(file.read_text(encoding="utf-8")), encoding="utf-8")
        if entry is not None and entry["sha256"] == before:
            entry["sha256"] = file_hash(file)
    lines = [json.dumps(one, ensure_ascii=False) for one in entries]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def version_2(text):
    """Return an instance file with the names of version 2, and what else models use of it."""
    data = json_object(text)
    if "quality" not in data:  # data of another question
        new = {RENAMED.get(name, name): value for name, value in data.items()}
        return json.dumps(new) + "\n" if "\n" not in text.strip() else minizinc_json(new) + "\n"
    more = {name: data.pop(name) for name in data.keys() - known_names(data)}
    return instance_text(Instance.from_dict(data).to_dict() | more)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        commands = {
            "make": make,
            "cfs": cfs,
            "pairs": pairs,
            "paper-000": paper_000,
            "consistency": consistency,
            "hardness": hardness,
            "manifest": write_manifest,
            "rewrite": rewrite,
        }
        parser = argparse.ArgumentParser(
            description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("command", choices=commands)
        parser.add_argument("folder", nargs="*", type=Path)
        options = parser.parse_args()
        commands[options.command](*options.folder)
