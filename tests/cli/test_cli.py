"""The command line as a user meets it."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pyfsel import Status
from pyfsel.backends import backends, registry
from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.answer import Answer
from pyfsel.solving.solve import solve

FEATURES = ["age", "blood pressure", "weight, in kg", "pulse", "iron", "sodium"]
FIELDS = ["status", "objective", "bound", "gap", "backend", "runtime", "stop_reason", "feature_sets"]
FAST = ["-k", "2", "-a", "2", "--tau", "0.5", "--measure", "pearson"]


@pytest.fixture
def run(capsys):
    def run_command(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 60)
    columns = {name: ill * (6 - j) + rng.normal(size=60) * 4 for j, name in enumerate(FEATURES)}
    return pd.DataFrame(columns | {"diagnosis": np.where(ill, "ill", "healthy")})


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "instance.json"
    problem = make_instance(
        [9, 8, 7, 3, 2, 1], k=2, n_alternatives=2, max_overlap=1, feature_names=list("abcdef")
    )
    problem.save(path)
    return path


def one_line(err):
    assert err.startswith("pyfsel: error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def test_memory_limit_reaches_the_solver(run, instance):
    code, out, _ = run("solve", instance, "--backend", "cpsat", "--memory-limit", "1", "--format", "json")
    assert json.loads(out)["stop_reason"] == "memory_limit"
    assert code == run("solve", instance, "--backend", "cpsat", "--time-limit", "0.001")[0]
    assert run("solve", instance, "--memory-limit", "0")[0] == 2


def test_tau_and_dissimilarity(run, table):
    for dissimilarity, overlap in (("dice", 2), ("jaccard", 2)):
        _, out, _ = run(
            "problem", table, "-t", "diagnosis", "-k", 4, "--tau", 0.5, "--measure", "pearson",
            "--dissimilarity", dissimilarity,
        )  # fmt: skip
        assert json.loads(out)["max_shared"] == overlap
    _, out, _ = run("problem", table, "-t", "diagnosis", "-k", 5, "--measure", "pearson")
    assert json.loads(out)["max_shared"] == 2


def test_unreadable_files(run, tmp_path):
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "text.json").write_text("no JSON")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "fake.parquet").write_text("no Parquet")
    for name in ("absent.json", "text.json", "list.json", "binary.json", "."):
        for command in (["solve"], ["export", "--format", "lp"]):
            code, _, err = run(*command, tmp_path / name)
            assert code == 2, name
            assert str(tmp_path) in one_line(err)


def test_instance_with_a_bad_field_is_named(run, instance):
    data = json.loads(instance.read_text())
    instance.write_text(json.dumps(data | {"k": 9}))
    code, _, err = run("solve", instance)
    assert code == 2
    assert f"{instance}: k=9: must be an integer from 1 to 6" in one_line(err)


def test_backend_that_is_not_installed(run, instance, monkeypatch):
    monkeypatch.setattr(type(registry()["brute-force"]), "missing", lambda self: "install bruteforce")
    code, _, err = run("solve", instance, "--backend", "brute-force")
    assert code == 2
    assert "backend='brute-force': install bruteforce" in one_line(err)
    _, out, _ = run("backends")
    assert "not available: install bruteforce" in " ".join(out.split())


def test_backend_that_does_not_take_the_problem(run, instance):
    code, _, err = run("solve", instance, "--backend", "greedy-replacement", "--formulation", "tight-big-m")
    assert code == 2
    one_line(err)


def test_solve_formats(run, instance):
    code, out, err = run("solve", instance)
    assert (code, err) == (0, "")
    assert "OPTIMAL  Proved for each set" in out
    _, out, _ = run("solve", instance, "--search", "simultaneous")
    assert "48, the sum of the univariate qualities" in out
    _, out, _ = run("solve", instance, "--format", "json", "--backend", "brute-force")
    data = json.loads(out)
    assert [entry["indices"] for entry in data["feature_sets"]] == [[0, 1], [0, 2], [1, 2]]
    assert data["backend"] == "brute-force"


def test_instance_from_stdin(run, instance, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(instance.read_bytes())))
    code, out, _ = run("solve", "-", "--format", "csv")
    assert code == 0
    assert "0,17.0,1.0,1,17.0,0.0,OPTIMAL,a,b" in out


def test_exit_code_without_any_set(run, instance):
    data = json.loads(instance.read_text())
    instance.write_text(json.dumps(data | {"k": 4}))
    code, out, _ = run("solve", instance, "--backend", "greedy-balancing")
    assert code == ExitCode.NOT_SOLVED
    assert "NOT_SOLVED" in out


@pytest.fixture
def fake_backend(monkeypatch):
    def replace(solve_method):
        backend = type(registry()["brute-force"])
        monkeypatch.setattr(backend, "isolated", False)
        monkeypatch.setattr(backend, "solve", solve_method)

    return replace


def test_crashed_backend_leaves_the_greedy_sets(run, instance, fake_backend):
    def crash(self, problem, control):
        raise RuntimeError("out of luck")

    fake_backend(crash)
    code, out, _ = run("solve", instance, "--backend", "brute-force")
    assert code == ExitCode.FAULT
    assert "Not proved for sets 0, 1, 2: an error of the backend ended the search." in " ".join(out.split())
    assert "out of luck" in " ".join(out.split())


def test_backend_that_lies(run, instance, fake_backend):
    fake_backend(lambda self, problem, control: Answer(Status.INFEASIBLE))
    code, out, err = run("solve", instance, "--backend", "brute-force")
    assert (code, out) == (ExitCode.FAULT, "")
    assert "INFEASIBLE was claimed" in one_line(err)


PAIRS = ["-k", "2", "-a", "1", "--objective", "mrmr", "--measure", "pearson"]


def test_only_the_best_features_are_kept(run, table, tmp_path):
    path = tmp_path / "kept.json"
    code, _, err = run("problem", table, "-t", "diagnosis", *PAIRS, "--keep-best", "4", "-o", path)
    assert code == 0
    assert "the 4 best of 6 features" in err
    kept = Instance.load(path)
    assert kept.n_features == 4
    assert set(kept.feature_names) < set(FEATURES)


def test_the_memory_of_thousands_of_features_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setattr("pyfsel.cli.measuring.MANY_FEATURES", 5)
    arguments = ["problem", "--dataset", "wine", *PAIRS, "-o", tmp_path / "wine.json"]
    assert "--keep-best N" in run(*arguments)[2]
    assert "--keep-best N" not in run(*arguments, "--keep-best", "5")[2]
    assert "--keep-best N" not in run(*arguments, "--objective", "univariate")[2]


def test_export_needs_a_format(run, instance):
    assert "--format: is missing" in one_line(run("export", instance)[2])
    assert "format='xls'" in one_line(run("export", instance, "--format", "xls")[2])
    assert "formulation='best'" in one_line(
        run("export", instance, "--format", "lp", "--formulation", "best")[2]
    )


@pytest.mark.parametrize("file_format", ["lp", "mps"])
def test_decode_what_cbc_found(run, instance, tmp_path, file_format):
    model, solution = tmp_path / f"m.{file_format}", tmp_path / "m.sol"
    run("export", instance, "-o", model)
    subprocess.run(["cbc", model, "solve", "solution", solution], check=True, capture_output=True, timeout=60)
    code, out, _ = run("decode", instance, solution, "--format", "json")
    assert code == 0
    assert json.loads(out)["objective"] == 48
    assert json.loads(out)["status"] == "FEASIBLE"


def test_decode_a_maxsat_model(run, instance, tmp_path):
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    model, answer = tmp_path / "m.wcnf", tmp_path / "answer.txt"
    run("export", instance, "-o", model, "--cardinality", "totalizer")
    assert "cardinality encoding totalizer" in model.read_text()
    with RC2(WCNF(from_file=str(model))) as solver:
        literals = solver.compute()
    answer.write_text("s OPTIMUM FOUND\nv " + " ".join(map(str, literals)) + " 0\n")
    code, out, _ = run("decode", instance, answer, "--format", "json")
    assert code == 0
    assert json.loads(out)["objective"] == 48


def test_decode_names_what_is_wrong(run, instance, tmp_path):
    answer = tmp_path / "answer.txt"
    answer.write_text("x_0_0 1\nx_0_1 1\nx_1_0 1\nx_1_1 1\nx_2_4 0.9999999\nx_2_5 1\n")
    code, out, _ = run("decode", instance, answer)
    assert code == ExitCode.VIOLATIONS
    assert out == "sets 0 and 1 share 2 features [0, 1], at most 1 is allowed\n"
    for text in ("nothing here", "x_0_0 0.5", "x_7_0 1"):
        answer.write_text(text)
        code, _, err = run("decode", instance, answer)
        assert code == 2
        assert one_line(err).startswith(f"pyfsel: error: {answer}: ")


def test_backends_command(run):
    code, out, _ = run("backends", "--format", "json")
    listed = json.loads(out)
    assert code == 0
    assert [entry["name"] for entry in listed] == list(backends()["name"])
    assert set(listed[0]) >= {"name", "available", "reason", "version"}
    _, out, _ = run("backends")
    assert all(name in out for name in registry())


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", "import sys; from pyfsel.cli.app import main; sys.exit(main())", *arguments],
        text=True, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def test_closed_pipe_is_silent(instance):
    read, write = os.pipe()
    os.close(read)
    process = start("solve", str(instance), stdout=write)
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (ExitCode.CLOSED_PIPE, "")


def on_terminal(*arguments, **environment):
    """Run a command whose stderr is a terminal; return its output and what was shown."""
    controller, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pyfsel", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=terminal, text=True, env=os.environ | {"TERM": "xterm"} | environment,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    while chunk := _read(controller):
        shown += chunk
    os.close(controller)
    out, _ = process.communicate(timeout=60)
    return out, shown.decode()


def _read(controller):
    try:
        return os.read(controller, 4096)
    except OSError:
        return b""


def test_progress_only_on_a_terminal(instance):
    out, shown = on_terminal("solve", instance)
    assert "OPTIMAL" in out
    assert "solving" in shown


def changed(data, path, change):
    *inner, last = path
    place = data
    for step in inner:
        place = place[step]
    place[last] = change
    return data


@pytest.mark.parametrize(
    ("path", "change", "named"),
    [
        (["feature_sets", 1, "indices"], [0, 1], "sets 0 and 1 share 2 features [0, 1]"),
        (["feature_sets", 1, "indices"], [0, 9], "set 1 holds [9]"),
        (["feature_sets", 1, "indices"], [0, 0], "set 1 holds a feature twice"),
        (["feature_sets", 1, "indices"], [0], "set 1 has 1 feature, must have 2"),
        (["feature_sets", 1, "features"], ["a", "d"], "set 1 names the features ['a', 'd']"),
        (["feature_sets", 1, "quality"], 16.5, "quality of set 1 is stated as 16.5, recomputed it is 16"),
        (["feature_sets", 1, "quality"], "16", "quality of set 1"),
        (["objective"], 49, "objective is stated as 49, recomputed it is 48"),
        (["integer_objective"], 49, "integer_objective is stated as 49"),
        (["integer_bound"], 47, "bound 47 is below the objective 48"),
        (["integer_bound"], 50, "OPTIMAL was claimed with bound 50"),
        (["integer_bound"], "much", "integer_bound 'much'"),
        (["bound"], 50.0, "a bound or gap of all sets is stated"),
        (["gap"], 0.5, "a bound or gap of all sets is stated"),
        (["status"], "INFEASIBLE", "INFEASIBLE was claimed together with sets"),
        (["status"], "PERFECT", "status 'PERFECT'"),
        (["feature_sets"], [], "OPTIMAL was claimed without sets"),
    ],
)
def test_verify_names_each_violation(run, instance, tmp_path, path, change, named):
    solution = tmp_path / "s.json"
    assert run("solve", instance, "--backend", "brute-force", "-o", solution)[0] == 0
    assert run("verify", instance, solution)[0] == 0
    solution.write_text(json.dumps(changed(json.loads(solution.read_text()), path, change)))
    code, out, err = run("verify", instance, solution)
    assert (code, err) == (ExitCode.VIOLATIONS, "")
    assert named in out
    code, out, _ = run("verify", instance, solution, "--format", "json")
    assert code == ExitCode.VIOLATIONS
    assert json.loads(out)["valid"] is False


def test_verify_takes_bare_sets(run, instance, tmp_path):
    solution = tmp_path / "s.json"
    for sets, expected in (
        ([[0, 1], [0, 2], [1, 2]], 0),
        ([["a", "b"], ["a", "c"], ["b", "c"]], 0),
        ([["a", "b"], ["a", "b"], ["b", "c"]], 1),
        ([["a", "b"], ["a", "z"], ["b", "c"]], 1),
        ([[0, 1]], 1),
        ({"objective": 47, "feature_sets": [[0, 1], [0, 2], [1, 2]]}, 1),
        ({"bound": 47.5, "feature_sets": [[0, 1], [0, 2], [1, 2]]}, 1),
        ({"bound": 48, "feature_sets": [[0, 1], [0, 2], [1, 2]]}, 0),
        ({"feature_sets": [{"features": ["a", "b"]}, {"indices": [0, 2]}, [1, 2]]}, 0),
    ):
        solution.write_text(json.dumps(sets))
        assert run("verify", instance, solution)[0] == expected
    for text in ("3", "{}", '["ab"]', "no JSON", '{"feature_sets": [3]}'):
        solution.write_text(text)
        code, _, err = run("verify", instance, solution)
        assert code == 2
        one_line(err)


def test_verify_checks_the_steps(run, instance, tmp_path):
    solution = tmp_path / "s.json"
    run("solve", instance, "--search", "sequential", "-o", solution)
    assert run("verify", instance, solution)[0] == 0
    data = changed(json.loads(solution.read_text()), ["steps", 1, "indices"], [4, 5])
    solution.write_text(json.dumps(data))
    code, out, _ = run("verify", instance, solution)
    assert code == ExitCode.VIOLATIONS
    assert "the steps found" in out


def test_verified_result_of_a_short_sequence(run, tmp_path):
    problem = make_instance([9, 8, 7, 3, 2, 1], k=3, n_alternatives=2, max_overlap=0)
    problem.save(tmp_path / "i.json")
    solve(problem, "brute-force", "sequential").save(tmp_path / "s.json")
    code, out, _ = run("verify", tmp_path / "i.json", tmp_path / "s.json")
    assert code == 0
    assert "1 of the 3 sets asked for are missing (sequential search)" in out
