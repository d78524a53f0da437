"""Tables as users have them, on the command line."""

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

    assert "'id_card' holds missing" in run()[2]
    code, out, err = run("--ignore", "id_*", "--ignore", "iron")
    assert (code, err) == (0, "")
    chosen = {name for entry in json.loads(out)["feature_sets"] for name in entry["features"]}
    assert chosen == {"age", "pulse", "zinc"}
    assert "--ignore: 'irn' is not a feature; did you mean 'iron'?" in run("--ignore", "irn")[2]
    assert "--ignore: leaves no column" in run("--ignore", "*")[2]
