"""The command line as a user meets it."""

import csv
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
from pyfsel.backends.export import FORMATS
from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import MEANINGS, ExitCode
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.answer import Answer
from pyfsel.results.result import Result
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


def test_select_prints_a_table(run, table):
    code, out, err = run("select", table, "--target", "diagnosis", *FAST)
    assert (code, err) == (0, "")
    labels = pd.read_csv(table)["diagnosis"].value_counts()
    classes = f"healthy: {labels['healthy']}, ill: {labels['ill']}"
    told = " ".join(out.split("\n\n")[0].split())
    assert told == f"table.csv: 60 rows, 6 features, classification ({classes}); qualities: pearson"
    assert "age, blood pressure" in out
    assert "OPTIMAL  Proved for each set: no set" in out
    assert "at most 1 (dice" in out
    assert "≥ 0.5)" in out
    assert "auto chose" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_select_prints_the_documented_json(run, table):
    code, out, _ = run("select", table, "-t", "diagnosis", *FAST, "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert set(FIELDS) <= set(data)
    assert data["status"] == "OPTIMAL"
    assert (data["scope"], data["gap"], data["bound"]) == ("each", None, None)
    assert [entry["gap"] for entry in data["feature_sets"]] == [0, 0, 0]
    assert len(data["feature_sets"]) == 3
    for entry in data["feature_sets"]:
        proof = {"bound", "gap"}
        assert set(entry) == {"features", "indices", "quality", "raw_quality", "not_above_chance", *proof}
        assert set(entry["not_above_chance"]) <= set(entry["features"])
        assert entry["features"] == [FEATURES[j] for j in entry["indices"]]
    assert sum(entry["quality"] for entry in data["feature_sets"]) == pytest.approx(data["objective"])
    assert Result.from_dict(data).search == "sequential"


def test_select_prints_csv(run, table):
    code, out, _ = run("select", table, "-t", "diagnosis", *FAST, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["set"] for row in rows] == ["0", "1", "2"]
    assert {row["feature_1"] for row in rows} | {row["feature_2"] for row in rows} <= set(FEATURES)
    assert float(rows[0]["relative_quality"]) == 1


@pytest.mark.parametrize("name", ["table.csv.gz", "table.tsv", "table.parquet"])
def test_other_files_give_the_same_sets(run, frame, table, tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    arguments = ["-t", "diagnosis", *FAST, "--format", "csv"]
    assert run("select", path, *arguments) == run("select", table, *arguments)


def test_select_options_reach_the_solver(run, table):
    arguments = ["--search", "simultaneous", "--aggregate", "min", "--backend", "brute-force"]
    question = ["-k", "2", "-a", "1", "--max-overlap", "0", "--measure", "pearson", "--objective", "mrmr"]
    _, out, _ = run("select", table, "-t", "diagnosis", *question, *arguments, "--format", "json")
    data = json.loads(out)
    assert (data["search"], data["backend"]) == ("simultaneous", "brute-force")
    asked = Instance.from_dict(data["problem"])
    assert (asked.aggregate, asked.objective, asked.max_overlap) == ("min", "mrmr", 0)
    assert (asked.set_size, asked.n_sets) == (2, 2)


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
        assert json.loads(out)["max_overlap"] == overlap
    _, out, _ = run("problem", table, "-t", "diagnosis", "-k", 5, "--measure", "pearson")
    assert json.loads(out)["max_overlap"] == 2


def test_bundled_data_and_seed(run):
    arguments = ["--dataset", "iris", "-k", "1", "-a", "1", "--tau", "1", "--format", "csv"]
    first = run("select", *arguments, "--seed", 3)
    assert first == run("select", *arguments, "--seed", 3)
    assert first[0] == 0
    assert "petal" in first[1]


def test_output_file_decides_the_format(run, table, tmp_path):
    for name, begin in (("sets.json", "{"), ("sets.csv", "set,"), ("sets.txt", "")):
        path = tmp_path / name
        code, out, err = run("select", table, "-t", "diagnosis", *FAST, "-o", path)
        assert (code, out) == (0, "")
        assert err == f"pyfsel: note: OPTIMAL, 3 sets; wrote {path}\n"
        assert path.read_text().startswith(begin)
    assert "OPTIMAL  Proved for each set: no set" in (tmp_path / "sets.txt").read_text()
    assert "\x1b" not in (tmp_path / "sets.txt").read_text()


def test_warnings_become_notes(run, frame, tmp_path):
    frame["always 3"] = 3
    frame.to_csv(tmp_path / "t.csv", index=False)
    _, _, err = run("select", tmp_path / "t.csv", "-t", "diagnosis", *FAST)
    assert err == "pyfsel: note: t.csv: column 'always 3' is constant and gets quality 0\n"
    assert run("select", tmp_path / "t.csv", "-t", "diagnosis", *FAST, "--quiet")[2] == ""


def test_missing_values_can_be_dropped(run, frame, tmp_path):
    frame.loc[3, "iron"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = run("select", tmp_path / "t.csv", "-t", "diagnosis", *FAST, "--missing", "drop")
    assert code == 0
    assert "59 rows" in out
    assert "1 row dropped" in out


def spoiled(frame, how):
    if how == "missing values":
        frame.loc[3, "iron"] = np.nan
    elif how == "infinite":
        frame.loc[3, "iron"] = np.inf
    elif how == "one class":
        frame["diagnosis"] = "ill"
    elif how == "empty table":
        frame = frame.iloc[:0]
    elif how == "duplicate names":
        frame = frame.rename(columns={"iron": "pulse"})
    return frame


@pytest.mark.parametrize(
    ("how", "named"),
    [
        (
            "missing values",
            "column 'iron' holds missing (NaN) values; allowed with --missing drop, --missing",
        ),
        ("infinite", "'iron' holds infinite"),
        ("duplicate names", "pulse"),
        ("one class", "--target: has one class only ('ill')"),
        ("empty table", "0 rows"),
    ],
)
def test_bad_tables(run, frame, tmp_path, how, named):
    path = tmp_path / "bad.csv"
    spoiled(frame, how).to_csv(path, index=False)
    code, out, err = run("select", path, "--target", "diagnosis", *FAST)
    assert (code, out) == (2, "")
    assert named in one_line(err)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--target", "diagnose"], "did you mean 'diagnosis'"),
        ([], "--target: is missing"),
        (["--target", "diagnosis", "-k", "7"], "-k=7: must be an integer from 1 to 6"),
        (["--target", "diagnosis", "-k", "0"], "-k=0: must be an integer from 1 to 6"),
        (["--target", "diagnosis", "-k", "two"], "-k='two': must be an integer"),
        (["--target", "diagnosis", "-a", "-1"], "-a=-1: must be an integer of at least 0"),
        (["--target", "diagnosis", "--tau", "1.5"], "--tau=1.5: must be a number from 0 to 1"),
        (["--target", "diagnosis", "--tau", "-0.1"], "--tau=-0.1"),
        (["--target", "diagnosis", "--tau", "nan"], "--tau=nan"),
        (
            ["--target", "diagnosis", "--tau", "0.5", "--max-overlap", "1"],
            "--tau=0.5 and --max-overlap=1: give exactly one",
        ),
        (["--target", "diagnosis", "--measure", "luck"], "--measure='luck': must be one of"),
        (["--target", "diagnosis", "--objective", "luck"], "--objective='luck': must be one of"),
        (["--target", "diagnosis", "--aggregate", "max"], "--aggregate='max': must be one of"),
        (["--target", "diagnosis", "--search", "deep"], "--search='deep': must be one of"),
        (["--target", "diagnosis", "--task", "chess"], "--task='chess': must be one of"),
        (["--target", "diagnosis", "--missing", "guess"], "--missing='guess': must be one of"),
        (["--target", "diagnosis", "--dissimilarity", "cosine"], "--dissimilarity='cosine'"),
        (["--target", "diagnosis", "--backend", "oracle"], "--backend='oracle': must be auto or one of"),
        (["--target", "diagnosis", "--formulation", "best"], "--formulation='best'"),
        (
            ["--target", "diagnosis", "--time-limit", "-1"],
            "--time-limit=-1.0: must be a positive number of seconds",
        ),
        (["--target", "diagnosis", "--seed", "-1"], "--seed='-1': must be at least 0"),
        (["--target", "diagnosis", "--jobs", "0"], "--jobs=0: must be a positive number"),
        (
            ["--target", "diagnosis", "--format", "yaml"],
            "--format='yaml': must be one of 'table', 'json', 'csv'",
        ),
        (
            ["--target", "diagnosis", "-o", "no/such/folder/x"],
            "--output='no/such/folder/x': cannot be written",
        ),
        (
            ["--target", "diagnosis", "-o", "sets.xml"],
            "--output='sets.xml': must end in .json, .csv, .txt, or --format must be given",
        ),
        (["--target", "diagnosis", "--dataset", "iris"], "either a file or --dataset"),
        (["--target", "diagnosis", "--tau", "half"], "--tau='half': must be a number"),
        (["--target", "diagnosis", "--backend", "gecode"], "did you mean minizinc:gecode?"),
        (
            ["--target", "diagnosis", "--forced", "iron", "--forbidden", "iron"],
            "--forbidden: 'iron' is forced",
        ),
        (["--target", "diagnosis", "--group", "zinc_*:at-most=1"], "--group: no feature matches 'zinc_*'"),
        (["--target", "diagnosis", "--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_arguments(run, table, arguments, named):
    code, out, err = run("select", table, "-k", "2", "--measure", "pearson", *arguments)
    assert (code, out) == (2, "")
    assert named in one_line(err)


@pytest.mark.parametrize("command", ["select", "sweep", "evaluate"])
def test_unknown_backend_is_refused_before_anything_is_measured(run, table, monkeypatch, command):
    def unwanted(*_, **__):
        raise AssertionError("measured")

    monkeypatch.setattr("pyfsel.measures.from_table.pair_measures", unwanted)
    code, out, err = run(command, table, "--target", "diagnosis", "-k", "2", "--backend", "oracle")
    assert (code, out) == (2, "")
    assert "backend='oracle': must be auto or one of" in one_line(err)


def test_unreadable_files(run, tmp_path):
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "text.json").write_text("no JSON")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "fake.parquet").write_text("no Parquet")
    for name in ("absent.csv", "binary.csv", "fake.parquet", "text.json", "."):
        code, _, err = run("select", tmp_path / name, "--target", "y")
        assert code == 2, name
        assert str(tmp_path) in one_line(err)
    for name in ("absent.json", "text.json", "list.json", "binary.json", "."):
        for command in (["solve"], ["export", "--format", "lp"]):
            code, _, err = run(*command, tmp_path / name)
            assert code == 2, name
            assert str(tmp_path) in one_line(err)


def test_instance_with_a_bad_field_is_named(run, instance):
    data = json.loads(instance.read_text())
    instance.write_text(json.dumps(data | {"set_size": 9}))
    code, _, err = run("solve", instance)
    assert code == 2
    assert f"{instance}: set_size=9: must be an integer from 1 to 6" in one_line(err)


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


def test_exit_code_of_the_infeasible(run, instance, table):
    data = json.loads(instance.read_text())
    instance.write_text(json.dumps(data | {"set_size": 4}))
    code, out, _ = run("solve", instance, "--search", "simultaneous", "--format", "json")
    assert code == ExitCode.INFEASIBLE
    assert json.loads(out)["feature_sets"] == []
    code, out, err = run("select", table, "-t", "diagnosis", "-k", 4, "-a", 1, "--tau", 1,
                         "--search", "simultaneous", "--measure", "pearson")  # fmt: skip
    assert code == ExitCode.INFEASIBLE
    assert "INFEASIBLE  Proved: 2 such sets do not exist." in out
    assert "can be" in err


def test_exit_code_without_any_set(run, instance):
    data = json.loads(instance.read_text())
    instance.write_text(json.dumps(data | {"set_size": 4}))
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


def test_select_export_solve_verify(run, table, tmp_path):
    instance, sets = tmp_path / "i.json", tmp_path / "s.json"
    assert run("problem", table, "-t", "diagnosis", *FAST, "-o", instance, "-q") == (0, "", "")
    for file_format in {*FORMATS} - {"qubo", "bqm", "cqm"}:  # of one set
        code, out, _ = run("export", instance, "--format", file_format)
        assert code == 0
        path = tmp_path / f"exported.{file_format}"
        assert run("export", instance, "-o", path) == (0, "", f"pyfsel: note: wrote {path}\n")
        # MiniZinc does not always number what it introduces in the same order
        assert path.read_text() == out or file_format == "fzn"
    assert run("solve", tmp_path / "exported.json", "-o", sets, "-q") == (0, "", "")
    code, out, _ = run("verify", instance, sets)
    assert code == 0
    assert out.startswith("valid: 3 sets of 2 features, objective ")
    run("select", table, "-t", "diagnosis", *FAST, "-o", sets)
    assert run("verify", instance, sets)[0] == 0
    sets = sets.with_suffix(".csv")
    run("select", table, "-t", "diagnosis", *FAST, "-o", sets)
    assert run("verify", instance, sets) == (0, out, "")
    first = sets.read_text().splitlines()[1].split(",")
    assert float(first[1]) > 0
    sets.write_text(sets.read_text().replace(first[1], f"9{first[1]}"))
    code, out, _ = run("verify", instance, sets)
    assert (code, out.startswith("quality of set 0 is stated as 9")) == (ExitCode.VIOLATIONS, True)
    sets.write_text("set,features\n0,a\n")
    assert "s.csv: solution: has no column feature_1" in one_line(run("verify", instance, sets)[2])


PAIRS = ["-k", "2", "-a", "1", "--objective", "mrmr", "--measure", "pearson"]


def test_redundancies_of_another_measure(run, table):
    code, out, _ = run("select", table, "-t", "diagnosis", *PAIRS, "--redundancy-measure", "spearman")
    assert code == 0
    assert "qualities: pearson; redundancies: spearman" in " ".join(out.split())
    _, err = run("select", table, "-t", "diagnosis", *FAST, "--redundancy-measure", "spearman")[1:]
    assert "no redundancies" in one_line(err)


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


def test_help_and_version(run):
    code, out, _ = run("--help")
    assert code == 0
    for exit_code in MEANINGS:
        assert f" {exit_code.value}  " in out
    for command in ("select", "subset", "problem", "solve", "verify", "export", "decode", "backends"):
        assert f" {command} " in out
        code, text, _ = run(command, "--help")
        assert code == 0
        assert "[default: ]" not in text
        assert "[default: ()]" not in text
    assert run("--version")[1].startswith("pyfsel ")
    assert run()[0] == 2


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


def test_help_loads_nothing_heavy():
    heavy = ("pandas", "sklearn", "ortools", "pysat", "minizinc", "scipy", "networkx", "pyarrow")
    code = (
        "import sys; from pyfsel.cli.app import main; main(['select', '--help']); "
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr == "[]\n"


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


def test_verify_against_another_instance(run, instance, table, tmp_path):
    solution = tmp_path / "s.json"
    run("select", table, "-t", "diagnosis", *FAST, "-o", solution)
    assert run("verify", instance, solution)[0] == ExitCode.VIOLATIONS


def test_verified_result_of_a_short_sequence(run, tmp_path):
    problem = make_instance([9, 8, 7, 3, 2, 1], k=3, n_alternatives=2, max_overlap=0)
    problem.save(tmp_path / "i.json")
    solve(problem, "brute-force", "sequential").save(tmp_path / "s.json")
    code, out, _ = run("verify", tmp_path / "i.json", tmp_path / "s.json")
    assert code == 0
    assert "1 of the 3 sets asked for are missing (sequential search)" in out
