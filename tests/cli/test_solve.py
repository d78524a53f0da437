"""`pyfsel solve`, `check`, `export`, `solvers`, `models` and the program: instance files, exit codes."""

import json
import os
import subprocess
import sys
from contextlib import suppress

import pytest
from running import python
from running_commands import same_as_stored

from pyfsel import solvers
from pyfsel.backends import registry
from pyfsel.cli.app import MODULES
from pyfsel.cli.exit_codes import MEANINGS, ExitCode
from pyfsel.interface.export import EXTENSIONS
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.backend_answer import BackendAnswer, Status

PROBLEM = make_instance(
    [9, 8, 7, 3, 2, 1], k=2, n_sets=3, dissimilarity="shared:1", feature_names=list("abcdef")
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    PROBLEM.save(tmp_path / "i.json")
    PROBLEM.replace(k=4).save(tmp_path / "tight.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_models_are_copied_once(run, folder):
    run("export --models mine", 0)
    assert (folder / "mine" / "README.md").exists()
    assert "--models mine: cannot be written" in run("export --models mine")[2]


def test_json_of_solve_is_that_stored(run):
    for search in ("sequential", "min"):
        solved = run(f"solve i.json --search {search} --solver brute-force --format json", 0)
        same_as_stored(f"solve_{search}.json", solved.out)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("solve i.json", 0, "OPTIMAL Proved for each set"),
        ("solve i.json --search sum", 0, "OPTIMAL Proved"),
        ("solve i.json --search min_then_sum", 0, "OPTIMAL"),
        ("solve i.json --search sum --details --certificate c.pbp", 0, "Details"),
        ("solve i.json --solver greedy-balancing --search sum --require-proof", 4, "FEASIBLE Not proved"),
        ("solve tight.json --search sum", 3, "INFEASIBLE Proved"),
        ("solve tight.json --solver greedy-balancing --search sum", 4, "NOT_SOLVED"),
        ("solve i.json --certificate c.cert -q", 0, "OPTIMAL"),
        ("solve i.json --solver cpsat --search sum --memory-limit 1", 0, "memory"),
    ],
)
def test_solve(run, line, code, said):
    found = run(line, code)
    assert found.err == ""
    assert said in found.words


def test_answers_certificates_and_outputs_are_recognised(run, folder):
    assert run("solve i.json --certificate c.cert -o s.csv") == (0, "", "")
    for name, said in (
        ("c.cert", "Certified: 3 of 3 claims about i.json"),
        ("s.csv", "Nothing is wrong: 3 sets of s.csv (sets)"),
    ):
        assert said in run(f"check i.json {name}", 0).out
    cert = (folder / "c.cert").read_text()
    (folder / "c.cert").write_text(cert.replace('"value":17', '"value":16'))
    run("check i.json c.cert", ExitCode.VIOLATIONS)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ([["a", "b"], ["a", "b"], ["b", "c"]], "sets 0 and 1 share 2 features (a, b)"),
        ([["a", "b"], ["a", "z"], ["b", "c"]], "set 1 holds"),
        ([[0, 1]], "1 set"),
        *(
            ([{"indices": [0, 1], "quality": false}, ["a", "c"], ["b", "c"]], "sets[0].quality is stated as")
            for false in (47.5, True, "48", -(2**1030))
        ),
    ],
)
def test_what_is_wrong_is_said(run, folder, sets, said):
    (folder / "s.json").write_text(json.dumps(sets))
    code, out, err = run("check i.json s.json")
    assert (code, err) == (ExitCode.VIOLATIONS, "")
    assert out.startswith("Wrong: ")
    assert said in out


def test_no_set_of_an_answer_can_be_left_out_unnoticed(run, folder):
    run("solve i.json --search sum -o s.json")
    data = json.loads((folder / "s.json").read_text())
    data["sets"].pop()
    (folder / "s.json").write_text(json.dumps(data))
    run("check i.json s.json", ExitCode.VIOLATIONS)


@pytest.mark.parametrize("extension", [one for one in EXTENSIONS if one != ".qubo"])
def test_instances_are_converted(run, folder, extension):
    assert run(f"export i.json out{extension}") == (0, "", "")
    assert (folder / f"out{extension}").stat().st_size > 50
    if extension in (".json", ".dzn"):
        assert run(f"solve out{extension} --format csv")[1] == run("solve i.json --format csv")[1]


def test_solvers_and_models_are_listed(run):
    listed = run("solvers --all --format json", 0).data
    assert [entry["name"] for entry in listed] == list(solvers().index)
    text = run("solvers --all")[1]
    assert all(name in text for name in registry())
    suiting = [entry["name"] for entry in run("solvers i.json --format json").data]
    assert "enumeration" in suiting
    assert "asdp" not in suiting
    tried = run("solvers --try brute-force --format json").data
    assert [(entry["name"], entry["works"]) for entry in tried] == [("brute-force", True)]
    assert "simultaneous_sum" in run("models")[1]


@pytest.fixture
def fake(monkeypatch):
    def replace(solve_method):
        backend = type(registry()["brute-force"])
        monkeypatch.setattr(backend, "isolated", False)
        monkeypatch.setattr(backend, "solve", solve_method)

    return replace


def test_crashes_and_lies_are_faults(run, fake):
    def crash(self, problem, control):
        raise RuntimeError("out of luck")

    fake(crash)
    assert "Not proved" in run("solve i.json --solver brute-force", ExitCode.FAULT).out
    fake(lambda self, problem, control: BackendAnswer(Status.INFEASIBLE))
    code, out, err = run("solve i.json --solver brute-force")
    assert (code, out) == (ExitCode.FAULT, "")
    assert "INFEASIBLE was claimed" in err


def test_the_program_lists_its_commands(run):
    out = run("--help", 0).out
    for exit_code in MEANINGS:
        assert f"  {exit_code.value} " in out
    for name in MODULES:
        assert f"\n  {name} " in out
        run(f"{name} --help", 0)
    assert run("--version")[1].startswith("pyfsel ")
    run([], 2)


def test_a_closed_pipe_is_silent():
    read, write = os.pipe()
    os.close(read)
    streams = {"capture_output": False, "stdout": write, "stderr": subprocess.PIPE}
    done = python("-m", "pyfsel", "solve", "i.json", **streams)
    os.close(write)
    assert (done.returncode, done.stderr) == (ExitCode.CLOSED_PIPE, "")


def test_progress_is_only_on_a_terminal():
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "pyfsel", "solve", "i.json", "--search", "sum", "--solver", "cpsat"]
    done = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=terminal, env=os.environ | {"TERM": "xterm"}
    )
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # nobody writes any more; a terminal that is not read stops who writes to it
        while part := os.read(controller, 4096):
            shown += part
    os.close(controller)
    assert b"OPTIMAL" in done.communicate()[0]
    assert b"solving" in shown


def test_an_instance_from_the_standard_input():
    done = python("-m", "pyfsel", "solve", "-", "--format", "csv", input=Instance.load("i.json").to_json())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].endswith("OPTIMAL,a,b")
