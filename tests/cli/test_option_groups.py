"""Groups of command line options: a command gets them as one object, the user gives them one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pyfsel.cli.ask import AskSolving, ties_command
from pyfsel.cli.command import with_groups
from pyfsel.cli.compare import CompareSolving, compare_command
from pyfsel.cli.consistency import ConsistencySolving, consistency_command
from pyfsel.cli.evaluate import SelectorSolving, evaluate_command
from pyfsel.cli.files import chosen_format
from pyfsel.cli.options import question_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.question import SetOptions
from pyfsel.cli.select import select_command
from pyfsel.cli.solve import solve_command
from pyfsel.cli.solving import SolvingOptions
from pyfsel.cli.sweep import SweepSolving, sweep_command
from pyfsel.cli.wrapper import WrapperSolving, wrapper_command
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.questions.sweep.sweep import sweep


@dataclass(frozen=True)
class Base:
    first: int = question_field("-f", default=1)


@dataclass(frozen=True)
class Group(Base):
    second: str = question_field(default="two")


def test_fields_become_options_in_the_place_of_the_group():
    seen = []

    @with_groups
    def command(
        before: Annotated[int, typer.Option()], group: Group, after: Annotated[int, typer.Option()] = 3
    ) -> None:
        seen.append((before, group, after))

    assert list(signature(command).parameters) == ["before", "first", "second", "after", "help_all"]
    app = typer.Typer()
    app.command()(command)
    outcome = CliRunner().invoke(app, ["--before", "0", "-f", "5", "--after", "7"])
    assert outcome.exit_code == 0, outcome.output
    assert seen == [(0, Group(5, "two"), 7)]


@pytest.mark.parametrize(
    ("given", "threshold", "rule"),
    [
        ({}, 0.6, "dice dissimilarity ≥ 0.6"),
        ({"tau": 0.5, "dissimilarity": "jaccard"}, 0.5, "jaccard dissimilarity ≥ 0.5"),
        ({"max_overlap": 2}, None, ""),
        ({"tau": 0.0}, 0.0, "dice dissimilarity ≥ 0"),
    ],
)
def test_threshold_has_a_default_unless_an_overlap_is_given(given, threshold, rule):
    sets = SetOptions(**given)
    assert sets.threshold == sets.arguments["tau"] == threshold
    assert sets.overlap_rule == rule


@pytest.mark.parametrize(
    ("name", "file_format", "text"),
    [("r.json", None, '{\n  "a": 1\n}\n'), ("r.csv", None, "a\n1\n"), ("r.json", "csv", "a\n1\n")],
)
def test_only_the_chosen_format_is_made(tmp_path, name, file_format, text):
    def unwanted() -> str:
        raise AssertionError("not asked for")

    chosen_json = text.startswith("{")
    OutputOptions(tmp_path / name, file_format=file_format).write(
        (lambda: {"a": 1}) if chosen_json else unwanted,
        unwanted if chosen_json else (lambda: "a\n1\n"),
        unwanted,
    )
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize(
    ("name", "file_format", "text", "chosen"),
    [
        ("x", None, "table", "table"),
        ("x.TXT", None, "table", "table"),
        ("x.JSON", None, "table", "json"),
        ("x.xml", "csv", "table", "csv"),
        ("-", None, "table", "table"),
        ("x.json", None, "", "json"),
    ],
)
def test_the_name_of_the_file_tells_the_format(name, file_format, text, chosen):
    assert chosen_format(file_format, Path(name), ("json", "csv"), text) == chosen


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.xml", "table", "--output='x.xml': must end in .json, .csv, .txt, or --format must be given"),
        ("x.txt", "", "--output='x.txt': must end in .json, .csv, or --format must be given"),
        ("x", "", "--format: is missing; must be one of json, csv"),
    ],
)
def test_a_format_that_nothing_tells_is_an_error(name, text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        chosen_format(None, Path(name), ("json", "csv"), text)


SOLVING = {
    select_command: SolvingOptions,
    solve_command: SolvingOptions,
    ties_command: AskSolving,
    sweep_command: SweepSolving,
    evaluate_command: SelectorSolving,
    wrapper_command: WrapperSolving,
    compare_command: CompareSolving,
    consistency_command: ConsistencySolving,
}


@pytest.mark.parametrize("command", SOLVING, ids=lambda command: command.__name__)
def test_every_command_that_solves_has_the_same_options_but_those_that_it_says_it_lacks(command):
    group, taken = SOLVING[command], signature(with_groups(command)).parameters
    names = {field.name for field in fields(SolvingOptions)}
    assert set(group.lacks) < names
    assert names & set(taken) == names - set(group.lacks)
    defaults = {field.name: field.default for field in fields(SolvingOptions)}
    assert [name for name in names & set(taken) if taken[name].default != defaults[name]] == []


def test_solving_options_become_the_arguments_of_solve_but_for_those_that_are_lacking():
    given = SolvingOptions(backend="rc2", confirm="cpsat", seed=3, threads=2, time_limit=5)
    assert given.arguments == {
        "search": None,
        "backend": "rc2",
        "formulation": None,
        "confirm": "cpsat",
        "time_limit": 5,
        "random_state": 3,
        "n_threads": 2,
        "memory_limit": None,
    }
    assert WrapperSolving(seed=3).arguments == {"search": None, "time_limit": 60, "random_state": 3}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"backend": "none"}, "backend='none'"),
        ({"confirm": "none"}, "confirm='none'"),
        ({"backend": "rc2", "maxsat_command": "x {wcnf}"}, "--maxsat-command, --pb-command: give one"),
        ({"model": Path("m.mzn"), "maxsat_command": "x {wcnf}"}, "--maxsat-command, --pb-command: give one"),
        ({"backend": "rc2", "model": Path("m.mzn")}, "backend='rc2': a model of your own needs"),
    ],
)
def test_what_is_wrong_with_a_backend_is_found_before_anything_is_measured(given, message):
    with pytest.raises(InputError, match=re.escape(message)):
        _ = SolvingOptions(**given).arguments


@pytest.mark.parametrize(("name", "wrong"), [("formulation", "none"), ("n_threads", 0), ("memory_limit", 0)])
def test_a_sweep_hands_its_limits_and_formulation_on(name, wrong):
    problem = Instance(quality=[3, 2, 1], n_sets=2, set_size=1, max_overlap=0)
    with pytest.raises(InputError, match=name):
        sweep(problem, backend="brute-force", **{name: wrong})
