"""The manifest of ``instances/``: what each file is, and the best known sets, with who found them.

python benchmarks/make_instances.py manifest DIR …     (results of `pyfsel bench run`, clean by its check)
"""

import json
import sys
import tomllib
from functools import cache
from pathlib import Path

from pyfsel.bench.check_records import check_folder
from pyfsel.bench.claims import RunOutcome
from pyfsel.bench.instances.instance_families import about_path
from pyfsel.bench.recheck import rebuilt
from pyfsel.bench.store import read_records
from pyfsel.bench.suite import RunSpec, file_hash
from pyfsel.problem.instance import Instance

LIBRARY = Path(__file__).parent.parent / "instances"
MEASURE = "mutual_info_binned"
CFS_MEASURE = "symmetrical_uncertainty"
MEASURES = {
    "mi": "mutual_info",
    "model-gain": "model_importance",
    "fcbf": "mutual_info",
    "mrmr": "mutual_info",
    "graph_score": "class_overlap, pearson",
    "cfs-k5": CFS_MEASURE,
    "cfs-free": CFS_MEASURE,
    "r2-k5-a0": "pearson",
    "r2-k10-a0": "pearson",
}
PROVED = ("OPTIMAL", "INFEASIBLE")
OWN_LICENCE = "MIT"
NOT_TRIED = (RunOutcome.UNSUPPORTED, RunOutcome.MISSING)
NOTHING_KNOWN = {"status": None, "best_known": None, "bound": None, "sets": None, "by": None}


@cache
def sources():
    """Return where the tables come from, by their names."""
    return tomllib.loads((LIBRARY / "sources.toml").read_text(encoding="utf-8"))


def write_manifest(*folders):
    """Write the manifest with the best that it or any of the folders of benchmarks knows of each file.

    What a benchmark says about a file counts if its own copy holds the same problem, also if that is written
    in another way; what it says about another problem of that name is named and left out.
    """
    path = LIBRARY / "manifest.json"
    known = {line["file"]: line for line in json.loads(path.read_text(encoding="utf-8"))}
    files = sorted(p for p in LIBRARY.glob("*/*.json") if not p.name.endswith(".about.json"))
    by_name = {file.stem: file for file in files if file.parent.name != "consistency"}
    found, tried = {}, {}
    for folder in folders:
        for name, spec, result in results(folder, by_name):
            tried.setdefault(name, set()).add(f"{spec.solver} {spec.time_limit:g} s")
            if result is not None:
                found[name] = better(name, found.get(name, NOTHING_KNOWN), claims(result))
    lines = [json.dumps(entry(file, known, found, tried), ensure_ascii=False) for file in files]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def results(folder, files):
    """Yield the runs on problems that are in the files of the library, and the result of each or None."""
    report = check_folder(folder)
    if not report.is_clean:
        sys.exit(f"{folder}: not clean: {'; '.join([*report.faults, *report.contradictions])}")
    problems = {}
    for record in read_records(folder):
        spec = RunSpec.from_dict(record)
        if spec.instance not in problems:
            problems[spec.instance] = same_problem(folder, spec.instance, files)
        problem = problems[spec.instance]
        if problem is None or spec.search == "sequential" or spec.is_varied(problem):
            continue
        if record["outcome"] in NOT_TRIED:
            continue
        yield spec.instance, spec, None if record.get("result") is None else rebuilt(record, problem)


def same_problem(folder, name, files):
    """Return the problem that both a benchmark and the library have under a name, None if they differ."""
    problem = Instance.load(folder / "instances" / f"{name}.json")
    if name in files and Instance.load(files[name]) == problem:
        return problem
    print(f"{folder}: {name} is not what the library has under this name; left out", file=sys.stderr)
    return None


def claims(result):
    """Return what a result says, in the fields of the manifest."""
    return {
        "status": str(result.status),
        "best_known": result.integer_objective,
        "bound": result.integer_bound,
        "sets": [list(members) for members in result.sets] or None,
        "by": result.backend,
    }


def better(name, first, second):
    """Return the better of two statements about a problem, with the bound that both together prove."""
    best = max(first, second, key=rank)
    other = second if best is first else first
    if best["status"] == "INFEASIBLE":
        if other["sets"]:
            sys.exit(f"{name}: infeasible by {best['by']}, but {other['by']} found sets")
        return best
    bounds = [bound for bound in (best["bound"], other["bound"]) if bound is not None]
    bound = min(bounds, default=None)
    values = [value for value in (best["best_known"], other["best_known"]) if value is not None]
    if values and bound is not None and max(values) > bound:
        sys.exit(f"{name}: a value of {max(values)}, but a bound of {bound} ({best['by']}, {other['by']})")
    status = "OPTIMAL" if best["sets"] and best["best_known"] == bound else best["status"]
    return {**best, "bound": bound, "status": status}


def rank(claim):
    """Order statements by how much they tell: proofs, then better sets, then that there are none yet."""
    value = claim["best_known"]
    return claim["status"] in PROVED, value is not None, value or 0, claim["status"] is not None


def entry(file, known, found, tried):
    """Return the entry of a file."""
    name = f"{file.parent.name}/{file.name}"
    family = {"family": file.parent.name, "sha256": file_hash(file)}
    if family["family"] == "consistency":
        return consistency_entry(file, name, family)
    problem = Instance.load(file)
    about = json.loads(about_path(file).read_text()) if about_path(file).exists() else {}
    old = known.get(name, NOTHING_KNOWN)
    if old.get("sha256", family["sha256"]) != family["sha256"]:
        print(f"{name}: the file has changed, what was known is left out", file=sys.stderr)
        old = NOTHING_KNOWN
    claim = better(name, old, found.get(file.stem, NOTHING_KNOWN))
    source, method = (None, None) if about else source_and_method(file)
    attempts = sorted({*old.get("tried", ()), *tried.get(file.stem, ())})
    return {
        "file": name,
        "family": about.get("family", family["family"]),
        "source": source or "generated",
        "licence": licence(source),
        "measure": None if about else MEASURES.get(method, MEASURE),
        "seed": about.get("seed"),
        "difficulty": about.get("difficulty"),
        "objective": problem.objective,
        "aggregate": problem.aggregate,
        "n_features": problem.n_features,
        "n_sets": problem.n_sets,
        "k": problem.k,
        "max_shared": problem.max_shared,
        "n_conflicts": len(problem.conflicts),
        "planted_optimum": about.get("optimum"),
        **{field: claim[field] for field in NOTHING_KNOWN},
        **({} if claim["status"] in PROVED else {"tried": attempts}),
        "sha256": family["sha256"],
    }


def licence(source):
    """Return the licence of a table, or that of this project for what is generated."""
    return OWN_LICENCE if source is None else sources()[source]["licence"]


def source_and_method(file):
    """Return the table that an instance is from, and the rest of its name."""
    names = sorted(sources(), key=len, reverse=True)
    source = next(name for name in names if file.stem.startswith(f"{name}-"))
    return source, file.stem.removeprefix(f"{source}-")


def consistency_entry(file, name, family):
    data = json.loads(file.read_text(encoding="utf-8"))
    about = json.loads(about_path(file).read_text(encoding="utf-8"))
    source, _ = source_and_method(file)
    return {
        "file": name,
        "family": family["family"],
        "source": source,
        "licence": licence(source),
        "objective": "consistency",
        "n_features": data["n_features"],
        "n_sets": 1,
        "n_sets_to_hit": len(data["to_hit"]),
        "status": about["status"],
        "best_known": len(about["features"]),
        "bound": about["bound"],
        "sets": [about["features"]],
        "by": about["by"],
        "sha256": family["sha256"],
    }
