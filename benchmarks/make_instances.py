"""Derives the files of ``instances/``: measured numbers of tables, never the tables, and synthetic families.

python benchmarks/make_instances.py make FOLDER   (with NAME.csv.gz for each name in instances/sources.toml,
                                                   its target in the column target)
pyfsel bench run benchmarks/library.toml -o DIR && pyfsel bench check DIR
python benchmarks/make_instances.py manifest DIR  (best known values, from checked results)
"""

import json
import sys
import tomllib
import warnings
from pathlib import Path

from pyfsel import Problem
from pyfsel.bench.check import check_folder, rebuilt
from pyfsel.bench.store import read_records
from pyfsel.bench.suite import file_hash
from pyfsel.build import problem_from_table
from pyfsel.instances import Request, generate, write_instance
from pyfsel.instances.writing import about_path
from pyfsel.tables import load_dataset, prepare, read_table

LIBRARY = Path(__file__).parent.parent / "instances"
MEASURE = "mutual_info_binned"
SHAPES = (
    ("univariate", 5, 3, 0.4, "sum"),
    ("univariate", 5, 5, 0.6, "min"),
    ("univariate", 10, 3, 0.4, "sum"),
    ("univariate", 10, 5, 0.8, "sum"),
    ("fcbf", 5, 1, 0.6, "sum"),
    ("mrmr", 5, 1, 0.6, "sum"),
    ("mrmr", 10, 0, 1.0, "sum"),
)
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


def sources():
    return tomllib.loads((LIBRARY / "sources.toml").read_text(encoding="utf-8"))


def make(folder):
    """Write all instance files."""
    for name, source in sources().items():
        if source.get("bundled"):
            X, y = load_dataset(name)
        else:
            X, y = read_table(folder / f"{name}.csv.gz", "target")
        table = prepare(X.drop(columns=source.get("left_out", [])), y)
        for objective, k, n_alternatives, tau, aggregate in SHAPES:
            if k > table.n_features or (objective == "univariate" and 2 * k > table.n_features):
                continue
            problem = problem_from_table(
                table,
                k=k,
                n_alternatives=n_alternatives,
                tau=tau if n_alternatives else None,
                objective=objective,
                measure=MEASURE,
                aggregate=aggregate,
            )
            tau_part = f"-t{tau:g}-{aggregate}" if n_alternatives else ""
            file = LIBRARY / "real" / f"{name}-{objective}-k{k}-a{n_alternatives}{tau_part}.json"
            problem.replace(quality_values=None, redundancy_values=None).save(file)
    for family, difficulty, n, k, n_alternatives, max_overlap in SYNTHETIC:
        request = Request(
            n_features=n,
            k=k,
            n_alternatives=n_alternatives,
            max_overlap=max_overlap,
            difficulty=difficulty,
        )
        write_instance(generate(family, request, seed=0), LIBRARY / "synthetic")


def manifest(results):
    """Write the manifest, with the best values of a benchmark without faults."""
    report = check_folder(results)
    if not report.is_clean:
        sys.exit("the results are not clean: " + "; ".join([*report.faults, *report.contradictions]))
    best = {}
    for record in read_records(results):
        if record.get("result") is None:
            continue
        result = rebuilt(record, Problem.load(results / "instances" / f"{record['instance']}.json"))
        value = result.integer_objective
        known = best.get(record["instance"])
        rank = (result.status in ("OPTIMAL", "INFEASIBLE"), value is not None, value or 0)
        if known is None or rank > known[0]:
            best[record["instance"]] = (rank, record["instance_hash"], result)
    files = sorted(p for p in LIBRARY.glob("*/*.json") if not p.name.endswith(".about.json"))
    lines = [json.dumps(entry(file, best), ensure_ascii=False) for file in files]
    (LIBRARY / "manifest.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def entry(file, best):
    problem = Problem.load(file)
    about = json.loads(about_path(file).read_text()) if about_path(file).exists() else {}
    _, digest, result = best.get(file.stem, (None, None, None))
    if result is not None and digest != file_hash(file):
        sys.exit(f"{file}: has changed since the benchmark")
    return {
        "file": f"{file.parent.name}/{file.name}",
        "family": about.get("family", "real"),
        "source": None if about else file.stem.rpartition(f"-{problem.objective}-")[0],
        "measure": None if about else MEASURE,
        "seed": about.get("seed"),
        "difficulty": about.get("difficulty"),
        "objective": problem.objective,
        "aggregate": problem.aggregate,
        "n_features": problem.n_features,
        "n_sets": problem.n_sets,
        "set_size": problem.set_size,
        "max_overlap": problem.max_overlap,
        "n_conflicts": len(problem.conflicts),
        "planted_optimum": about.get("optimum"),
        "status": None if result is None else str(result.status),
        "best_known": None if result is None else result.integer_objective,
        "bound": None if result is None else result.integer_bound,
        "sets": None if result is None else [list(members) for members in result.sets],
        "by": None if result is None else result.backend,
        "sha256": file_hash(file),
    }


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        {"make": make, "manifest": manifest}[sys.argv[1]](Path(sys.argv[2]))
