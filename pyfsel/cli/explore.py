"""`pyfsel explore`, `measure` and `look`: other questions about a table or an instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyfsel import explore
from pyfsel.cli import values
from pyfsel.cli.instances import loaded
from pyfsel.cli.options import Option, options_of
from pyfsel.cli.output import answered, check_output, emit, shown, text_of, working, write
from pyfsel.cli.parse import Command, Given, require_writable
from pyfsel.cli.select import (
    OF_TABLE,
    SELECTION,
    TABLE_ABOUT,
    problem_of,
    question_options,
    solving_options,
)
from pyfsel.cli.table import of_table, read
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.export import EXTENSIONS, export
from pyfsel.interface.problem import Problem
from pyfsel.interface.solving import solve
from pyfsel.measures.tables.look import look

GRID = {"k": values.sizes, "n_sets": values.integers, "dissimilarity": values.rules}
"""Options of a sweep, which are lists."""
QUESTIONS: dict[str, tuple[Callable[..., Answer], str]] = {
    "atlas": (explore.atlas, "Which features do nearly best sets contain?"),
    "ties": (explore.ties, "Which other answers are exactly as good?"),
    "most_sets": (explore.most_sets, "How many dissimilar sets lose at most --loss?"),
    "most_dissimilar": (explore.most_dissimilar, "How different can the sets be, at that loss?"),
    "cheapest": (explore.cheapest, "What do sets of a given quality cost at least?"),
    "sweep": (explore.sweep, "What do k, n_sets and dissimilarity cost?"),
}
EXAMPLES = {
    "atlas": "pyfsel explore atlas --dataset breast_cancer -k 5",
    "ties": "pyfsel explore ties golub.csv -t target -k 5 -n 1",
    "most_sets": "pyfsel explore most_sets --dataset breast_cancer -k 5 --loss 10%",
    "most_dissimilar": "pyfsel explore most_dissimilar instance.json --loss 10%",
    "cheapest": "pyfsel explore cheapest patients.csv -t diagnosis --costs eur.csv --min-quality 90%",
    "sweep": "pyfsel explore sweep patients.csv -t diagnosis -k 3,5,8 -d 0.2,0.4,0.6 -o sweep.csv",
}
NEXT = {"atlas": "explore most_sets", "sweep": "select"}
ABOUT = f"{TABLE_ABOUT} Or an instance file (.json, .dzn)."


def _own(function: Callable[..., Any]) -> Iterator[Option]:
    for option in options_of(function, problem=""):
        is_grid = function is explore.sweep and option.name in GRID
        several: dict[str, Any] = {"metavar": f"{option.metavar[0]},…", "is_repeated": False}
        several["read"] = GRID.get(option.name)
        yield replace(option, **(several if is_grid else {}))


def _options(function: Callable[..., Any]) -> list[Option]:
    own = list(_own(function))
    names = {option.name for option in own}
    shared = [*question_options(), *solving_options()]
    return [*own, *(option for option in shared if option.name not in names), *options_of(write)]


def _asker(name: str) -> Callable[[Given], int]:
    question = QUESTIONS[name][0]

    def ask(given: Given) -> int:
        check_output(given)
        if name == "ties" and "n_sets" not in given and "search" not in given:
            given.values["n_sets"] = 1
        with working(given, "reading") as now:
            problem = _problem(given, now)
            now.report("solving")
            found = question(problem, **given.of(question), **given.of(solve))
        next_step = NEXT.get(name) and given.again(NEXT[name], *SELECTION, "k")
        return answered(given, found, next_step or "", cautions=now.cautions)

    return ask


def _problem(given: Given, now: Any) -> Problem:
    path = given.get("TABLE")
    if path is None or not str(path).lower().endswith((".json", ".dzn")):
        return problem_of(given, now, **_first_cell(given))
    of_questions = {option.name for option in question_options()}
    of_file = [name for name in given.values if name in of_questions and given.typed.get(name)]
    if of_file:
        flags = [option.flags[0] for option in given.command.options if option.name in of_file]
        raise InputError(f"{flags[0]}: is for a table; {path} is an instance file, which has it already")
    return loaded(path)[0]


def _first_cell(given: Given) -> dict[str, Any]:
    """Return a problem of the grid of a sweep, on which all others are based."""
    grid = {name: cells for name, cells in given.of(explore.sweep).items() if name in GRID}
    return {name: cells[0] if name == "dissimilarity" else max(cells) for name, cells in grid.items()}


def measure_command(given: Given) -> int:
    """Write the instance of a table."""
    output = given.get("output")
    require_writable("-o", output, given.get("TABLE"))
    if output not in (None, "-") and Path(str(output)).suffix.lower() not in EXTENSIONS:
        raise InputError(f"-o {output}: unknown ending. Expected {' '.join(EXTENSIONS)}")
    with working(given, "reading") as now:
        problem = problem_of(given, now)
    if output in (None, "-"):
        emit(problem.instance.to_json())
    else:
        export(problem, str(output))
    return 0


def look_command(given: Given) -> int:
    """Show what is odd about a table."""
    form = check_output(given)
    with working(given, "reading"):
        table = of_table(given, missing="category")
        found = look(table.X, table.y, **{"task": given.get("task")} if "task" in given else {})
    return shown(given, form, found, lambda: text_of(found.table(), given.get("output")))


MEASURING = [option for option in question_options() if option.name != "previous"]
COMMANDS = [
    *(
        Command(
            f"explore {name}",
            about,
            _asker(name),
            _options(function),
            arguments=("TABLE?",),
            examples=(EXAMPLES[name],),
            notes=ABOUT,
            files=True,
        )
        for name, (function, about) in QUESTIONS.items()
    ),
    Command(
        "measure",
        "Measure a table and write an instance file for `solve`.",
        measure_command,
        [*MEASURING, *(option for option in solving_options() if option.name in ("random_state", "n_jobs"))]
        + [option for option in options_of(write) if option.name in ("output", "quiet")],
        arguments=("TABLE?",),
        examples=("pyfsel measure --dataset wine -k 4 -n 3 -o wine.json",),
        notes=TABLE_ABOUT,
        files=True,
    ),
    Command(
        "look",
        "Look at a table before the search: leaks, groups of rows, codes of missing values, duplicates.",
        look_command,
        [
            *options_of(read, **{name: "" for name in OF_TABLE if name != "task"}, row_groups="", event=""),
            *(option for option in options_of(write) if option.name in ("output", "format", "quiet")),
        ],
        arguments=("TABLE?",),
        examples=("pyfsel look patients.csv -t diagnosis",),
        notes=TABLE_ABOUT,
        files=True,
    ),
]
