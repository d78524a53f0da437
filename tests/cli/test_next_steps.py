"""The next step that a command names is about the same sets: it repeats all options that say which."""

import shlex

import numpy as np
import pandas as pd
import pytest

from pyfsel.cli.app import commands_of, main
from pyfsel.cli.parse import parsed

OF_TABLE = {
    "order": ["--order", "answer=never<rarely<often"],
    "codes": ["--missing-codes", "income=-9", "--missing", "impute"],
    "groups": ["--row-groups", "patient"],
    "rules": ["--forced", "income", "--chance", "off", "--random-state", "3"],
    "costs": ["--costs", "costs.csv", "--budget", "5"],
    "previous": ["--previous", "previous.json", "-d", "shared:1"],
}
COMMANDS = {
    "select": ["-k", "2", "-n", "1", "--details"],
    "evaluate": ["-k", "2", "-n", "1", "--cv", "2", "--repeats", "1", "--model", "linear"],
    "choose_k": ["-k", "1-2", "--cv", "2", "--repeats", "1"],
    "explore atlas": ["-k", "2", "--loss", "10%"],
    "explore sweep": ["-k", "2", "-n", "2,3", "-d", "1"],
}
OTHER = {"choose_k": {"previous"}, "explore sweep": {"previous"}}
"""Combinations that a command refuses, or for which the options above give a grid in place of one rule."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng, n = tmp_path_factory.mktemp("next"), np.random.default_rng(0), 60
    income = rng.choice([1, 2, 3, -9], n)
    answer = rng.choice(["never", "rarely", "often"], n)
    table = pd.DataFrame({"patient": np.repeat(range(15), 4), "age": rng.integers(1, 9, n), "income": income})
    table = table.assign(answer=answer, x=rng.normal(size=n).round(2))
    table["ill"] = np.where(table.x + (answer == "often") > 0.3, "yes", "no")
    table.to_csv(folder / "table.csv", index=False)
    costs = "feature,cost\n" + "".join(f"{name},1\n" for name in ("patient", "age", "income", "answer", "x"))
    (folder / "costs.csv").write_text(costs)
    (folder / "previous.json").write_text('[["age", "x"]]')
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("options", OF_TABLE)
def test_the_next_step_repeats_what_says_which_sets_are_meant(folder, monkeypatch, capsys, command, options):
    if options in OTHER.get(command, ()):
        pytest.skip("no such combination")
    monkeypatch.chdir(folder)
    given = OF_TABLE[options]
    assert main([*command.split(), "table.csv", "-t", "ill", *COMMANDS[command], *given]) == 0
    shown = capsys.readouterr().out
    (line,) = [line for line in shown.splitlines() if line.startswith("Next ")]
    step = shlex.split(line.removeprefix("Next"))
    assert step[0] == "pyfsel"
    for word in ("table.csv", "ill", *given):
        assert word in step, step
    name = " ".join(step[1:3]) if step[1] == "explore" else step[1]
    assert parsed(commands_of(name)[name], step[1 + len(name.split()) :]).get("target") == "ill"
