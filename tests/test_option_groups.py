"""Groups of command line options: a command gets them as one object, the user gives them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pyfsel.cli.groups import OutputOptions, SetOptions, with_groups


@dataclass(frozen=True)
class Base:
    first: Annotated[int, typer.Option("-f")] = 1


@dataclass(frozen=True)
class Group(Base):
    second: Annotated[str, typer.Option()] = "two"


def test_fields_become_options_in_the_place_of_the_group():
    seen = []

    @with_groups
    def command(
        before: Annotated[int, typer.Option()], group: Group, after: Annotated[int, typer.Option()] = 3
    ) -> None:
        seen.append((before, group, after))

    assert list(signature(command).parameters) == ["before", "first", "second", "after"]
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
    OutputOptions(file_format, tmp_path / name).write(
        (lambda: {"a": 1}) if chosen_json else unwanted,
        unwanted if chosen_json else (lambda: "a\n1\n"),
        unwanted,
    )
    assert (tmp_path / name).read_text() == text
