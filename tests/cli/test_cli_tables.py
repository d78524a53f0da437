"""Tables as users have them, on the command line."""

import io
import json

import numpy as np
import pandas as pd

from pyfsel.cli.app import main

ASKED = ["-t", "ill", "-k", "2", "-a", "2", "--tau", "0.5", "--measure", "pearson", "--format", "json"]


def test_columns_can_be_ignored(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((40, 4)), columns=["age", "iron", "pulse", "zinc"])
    frame["id_lab"] = [f"p{i}" for i in range(40)]
    frame["id_card"] = np.nan
    frame["ill"] = [0, 1] * 20
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)

    def run(*arguments):
        code = main(["select", str(path), *ASKED, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    assert "'id_card' holds no value at all" in run()[2]
    code, out, err = run("--ignore", "id_*", "--ignore", "iron")
    assert (code, err) == (0, "")
    chosen = {name for entry in json.loads(out)["feature_sets"] for name in entry["features"]}
    assert chosen == {"age", "pulse", "zinc"}
    assert "--ignore: 'irn' is not a feature; did you mean 'iron'?" in run("--ignore", "irn")[2]
    assert "--ignore: leaves no column" in run("--ignore", "*")[2]


def test_a_table_from_stdin(capsys, monkeypatch):
    text = "a,b,c,y\n" + "".join(f"{i},{i * i % 7},{i % 3},{i % 2}\n" for i in range(30))

    def run(target):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main(["select", "-", "-k", "1", "-a", "0", "--measure", "pearson", "-q", "-t", target])
        return code, *capsys.readouterr()

    code, out, _ = run("y")
    assert (code, "OPTIMAL" in out) == (0, True)
    code, _, err = run("z")
    assert code == 2
    assert "--target='z': is not a column of -; its columns are a, b, c, y" in err


def test_the_commands_are_in_groups(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(panel) for panel in ("Your table", "Instances and solvers", "Models", "Benchmarks")]
    assert places == sorted(places)
    assert " Commands " not in shown


def test_the_wrapper_takes_side_constraints(capsys):
    command = [
        "wrapper",
        "--dataset",
        "iris",
        "-k",
        "2",
        "-a",
        "0",
        "--max-iters",
        "5",
        "--format",
        "json",
        "-q",
    ]
    assert main([*command, "--forced", "sepal width (cm)", "--forbidden", "petal*"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["feature_sets"]
    assert found["features"] == ["sepal length (cm)", "sepal width (cm)"]


def test_commands_without_qualities_tell_of_copies_or_merge_them(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 9, 40), "b": rng.integers(0, 9, 40)})
    frame.insert(1, "a too", 2 * frame["a"])
    path = tmp_path / "t.csv"
    frame.assign(y=(frame["a"] > 4) ^ (frame["b"] > 4)).to_csv(path, index=False)
    for command in (
        "consistency",
        "subset --size 2",
        "wrapper -k 2 -a 0",
        "evaluate -k 2 -a 0 --folds 2 --measure pearson",
    ):
        asked = [*command.split(), str(path), "-t", "y"]
        assert main(asked) == 0
        assert "nearly equal columns" in capsys.readouterr().err
        assert main([*asked, "--copies", "merge"]) == 0
        out, err = capsys.readouterr()
        assert ("copies left out: 1 column (" in err) == (asked[0] != "evaluate")
        assert "a too" not in out
        assert main([*asked, "--copies", "ignore"]) == 0
        err = capsys.readouterr().err
        assert "nearly equal" not in err
        assert "copies" not in err


def test_odd_lines_of_a_file_are_named(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc")).assign(ill=[0, 1] * 15)
    path = tmp_path / "t.csv"

    def said(text, *more):
        path.write_text(text)
        code = main(["select", str(path), *ASKED, "-k", "1", "-a", "0", *more])
        return code, capsys.readouterr().err

    lines = frame.to_csv(index=False).splitlines()
    assert said("\n".join([*lines[:5], "1,2,3,1,5,6"])) == (
        2,
        f"pyfsel: error: {path}: line 6 has 6 cells, must have 4 as the first line\n",
    )
    code, err = said("\n".join([*lines, "1,2"]), "--missing", "drop")
    assert (code, "line 32 has fewer cells than the first line" in err) == (0, True)
    code, err = said(frame.to_csv())
    assert (code, "its first column has no name and is taken as row labels" in err) == (0, True)
    groups = frame.assign(patient=[np.nan, *range(29)]).to_csv(index=False)
    for command in ("select", "evaluate"):
        path.write_text(groups)
        assert main([command, str(path), "-t", "ill", "-k", "1", "--groups-of", "patient"]) == 2
        assert "--groups-of='patient': has gaps in 1 row, the first in row 1 of" in capsys.readouterr().err
