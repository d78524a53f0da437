"""`pyfsel ask`: questions about tables and instance files."""

import json
import signal
import subprocess
import sys

import pandas as pd
import pytest
from running import wait_for_solver

from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.problem.instance import Instance
from pyfsel.questions.min_then_sum import min_then_sum
from pyfsel.questions.most_dissimilar import most_dissimilar
from pyfsel.questions.most_sets import most_sets
from pyfsel.questions.ties import ties

NAMES = ["height", "width", "weight", "age", "colour", "shape"]
EXAMPLE = Instance(quality=[9, 8, 8, 7, 3, 1], n_sets=3, set_size=2, max_overlap=1, feature_names=NAMES)


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "example.json"
    EXAMPLE.save(path)
    return path


@pytest.fixture
def ask(capsys):
    """Run the command and return its exit code, what it prints, and its errors and notes."""

    def run(*arguments):
        code = main(["ask", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def answered(ask, *arguments):
    code, out, err = ask(*arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_instance_files_are_answered_as_in_python(ask, instance):
    found = answered(ask, "most-dissimilar", instance, "--loss", "0.1")
    expected = most_dissimilar(EXAMPLE, 0.1)
    assert found["largest_dissimilarity"] == found["bound"] == float(expected.largest) == 0.5
    assert found["original"] == [[0, 1]]
    found = answered(ask, "most-sets", instance, "--loss", "0.3")
    assert found["n_sets"] == found["bound"] == most_sets(EXAMPLE, 0.3).n_sets == 7
    assert len(found["result"]["feature_sets"]) == 7
    found = answered(ask, "min-then-sum", instance)
    expected = min_then_sum(EXAMPLE)
    assert (found["minimum"], found["sum"]) == (expected.minimum, expected.total) == (16, 50)
    found = answered(ask, "ties", instance)
    assert found["is_complete"]
    assert [tuple(map(tuple, f["indices"])) for f in found["families"]] == list(ties(EXAMPLE).families)


def test_the_loss_has_a_default_unless_the_instance_has_a_least_quality(ask, instance, tmp_path):
    assert answered(ask, "most-sets", instance)["min_quality"] == 17
    limited = tmp_path / "limited.json"
    EXAMPLE.replace(min_quality=15).save(limited)
    assert answered(ask, "most-sets", limited)["n_sets"] == 6
    assert answered(ask, "most-sets", limited, "--loss", "0")["n_sets"] == 2


def test_tables(ask):
    shared = ("--dataset", "iris", "-k", "2", "--measure", "pearson")
    assert answered(ask, "most-dissimilar", *shared, "--loss", "0.9")["largest_dissimilarity"] == 1
    assert answered(ask, "most-sets", *shared, "--loss", "1", "--max-overlap", "1")["n_sets"] == 6
    both = answered(ask, "min-then-sum", *shared, "-a", "1", "--tau", "1")
    assert both["minimum"] < both["sum"]
    assert answered(ask, "ties", *shared)["n_families"] == 1
    assert answered(ask, "ties", *shared, "--loss", "1")["n_families"] == 6
    forced = answered(ask, "ties", *shared, "--forced", "sepal width (cm)")
    assert "sepal width (cm)" in forced["families"][0]["features"][0]


def test_tables_show_what_is_proved(ask, instance):
    for arguments, words in (
        (
            ("most-dissimilar", instance, "--loss", "0.1"),
            ("Proved: no such set is more dissimilar than 1/2.", "original"),
        ),
        (("most-sets", instance, "--loss", "0.3"), ("Proved: 8 such sets do not exist", "70.6 % of it")),
        (
            ("min-then-sum", instance),
            ("no 3 such sets have a larger minimum than", "these sets have the best sum of all"),
        ),
        (
            ("ties", instance),
            ("Proved: these are all 2 optimal families of 3 sets.", "height, width, weight"),
        ),
        (("ties", instance, "--limit", "1"), ("at least 1 optimal family", "There can be more")),
    ):
        code, out, err = ask(*arguments)
        assert code == 0, err
        assert all(word in " ".join(out.split()) for word in words), out


def test_ties_as_csv(ask, instance, tmp_path):
    path = tmp_path / "ties.csv"
    assert ask("ties", instance, "-o", path)[0] == 0
    frame = pd.read_csv(path)
    assert list(frame.columns) == ["solution", "set", "features"]
    assert len(frame) == 6
    code, out, _ = ask("most-sets", instance, "--loss", "0.3", "--format", "csv")
    assert code == 0
    assert len(out.splitlines()) == 8


def test_options_of_tables_do_not_go_with_instance_files(ask, instance):
    code, _, err = ask("most-sets", instance, "-k", "3", "--tau", "0.5")
    assert code == ExitCode.BAD_INPUT
    assert "--set-size, --tau: the instance file" in err
    code, _, err = ask("most-sets", instance, "--backend", "sorting")
    assert code == ExitCode.BAD_INPUT
    assert "sorting" in err


def test_exit_codes(ask, tmp_path):
    path = tmp_path / "demanding.json"
    EXAMPLE.replace(min_quality=18).save(path)
    for question in ("most-dissimilar", "most-sets", "min-then-sum", "ties"):
        code, out, _ = ask(question, path)
        assert code == ExitCode.INFEASIBLE
        assert "INFEASIBLE  Proved: no such set" in out


def test_help_names_the_questions(ask):
    code, out, _ = ask("--help")
    assert code == 0
    for question in ("most-dissimilar", "most-sets", "min-then-sum", "ties"):
        assert question in out
        code, text, _ = ask(question, "--help")
        assert code == 0
        assert "[default: ]" not in text
        assert "INSTANCE.json" in text


@pytest.mark.parametrize("question", ["most-sets", "most-dissimilar", "min-then-sum", "ties"])
def test_an_interrupted_question_is_answered(ask, instance, monkeypatch, question):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyfsel.questions.asking.solve", interrupt)
    code, out, _ = ask(question, instance, "--format", "json")
    assert (code, json.loads(out)["stop_reason"]) == (ExitCode.INTERRUPTED, "interrupted")


@pytest.mark.slow
def test_ctrl_c_ends_a_question(tmp_path):
    path = tmp_path / "long.json"
    quality = [1000 + (7919 * j) % 997 for j in range(60)]
    Instance(quality=quality, n_sets=8, set_size=10, max_overlap=3, min_quality=12000).save(path)
    command = [sys.executable, "-m", "pyfsel", "ask", "ties", str(path), "--time-limit", "300"]
    process = subprocess.Popen(
        [*command, "--format", "json"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for_solver(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == ExitCode.INTERRUPTED
    assert json.loads(out)["stop_reason"] == "interrupted"
