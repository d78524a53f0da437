"""Benchmarks: runs that survive a kill, and a check that catches false results."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from itertools import product
from pathlib import Path

import psutil
import pytest
import small_problems
from running import PATIENCE, ended, python

from pyfsel import InputError, Problem
from pyfsel.backends import choose, registry
from pyfsel.bench import check_folder, read_suite, run_suite
from pyfsel.bench.claims import CONSTRUCTION, ContenderRun, find_contradictions
from pyfsel.bench.report.bench_page import draw_page
from pyfsel.bench.report.frame import load_benchmark
from pyfsel.bench.store import RESULTS, opened, read_records, read_specs
from pyfsel.bench.suite import RunSpec
from pyfsel.bench.worker import _cpu_seconds, run_one
from pyfsel.cli.bench import SUITE
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.processes.guard import lives
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.result import Result

SMALL = """
time_limit = 30
random_state = [0, 1]

[[group]]
solver = ["brute-force", "cpsat"]
search = ["sum", "sequential"]
files = ["*.json"]
"""
PLANTED = """
[[group]]
solver = "brute-force"

[[group.generate]]
family = "partition"
k = 3
n_sets = 2
"""


PROBLEM = small_problems.PROBLEM.replace(n_sets=2)


def write_suite(folder, text=SMALL):
    PROBLEM.save(folder / "example.json")
    suite = folder / "suite.toml"
    suite.write_text(text)
    return suite


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    return recorded(folder)


@pytest.fixture
def made(made_once, tmp_path):
    """A folder of one's own with records of all runs of a suite."""
    return Path(shutil.copytree(made_once, tmp_path / "out"))


def record_all(suite_file, folder, backends=None):
    """Make the runs of a suite, or those of some backends, as their processes do, in this process."""
    suite = read_suite(suite_file, folder / "instances")
    specs = [{"id": spec.id, **spec.to_dict()} for spec in suite]
    specs = [spec for spec in specs if backends is None or spec["solver"] in backends]
    (folder / "suite.json").write_text(json.dumps(specs))
    with opened(folder) as append:
        for spec in specs:
            start = time.monotonic()
            outcome = run_one(spec, folder / "instances" / f"{spec['instance']}.json")
            seconds = time.monotonic() - start
            append({**spec, **outcome, "seconds": seconds, "peak_memory": 9.0, "cpu_seconds": seconds})
    return folder


def recorded(folder, text=SMALL, backends=None):
    return record_all(write_suite(folder, text), folder / "out", backends)


def reported(folder):
    return draw_page(load_benchmark(folder))


def specs_of(folder, text):
    """Return the runs of a suite of the small example by the names of their problems."""
    suite = read_suite(write_suite(folder, text), folder / "instances")
    return suite, {(spec.problem_name, spec.search): spec for spec in suite}


def test_a_group_varies_its_instances(tmp_path):
    text = 'files = "*.json"\nseconds_per_set = 60\nn_sets = [2, 3]\nsearch = ["sum", "min"]\nk = [1, 2]\n'
    suite, specs = specs_of(tmp_path, text + 'dissimilarity = [0.4, "jaccard:1", "shared:0"]\n')
    assert len(suite) == 24
    spec = specs["example-k2-n3-d0.4", "min"]
    example = Instance.load(tmp_path / "instances" / "example.json")
    problem = spec.problem(example)
    assert (problem.k, problem.n_sets, problem.max_shared, problem.aggregate) == (2, 3, 1, "min")
    assert spec.time_limit == 180
    for asked in ("jaccard:1", "shared:0"):
        problem = specs[f"example-k1-n2-d{asked}", "sum"].problem(example)
        assert (problem.k, problem.n_sets, problem.max_shared) == (1, 2, 0)
        assert (problem.aggregate, problem.search) == ("sum", "simultaneous")


RULES = ("dice:0.4", "jaccard:0.5", "overlap:0.5", "hamming:0.3", "shared:1")


@pytest.mark.parametrize("sizes", [3, (2, 3)], ids=str)
def test_a_dissimilarity_replaces_the_whole_rule_of_the_file(sizes):
    made = {
        rule: Problem([9, 8, 7, 3, 2, 1], k=sizes, n_sets=2, dissimilarity=rule, search="sum").instance
        for rule in RULES
    }
    for old, new in product(RULES, RULES):
        spec = RunSpec("p", "", "auto", 1.0, dissimilarity=new, search="sum")
        assert spec.problem(made[old]).replace(search=None) == made[new], (old, new)


def test_auto_without_a_backend_for_the_problem_is_unsupported(tmp_path, monkeypatch):
    monkeypatch.setattr(choose, "PREFERENCE", (("ksubgraph", "", lambda problem: True),))
    pattern = (tmp_path / "*.json").as_posix()  # absolute
    folder = recorded(tmp_path, f'[[group]]\nfiles = ["{pattern}"]')
    (record,) = read_records(folder)
    assert record["outcome"] == "unsupported"
    assert "ksubgraph" in record["message"]
    assert check_folder(folder).is_clean


def test_solvers_whose_libraries_exclude_each_other_work_in_runs(tmp_path):
    suite = 'solver = ["mip:highs", "mip:scip", "cpsat"]\nfiles = "example.json"\n'
    run_suite(write_suite(tmp_path, suite), tmp_path / "out")
    assert [record["outcome"] for record in read_records(tmp_path / "out")] == ["OPTIMAL"] * 3


def test_a_script_makes_runs_and_is_not_run_again_by_them(tmp_path):
    asked = (
        str(write_suite(tmp_path, 'solver = "brute-force"\nfiles = "example.json"\n')),
        str(tmp_path / "out"),
    )
    script = f"from pyfsel.bench import run_suite\nprint(run_suite(*{asked}))\n"
    (tmp_path / "script.py").write_text(script)
    done = python(tmp_path / "script.py")
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert [record["outcome"] for record in read_records(tmp_path / "out")] == ["OPTIMAL"]


def changed(folder, change, *places):
    """Change the records of a folder in some places, or all."""
    records = read_records(folder)
    for place in places or range(len(records)):
        change(records[place])
    (folder / RESULTS).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def claim_infeasible(record):
    record["outcome"] = "INFEASIBLE"
    numbers = ("objective", "integer_objective", "bound", "integer_bound", "gap")
    lists = {name: [] for name in ("feature_sets", "incumbents", "bounds")}
    record["result"] |= {"status": "INFEASIBLE", **lists, **dict.fromkeys(numbers)}


def test_check_knows_planted_optima(tmp_path):
    folder = recorded(tmp_path, PLANTED)
    assert check_folder(folder).is_clean
    report = check_folder(changed(folder, claim_infeasible))
    assert any(
        "by its construction" in text or "its construction found" in text for text in report.contradictions
    )


def test_a_verified_value_above_a_planted_optimum_refutes_the_construction():
    problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    result = Result(problem, ((0,),), Status.OPTIMAL, 3, "x", "simultaneous", 0.0, StopReason.FINISHED)
    for optimum, against in ((2, [CONSTRUCTION]), (3, []), (4, ["x"])):
        run = ContenderRun("small", "x", True, result, optimum=optimum)
        assert [found.contender for found in find_contradictions([run])] == against


def test_check_catches_changed_instances_doubled_and_foreign_records(made):
    path = made / RESULTS
    first = path.read_text().splitlines()[0]
    foreign = json.dumps({**json.loads(first), "id": "0" * 16})
    path.write_text(path.read_text() + f"{first}\n{foreign}\n")
    faults = " ".join(check_folder(made).faults)
    assert "has 2 records" in faults
    assert "is not in the suite" in faults
    path.write_text(json.dumps({**json.loads(first), "dissimilarity": "shared:2"}) + "\n")
    assert any("is about another run" in fault for fault in check_folder(made).faults)
    instance = made / "instances" / "example.json"
    instance.write_text(instance.read_text().replace("9", "8"))
    assert any("example.json: the file has changed" in fault for fault in check_folder(made).faults)


def test_report_refuses_results_that_are_not_checked_or_changed_since(made):
    with pytest.raises(InputError, match="not been checked"):
        reported(made)
    check_folder(made)
    changed(made, claim_infeasible, 0)
    with pytest.raises(InputError, match="changed since the check"):
        reported(made)
    assert check_folder(made).contradictions
    assert reported(made).index("INFEASIBLE was claimed") < reported(made).index(">solver<")


def test_runs_certify_what_they_prove(tmp_path, run):
    one = '[[group]]\nsolver = "brute-force"\nfiles = "*.json"\n'
    suite, folder = write_suite(tmp_path, one), tmp_path / "out"
    run(f"bench run {suite} --certify -o {folder} -q", 0)
    run(f"bench check {folder}", 0)
    (record,) = read_records(folder)
    assert record["result"]["certificate"]["n_certified"] == 2
    assert "1 of 1 optima are certified." in reported(folder)


def test_a_backend_that_crashes_after_a_start_solution_is_an_error(tmp_path, run, monkeypatch):
    """Its record keeps the sets found, which are checked, but is one of no status."""

    def crash(self, problem, control):
        raise RuntimeError("lost the model")

    backend = type(registry()["brute-force"])
    monkeypatch.setattr(backend, "isolated", False)
    monkeypatch.setattr(backend, "solve", crash)
    folder = recorded(tmp_path, backends=["brute-force"])
    records = read_records(folder)
    assert [record["outcome"] for record in records] == ["error"] * len(records)
    assert any(record["result"] for record in records)
    report = check_folder(folder)
    assert (report.is_clean, len(report.errors)) == (True, len(records))
    assert all("lost the model" in error for error in report.errors)
    assert f"0 contradictions, {len(records)} errors" in run(f"bench check {folder}", 5).out

    def made(suite, folder, *, on_run, **more):
        on_run(read_specs(Path(folder))[records[0]["id"]], records[0]["outcome"], 1, 1)
        return 1

    monkeypatch.setattr("pyfsel.cli.bench.run_suite", made)
    assert "1 run made, 1 error; check them" in run(f"bench run {tmp_path}/suite.toml -o {folder}", 5).out


def test_a_torn_last_line_is_made_again_and_a_torn_other_one_is_an_error(made):
    path = made / RESULTS
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert len(read_records(made)) == 7
    with opened(made):
        assert path.read_bytes() == content[: content[:-1].rfind(b"\n") + 1]
    path.write_bytes(b"torn" + content)
    with pytest.raises(InputError, match="line 1"):
        read_records(made)


@pytest.mark.skipif(not hasattr(psutil.Process, "cpu_affinity"), reason="no cores to bind to on macOS")
def test_pinned_runs_have_a_core_each_and_records_say_on_what_they_were_made(tmp_path):
    suite = write_suite(tmp_path, SMALL.replace('"sum", ', ""))
    cores = psutil.Process().cpu_affinity()
    run_suite(suite, tmp_path / "out", n_jobs=len(cores), pin=True)
    records = read_records(tmp_path / "out")
    used = [record["machine"]["cores"] for record in records]
    assert all(len(own) == 1 for own in used)
    assert {core for own in used for core in own} <= set(cores)
    (hashed,) = {record["sources"] for record in records}
    assert len(hashed) == 64
    assert all(record["versions"]["ortools"] and record["machine"]["cpu"] for record in records)
    assert check_folder(tmp_path / "out").is_clean
    assert "cores" in reported(tmp_path / "out")
    assert not [one for one in psutil.Process().children(True) if "forkserver" in " ".join(one.cmdline())]
    with pytest.raises(InputError, match=rf"n_jobs={len(cores) + 1}: there are {len(cores)} cores"):
        run_suite(suite, tmp_path / "other", n_jobs=len(cores) + 1, pin=True)
    with pytest.raises(InputError, match=r"part=\(1, 2\): must be N/M"):
        run_suite(suite, tmp_path / "other", part=(1, 2))


def test_two_runners_or_suites_do_not_share_a_folder(made, tmp_path):
    with opened(made), pytest.raises(InputError, match="another run"):
        run_suite(write_suite(tmp_path), made)
    with pytest.raises(InputError, match="another suite, such as brute-force on example"):
        run_suite(write_suite(tmp_path, PLANTED), made)


def test_a_suite_is_extended_without_losing_what_ran(made, tmp_path):
    before = read_records(made)
    longer = SMALL.replace('"cpsat"]', '"cpsat", "sorting"]')
    made_now = run_suite(write_suite(tmp_path, longer), made, on_run=lambda *told: None)
    records = read_records(made)
    assert records[: len(before)] == before
    assert (len(before), made_now, len(records)) == (8, 4, 12)
    assert len(read_specs(made)) == 12
    assert check_folder(made).is_clean


SHARED = """
include "lib/sum_of_qualities.mzn"; include "lib/sets.mzn";
include "lib/products.mzn"; include "lib/objective.mzn";
aggregated_by = sum;
int: penalty;
constraint selected[0, WANTED];
solve minimize penalty * sum(f in FEATURES)(selected[0, f] /\\ selected[1, f]);
"""


@pytest.mark.parametrize(
    ("wanted", "outcome"),
    [("0", "OPTIMAL"), ("0] /\\ not selected[0, 0", "INFEASIBLE")],
)
def test_models_of_other_questions_end_with_their_own_status(wanted, outcome, tmp_path):
    (tmp_path / "mine.mzn").write_text(SHARED.replace("WANTED", wanted))
    (tmp_path / "more.dzn").write_text("penalty = 3;")
    suite = '[[group]]\nsolver = "mine.mzn"\ndata = "more.dzn"\nown_question = true\nfiles = ["*.json"]\n'
    folder = recorded(tmp_path, suite + 'search = "sum"\n')
    (record,) = read_records(folder)
    assert record["outcome"] == outcome
    assert record["result"]["status"] != outcome == record["result"]["model_claim"]["status"]
    assert check_folder(folder).is_clean
    assert load_benchmark(folder).runs["proved"].all()


OWN = """
[[group]]
solver = "mine.mzn"
data = "more.dzn"
files = ["*.json"]
search = "sum"
cold_start = [false, true]
n_threads = 1

[[group]]
solver = ["PYTHON TESTS/fake_maxsat.py honest {wcnf}", "PYTHON TESTS/fake_pseudo_boolean.py honest {opb}"]
files = ["*.json"]
search = "sum"
"""


def test_models_and_commands_of_the_users_own_are_run_like_backends(tmp_path):
    text = OWN.replace("PYTHON", sys.executable).replace("TESTS", str(Path(__file__).parents[1]))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "most.mzn").write_text("int: most;\n")
    literal = (models_dir() / "simultaneous_sum_literal.mzn").read_text()
    own = 'include "lib/most.mzn";\nconstraint forall(s in SETS)(sum(selected[s, ..]) <= most);\n'
    (tmp_path / "mine.mzn").write_text(literal + own)
    (tmp_path / "more.dzn").write_text("most = 2;")
    folder = recorded(tmp_path, text)
    records = read_records(folder)
    assert {record["outcome"] for record in records} == {"OPTIMAL"}
    assert [record["solver"] for record in records[:2]] == ["gecode:mine.mzn"] * 2
    by = [record["result"]["backend"] for record in records]
    assert by == [*["minizinc:gecode"] * 2, "maxsat:command", "pb:command"]
    warm, cold = (record["result"]["incumbents"] for record in records[:2])
    assert ("start" in records[0]["result"]["message"], len(cold) >= 1) == (True, True)
    assert cold[0]["time"] > warm[0]["time"]
    assert check_folder(folder).is_clean
    (again,) = tmp_path.glob("out/instances/mine.mzn")
    again.write_text(again.read_text().replace("most", "least"))
    assert f"{again.name}: the file has changed" in check_folder(folder).faults


@pytest.mark.parametrize("own_question", ["true", "false"])
def test_a_model_that_does_not_compile_is_an_error_with_its_line(own_question, tmp_path):
    (tmp_path / "mine.mzn").write_text("var bool: x;\nconstraint chosen;\nsolve satisfy;\n")
    suite = f'solver = "mine.mzn"\nown_question = {own_question}\nfiles = "*.json"\n'
    (record,) = read_records(recorded(tmp_path, suite))
    assert (record["outcome"], record["result"]) == ("error", None)
    assert "mine.mzn:2: " in record["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "backend = 1": "backend: unknown key. Keys are cold_start",
        "[[group]]\n[group.vary]\ntau = [0.5]": "vary: unknown key",
        "tmie_limit = 1": "Did you mean 'time_limit'?",
        "[[group]]\n[[group.generate]]\nfamily = 'uniform'\naggregate = 'min'": "aggregate: unknown key",
        'solver = "nothing"\nfiles = "*.json"': "nothing",
        'files = "missing*.json"': "no such file",
        "files = 3": "no such file",
        "group = {}": "must be a list",
        "generate = [3]": "must be a table",
        'time_limit = 0\nfiles = "*.json"': "time_limit=0",
        "[[group]]\n[[group.generate]]\nfamily = 'parity'": "tables",
        'files = "*.json"\nk = 7': "k=7",
        'files = "*.json"\ndissimilarity = "shared:3"': "shared=3",
        'files = "*.json"\ndissimilarity = 2': "dissimilarity",
        "[[group]": "cannot be read",
        'files = "*.json"\nsolver = "m.mzn"': "is not a file",
        'files = "*.json"\ndata = "m.dzn"': "data and own_question are for",
        'files = "*.json"\ncold_start = 1': "cold_start=1: must be true or false",
        'files = "*.json"\nsolver = "naps {wcnf"': "naps",
        "": "no runs",
    }.items(),
)
def test_bad_suites_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_suite(write_suite(tmp_path, text), tmp_path / "instances")
    assert not (tmp_path / "instances").exists()


def test_bad_suites_are_named_by_their_file(tmp_path, run):
    suite = write_suite(tmp_path, '[[group]]\nsearch = "both"\nfiles = "*.json"')
    for arguments, message in (
        (f"run {suite} -o {tmp_path}/out", f"{suite}: search='both': must be one of"),
        (f"run nowhere.toml -o {tmp_path}/out", "error: nowhere.toml: no such file.\n"),
        (f"check {tmp_path}", "is not the folder of a benchmark"),
    ):
        assert message in run(f"bench {arguments}", 2).err


def test_the_suite_in_the_help_is_one(tmp_path, run):
    suite = SUITE.replace("../instances/wine", "")
    runs = read_suite(write_suite(tmp_path, suite), tmp_path / "instances")
    assert {one.solver for one in runs} == {"auto", "minizinc:gecode", "rc2/literal"}
    assert {one.time_limit for one in runs} == {10}
    assert " ".join(SUITE.split()) in run("bench run --help", 0).words


def test_a_run_over_its_memory_is_killed_and_the_next_one_goes_on(tmp_path):
    suite = write_suite(tmp_path, 'solver = "brute-force"\nfiles = "*.json"\nmemory_limit = 5')
    Instance(quality=range(20), n_sets=4, k=5, max_shared=2).save(tmp_path / "example.json")
    assert run_suite(suite, tmp_path / "out", n_jobs=-1) == 1
    (record,) = read_records(tmp_path / "out")
    if record["outcome"] == "killed":
        assert "memory limit" in record["message"]
    else:  # it had a start before it was ended
        assert record["result"]["stop_reason"] == "memory_limit"
    assert check_folder(tmp_path / "out").is_clean


def bench_command(suite, folder):
    return [sys.executable, "-m", "pyfsel", "bench", "run", str(suite), "--n-jobs", "2", "-o", str(folder)]


@pytest.mark.slow
def test_a_runner_that_is_killed_goes_on_with_exactly_what_is_missing(tmp_path):
    suite, folder = write_suite(tmp_path), tmp_path / "out"
    own = os.environ | {"TMPDIR": str(tmp_path)}  # nobody removes the folders of runs of a killed runner
    runner = subprocess.Popen(bench_command(suite, folder), stderr=subprocess.PIPE, text=True, env=own)
    for _ in range(3):
        assert runner.stderr.readline()
    runner.kill()
    runner.wait()
    runner.stderr.close()
    before = read_records(folder)
    assert 3 <= len(before) < 8
    finished = ended(*bench_command(suite, folder))
    assert finished.returncode == 0, finished.stderr
    after = read_records(folder)
    wanted = {entry["id"] for entry in json.loads((folder / "suite.json").read_text())}
    assert after[: len(before)] == before
    assert Counter(record["id"] for record in after) == Counter(wanted)
    assert all(record["outcome"] == "OPTIMAL" for record in after)
    assert check_folder(folder).is_clean
    assert run_suite(suite, folder) == 0
    assert read_records(folder) == after


@pytest.mark.slow
def test_runs_of_hours_end_with_a_runner_that_is_killed(tmp_path, monkeypatch):
    hard = '[[generate]]\nfamily = "block-redundancy"\nn_features = 99\nk = 9\nn_sets = 4'
    suite = write_suite(tmp_path, f'time_limit = 9999\nsolver = "cpsat"\n{hard}')
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # nobody removes the folders of runs of a killed runner
    with subprocess.Popen(bench_command(suite, tmp_path / "out")) as runner:
        while len(family := psutil.Process(runner.pid).children(recursive=True)) < 3:
            assert runner.poll() is None  # two processes of Python come before the run
        runner.kill()
    psutil.wait_procs(family, timeout=PATIENCE)
    assert not any(lives(one.pid) for one in family)


def test_processes_that_go_on_count():
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); input()"
    before = _cpu_seconds()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", burn], **pipes) as process:
        process.stdout.readline()
        assert _cpu_seconds() - before >= 0.25
        process.communicate(b"\n")
