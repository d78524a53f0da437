"""Side constraints on the command line: from options to sets, files and errors."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from pyfsel import Group
from pyfsel.cli.app import main
from pyfsel.cli.side_options import group_from_text, read_costs
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.result import Result

FEATURES = ["age", "lab_iron", "weight, kg", "pulse", "lab_sodium", "ratio a:b"]
FAST = ["-k", "2", "-a", "0", "--measure", "pearson"]


@pytest.fixture
def run(capsys):
    def run_command(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def table(tmp_path):
    """Each feature is the target with rows flipped, in each feature more than in those before it."""
    rows = np.arange(80)
    ill = rows % 2
    columns = {name: np.where(rows < 4 * j + 4, 1 - ill, ill) for j, name in enumerate(FEATURES)}
    path = tmp_path / "table.csv"
    pd.DataFrame(columns | {"ill": np.where(ill, "yes", "no")}).to_csv(path, index=False)
    return path


@pytest.fixture
def costs(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text('\ufefffeature,cost\nage,3\n"weight, kg",0.5\nlab_*,1\npulse,2.25\nratio a:b,0\n')
    return path


def found(run, table, *arguments):
    code, out, err = run("select", table, "-t", "ill", *FAST, "--format", "json", *arguments)
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"age", "lab_iron"}),
        (["--forced", "pulse"], {"age", "pulse"}),
        (["--forced", "pulse", "--forced", "ratio a:b"], {"pulse", "ratio a:b"}),
        (["--forbidden", "age"], {"lab_iron", "weight, kg"}),
        (["--forbidden", "lab_*"], {"age", "weight, kg"}),
        (["--group", "age,lab_iron:at-most=1"], {"age", "weight, kg"}),
        (["--group", 'age, "weight, kg" ,pulse:at-least=2', "--forbidden", "age"], {"weight, kg", "pulse"}),
        (["--group", "pulse,ratio a:b:at-least=1"], {"age", "pulse"}),
        (["--group", "ratio a:b:at-least=1,at-most=1"], {"age", "ratio a:b"}),
        (["--group", "lab_*:all-or-nothing", "--forbidden", "age"], {"weight, kg", "pulse"}),
        (["--group", "lab_*:all-or-nothing", "--forced", "lab_iron"], {"lab_iron", "lab_sodium"}),
        (["--min-set-size", "1", "--group", "*:at-most=1"], {"age"}),
    ],
)
def test_options_reach_the_sets(run, table, arguments, expected):
    (first,) = found(run, table, *arguments)["feature_sets"]
    assert set(first["features"]) == expected


def test_costs_are_shown_in_every_format(run, table, costs):
    asked = ["--costs", costs, "--budget", "1.9"]
    result = found(run, table, *asked)
    assert result["feature_sets"][0]["features"] == ["lab_iron", "weight, kg"]
    assert result["feature_sets"][0]["cost"] == 1.5
    again = Result.from_dict(result)
    assert again.costs == [1.5]
    assert again.to_frame()["cost"].tolist() == [1.5]
    assert "<td>1.5</td>" in again._repr_html_()
    _, out, _ = run("select", table, "-t", "ill", *FAST, "--format", "csv", *asked)
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["cost"], row["feature_1"], row["feature_2"]) == ("1.5", "lab_iron", "weight, kg")
    _, out, _ = run("select", table, "-t", "ill", *FAST, *asked)
    head = next(line for line in out.splitlines() if line.startswith("set "))
    assert "cost" in head
    assert "costs at most 1.9" in out


def test_the_table_says_what_each_set_satisfies(run, table):
    asked = ["--forced", "pulse", "--forbidden", "age", "--group", "lab_*:at-most=1", "--min-quality", "0.1"]
    _, out, _ = run("select", table, "-t", "ill", *FAST, *asked)
    words = " ".join(out.split())
    for text in ("holds pulse;", "does not hold age;", "holds at most 1 of lab_iron, lab_sodium;"):
        assert text in words
    assert "has a quality of at least 0.1" in words


def test_sizes_and_the_written_instance(run, table, tmp_path, costs):
    path = tmp_path / "instance.json"
    code, _, err = run(
        *("problem", table, "-t", "ill", "--measure", "pearson", "-k", "3", "-a", "1", "--tau", "0.5"),
        *("--min-set-size", "2", "--costs", costs, "--budget", "6", "--group", "lab_*:at-most=1", "-o", path),
    )
    assert code == 0, err
    problem = Instance.load(path)
    assert (problem.sizes, problem.overlap_factor, problem.size_factor) == (range(2, 4), 4, 1)
    assert problem.costs.tolist() == [300, 100, 50, 225, 100, 0]
    assert (problem.budget, problem.cost_scale) == (600, 100.0)
    assert problem.groups == (Group((1, 4), 0, 1, False),)
    code, out, err = run("solve", path)
    assert code == 0, err
    assert "2 to 3 out of 6" in out
    assert "fewer if they are smaller" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--forced", "puls"], "--forced: 'puls' is not a feature; did you mean 'pulse'?"),
        (["--forbidden", "zzz*"], "no feature matches"),
        (["--group", "age,pulse"], "must be NAME,NAME,…:RULE"),
        (["--group", ":at-most=1"], "must be NAME,NAME,…:RULE"),
        (["--group", "age,pulse:at-most"], "'at-most' is no rule"),
        (["--group", "age,pulse:at-most=-1"], "is no rule"),
        (["--group", "age,puls:at-most=1"], "--group: 'puls' is not a feature"),
        (["--budget", "3"], "--budget=3: needs --costs FILE"),
        (["--min-set-size", "3"], "--min-set-size=3"),
        (["--min-quality", "nan"], "--min-quality='nan'"),
        (["--costs", "nowhere.csv"], "nowhere.csv: cannot be read"),
    ],
)
def test_errors_come_before_the_measure(run, table, monkeypatch, arguments, named):
    def measure(*args, **kwargs):
        raise AssertionError("the measure ran")

    monkeypatch.setattr("pyfsel.measures.from_table.pair_measures", measure)
    for command in ("select", "problem"):
        code, _, err = run(command, table, "-t", "ill", *FAST, *arguments)
        assert code == 2
        assert named in err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("age;3\n", "must begin with the line feature,cost"),
        ("feature,cost\nage,3\nage,4\n", "line 3: 'age' stands more than once"),
        ("feature,cost\nage,much\n", "line 2: 'much' is no number, the cost of 'age'"),
        ("feature,cost\nage\n", "line 2: None is no number"),
    ],
)
def test_errors_of_a_file_of_costs(tmp_path, text, named):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=named):
        read_costs(path)


def test_a_missing_cost_is_named(run, table, tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("feature,cost\nage,3\nlab_*,1\n")
    code, _, err = run("select", table, "-t", "ill", *FAST, "--costs", path, "--budget", "3")
    assert code == 2
    assert "--costs: lack 'weight, kg', 'pulse', 'ratio a:b'" in err


def test_all_rules_of_a_group():
    assert group_from_text("a,b,c: at-least=1, at-most=2 ,all-or-nothing") == Group(
        ("a", "b", "c"), 1, 2, True
    )


def test_evaluate_takes_them(run, table, tmp_path):
    path = tmp_path / "scores.json"
    code, _, err = run(
        *("evaluate", table, "-t", "ill", *FAST, "--folds", "2", "--forced", "pulse", "--min-set-size", "1"),
        *("-o", path),
    )
    assert code == 0, err
    assert "pulse" in json.loads(path.read_text())["sets"][0]["often_selected"]


def test_cheapest_sets(run, table, costs, tmp_path):
    asked = ["--cheapest", "--min-quality", "0.38", "--costs", costs, "--min-set-size", "1"]
    code, out, err = run("select", table, "-t", "ill", *FAST, *asked)
    assert code == 0, err
    assert "has a smaller cost than 1.5." in " ".join(out.split())
    for name in ("r.json", "r.csv"):
        assert run("select", table, "-t", "ill", *FAST, *asked, "-o", tmp_path / name)[0] == 0
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["status"] == "OPTIMAL"
    assert data["cost"] == data["feature_sets"][0]["cost"] == 1.5
    assert data["feature_sets"][0]["features"] == ["lab_iron", "weight, kg"]
    (row,) = csv.DictReader((tmp_path / "r.csv").read_text().splitlines())
    assert (row["cost"], row["status"]) == ("1.5", "OPTIMAL")
    code, _, err = run("select", table, "-t", "ill", *FAST, "--cheapest")
    assert (code, "--cheapest: needs --min-quality" in err) == (2, True)
    code, _, err = run("select", table, "-t", "ill", *FAST, "--min-quality", "90")
    assert (code, "90% is a share of the best quality" in err) == (3, True)
    code, _, err = run(
        "select", table, "-t", "ill", *FAST, "--cheapest", "--min-quality", "1", "--objective", "mrmr"
    )
    assert (code, "univariate and fcbf, not 'mrmr'" in err) == (2, True)


def test_the_impossible_is_explained(run, table, costs):
    code, _, err = run("select", table, "-t", "ill", *FAST, "--costs", costs, "--budget", "0.1")
    assert code == 3
    assert "It is feasible without --budget." in err
    code, _, err = run("sweep", table, "-t", "ill", "-k", "2-3", "-a", "1", "--forced", "pulse", "-q")
    assert code == 0, err
