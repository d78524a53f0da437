"""The next step that a command names is about the same sets: it repeats all options that say which."""

import shlex

import pytest
from running_commands import write_files

from pyfsel.cli.app import commands_of, commands_with
from pyfsel.cli.parse import Given, take

OPTIONS = {
    "missing": "--missing impute --near-duplicates note",
    "rules": "--forced pulse --chance off --random-state 3",
    "costs": "--costs costs.csv --budget 9",
    "previous": "--previous previous.json -d shared:1",
}
COMMANDS = {
    "select": "-k 2 -n 1 --details",
    "evaluate": "-k 2 -n 1 --cv 2 --repeats 1 --model linear",
    "choose_k": "-k 1-2 --cv 2 --repeats 1",
    "explore atlas": "-k 2 --loss 10%",
    "explore sweep": "-k 2 -n 2,3 -d 1",
}
OTHER = {"choose_k": {"previous"}, "explore sweep": {"previous"}}
"""Combinations that a command refuses, or for which its options give a grid in place of one rule."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_the_next_step_repeats_what_says_which_sets_are_meant(tmp_path, monkeypatch, run, command, options):
    if options in OTHER.get(command, ()):
        pytest.skip("no such combination")
    write_files(tmp_path)
    (tmp_path / "previous.json").write_text('[["pulse", "lab_sodium"]]')
    monkeypatch.chdir(tmp_path)
    shown = run(f"{command} table.csv -t ill {COMMANDS[command]} {OPTIONS[options]}", 0).out
    (line,) = [line for line in shown.splitlines() if line.startswith("Next ")]
    step = shlex.split(line.removeprefix("Next"))
    assert step[0] == "pyfsel"
    for word in ("table.csv", "ill", *OPTIONS[options].split()):
        assert word in step, step
    name = " ".join(step[1:3]) if step[1] == "explore" else step[1]
    next_step = Given(commands_of(step[1])[name])
    take(next_step, step[1 + len(name.split()) :], commands_with)
    assert next_step["target"] == "ill"
