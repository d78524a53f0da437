"""Generated instances: repeatable bytes, known optima reached, tables that are what they say."""

import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from running import ended

from pyfsel import InputError, __version__
from pyfsel.backends.export import export
from pyfsel.bench.instances import (
    Request,
    families,
    generate,
    generate_files,
    generated,
    write_instance,
)
from pyfsel.bench.instances.instance_families import about_path
from pyfsel.bench.suite import file_hash
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

NAMES = sorted(families())
TABLES = {"parity", "disjunction", "gmonks"}
SMALL = {"k": 3, "n_sets": 2, "max_shared": 1}


def shape_of(name):
    return {} if name in TABLES else SMALL


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_bytes_for_users_and_in_files(name, tmp_path):
    def files(seed, folder, difficulty=0.5):
        asked = Request(**shape_of(name), difficulty=difficulty)
        path = write_instance(generated(name, asked, seed), tmp_path / folder)
        return path, path.read_bytes(), about_path(path).read_bytes()

    path, *content = files(3, "one")
    assert files(3, "two")[1:] == (*content,)
    assert files(4, "other")[1] != content[0]
    found = generate(name, **shape_of(name), seed=3)
    if name in TABLES:
        assert found.to_csv(index=False, lineterminator="\n").encode() == content[0]
    else:
        assert found.instance == Instance.load(path)
        assert found.search in ("sum", "min")
    (again,) = generate_files(name, tmp_path, seed=3, **shape_of(name))
    assert (again.name, again.read_bytes()) == (path.name, content[0])
    for difficulty in (0, 1):
        path, changed, _ = files(3, "end", difficulty)
        assert changed != content[0]
        assert name in TABLES or solve(Instance.load(path), search="simultaneous").status == "OPTIMAL"


PLANTED = [
    *(
        (name, {**SMALL, "difficulty": difficulty, "n_features": 9, "search": search})
        for name, difficulty in (("planted-alternatives", 0.9), ("near-infeasible-fcbf", 1))
        for search in ("sum", "min")
    ),
    ("partition", {**SMALL, "n_features": 6, "max_shared": 0}),
    ("partition", {**SMALL, "n_features": 8, "max_shared": 0}),
    ("partition", {**SMALL, "n_features": 5}),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "request_of"), PLANTED, ids=str)
def test_planted_optima_are_optimal(name, request_of, seed):
    instance = generated(name, Request(**request_of), seed)
    assert name == "partition" or not violations(instance.problem, instance.solution)
    result = solve(instance.problem, backend="brute-force", search="simultaneous")
    assert (result.status, result.integer_objective) == ("OPTIMAL", instance.optimum)


def test_a_partition_has_no_room_for_overlap_and_more_features():
    with pytest.raises(InputError, match="n_features"):
        generated("partition", Request(**SMALL, n_features=9), 0)


def test_a_near_infeasible_problem_has_a_solution_but_claims_no_optimum():
    instance = generated("near-infeasible-fcbf", Request(difficulty=0.9), 0)
    assert not violations(instance.problem, instance.solution)
    assert instance.optimum is None
    assert len(instance.problem.conflicts) > 150


def chunk_is_satisfied(x):
    """The monks condition of one chunk, feature by feature as in paper 001."""
    first = x[0] == x[1] or x[4] == 1
    second = sum(v == 1 for v in x) >= 2
    third = (x[4] == 3 and x[3] == 1) or (x[4] != 3 and x[1] != 2)
    return second and not (first and third)


TARGETS = {
    "parity": lambda x: sum(x) % 2,
    "disjunction": lambda x: int(all(x[: (len(x) + 1) // 2]) or all(x[(len(x) + 1) // 2 :])),
    "gmonks": lambda x: int(
        sum(chunk_is_satisfied(x[c : c + 6]) for c in range(0, len(x), 6)) >= max(1, len(x) // 12)
    ),
}


@pytest.mark.parametrize(("name", "n"), [*((name, 12) for name in sorted(TABLES)), ("gmonks", 6)])
def test_tables_compute_their_function_and_copy_their_columns(name, n, tmp_path):
    """GMonks of one chunk ask for it; half of the chunks, rounded down, would be none."""
    instance = generated(name, Request(n_features=n, difficulty=0.25, n_rows=200), 5)
    frame = pd.read_csv(write_instance(instance, tmp_path))
    relevant = instance.about["relevant"]
    assert frame.shape == (200, 2 * n + 1)
    assert frame["target"].nunique() == 2
    rows = frame[relevant].to_numpy().tolist()
    assert frame["target"].tolist() == [TARGETS[name](row) for row in rows]
    copies = [c for c in frame.columns if c.startswith("copy_")]
    assert len(copies) == n // 2
    for copy in copies:
        assert (frame[copy] == frame[f"relevant_{copy.rpartition('_')[2]}"]).all()


def test_gmonks_come_in_sixes():
    with pytest.raises(InputError, match="multiple of 6"):
        generated("gmonks", Request(n_features=8), 0)
    with pytest.raises(InputError, match="few-values"):
        generated("fewvalues", Request())


def test_command_writes_several_seeds_and_says_where(tmp_path, run):
    paths = run(f"generate partition -k 3 -n 2 --seed 7 --count 2 -o {tmp_path}", 0).out.split()
    assert [path.rpartition("-")[2] for path in paths] == ["s7.json", "s8.json"]
    about = json.loads((tmp_path / "partition-n6-k3-a1-m0-min-d0.5-s7.about.json").read_text())
    assert (about["generator"], about["version"], about["seed"]) == ("pyfsel generate", __version__, 7)
    assert about["parameters"] == {"k": 3, "n_sets": 2, "difficulty": 0.5}
    assert about["units"] == {"quality": "a number without a unit, times scale, rounded"}
    assert solve(Instance.load(paths[0]), search="simultaneous").integer_objective == about["optimum"]


def test_command_lists_families(run):
    listed = run("generate list", 0).out
    assert all(f"{name}\n" in listed for name in NAMES)
    run("generate uniform --tau 0.5", 2)


LIBRARY = Path(__file__).parents[2] / "instances"
MANIFEST = json.loads((LIBRARY / "manifest.json").read_text("utf-8"))


def test_the_manifest_lists_all_files_of_the_library():
    files = {str(p.relative_to(LIBRARY)) for p in LIBRARY.glob("*/*.json") if ".about." not in p.name}
    assert {entry["file"] for entry in MANIFEST} == files
    assert sum(p.stat().st_size for p in LIBRARY.rglob("*")) < 9_000_000
    sources = tomllib.loads((LIBRARY / "sources.toml").read_text("utf-8"))
    assert {entry["source"] for entry in MANIFEST} - {"generated"} == set(sources)
    assert all(source["licence"] and source["origin"] for source in sources.values())
    for entry in MANIFEST:
        assert entry["licence"] == sources.get(entry["source"], {"licence": "MIT"})["licence"], entry["file"]
        assert entry["status"] in ("OPTIMAL", "INFEASIBLE") or entry["tried"], entry["file"]


def entry_of(name):
    return next(entry for entry in MANIFEST if name in entry["file"])


def minizinc(*arguments):
    """Return what MiniZinc prints with Gecode."""
    done = ended("minizinc", "--solver", "gecode", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hits_all(path, entry):
    """Check the best known set against what it must hit, and that no feature of it is too many."""
    to_hit = [frozenset(listed["set"]) for listed in json.loads(path.read_text())["to_hit"]]
    (best,) = map(frozenset, entry["sets"])
    assert len(best) == entry["best_known"] == entry["bound"]
    assert len(to_hit) == entry["n_sets_to_hit"] > 0
    assert all(best & members for members in to_hit), path
    assert all(any(best & members == {j} for members in to_hit) for j in best), path


def test_the_best_known_sets_of_the_library_have_their_values():
    for entry in MANIFEST:
        path = LIBRARY / entry["file"]
        assert file_hash(path) == entry["sha256"], path
        if entry["family"] == "consistency":
            hits_all(path, entry)
            continue
        problem = Instance.load(path)
        assert problem.search == ("simultaneous" if entry["n_sets"] > 1 else None), path
        if entry["sets"]:
            assert not violations(problem, entry["sets"]), path
            assert values.total(problem, [tuple(s) for s in entry["sets"]]) == entry["best_known"], path
        assert entry["planted_optimum"] in (None, entry["best_known"]) or entry["status"] != "OPTIMAL", path
        assert entry["status"] != "OPTIMAL" or entry["bound"] == entry["best_known"], path


@pytest.mark.parametrize("suffix", ["json", "dzn"])
@pytest.mark.parametrize("name", ["wdbc-univariate-k5-a3-t0.4-sum", "wine-mrmr-k5-a1", "uniform-n40-k5-a3"])
@pytest.mark.parametrize("search", [None, "sequential"])
def test_an_instance_is_solved_by_the_search_that_it_states(name, suffix, search, tmp_path, run):
    entry = entry_of(name)
    problem = Instance.load(LIBRARY / entry["file"])
    path = tmp_path / f"instance.{suffix}"
    path.write_text(export(problem, suffix))
    asked = f"--search {search}" if search else ""
    found = run(f"solve {path} --format json {asked}", 0).data["found"]
    assert found["search"] == (search or "simultaneous")
    assert search or found["integer_objective"] == entry["best_known"]


@pytest.mark.parametrize("name", ["chess-b2", "hepatitis-b2"])
def test_minizinc_proves_the_best_known_consistent_sets(name):
    entry = entry_of(f"consistency/{name}.json")
    printed = minizinc(models_dir() / "consistency" / "hitting_set.mzn", LIBRARY / entry["file"])
    found, *_, end = printed.strip().split("\n")[-3:]
    assert found.startswith(f"{entry['best_known']} features"), printed
    assert end == "=========="


def test_synthetic_instances_of_the_library_come_out_again(tmp_path):
    synthetic = [entry for entry in MANIFEST if entry["file"].startswith("synthetic/")]
    assert len(synthetic) > 10
    for entry in synthetic:
        names = ("n_features", "k", "n_sets", "max_shared", "difficulty")
        asked = Request(**{name: entry[name] for name in names})
        path = write_instance(generated(entry["family"], asked, entry["seed"]), tmp_path)
        assert file_hash(path) == entry["sha256"]
