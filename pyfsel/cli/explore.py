"""`pyfsel explore`, `measure` and `look`: other questions about a table or an instance."""

from __future__ import annotations

from typing import Any

from pyfsel import explore
from pyfsel.cli.instances import loaded
from pyfsel.cli.options import GRIDS, options_of
from pyfsel.cli.output import LISTED, emit, show, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.cli.select import QUESTION_OPTIONS, SOLVING_OPTIONS, problem_of
from pyfsel.cli.table_options import of_table, read
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.export import EXTENSIONS, export
from pyfsel.interface.solving import solve
from pyfsel.measures.tables.look import look
from pyfsel.questions.cheapest import NO_QUALITY
from pyfsel.questions.sweep import axis

OR_INSTANCE = "TABLE may also be an instance file (.json, .dzn)."
KEPT = 0.9
"""The next step after a sweep is its most dissimilar cell with at least this proportion of the quality."""


def _declare(name: str, about: str, example: str) -> None:
    """Make a question a command."""
    question = getattr(explore, name)

    def ask(given: Given) -> int:
        if name == "ties" and "n_sets" not in given and "search" not in given:
            given["n_sets"] = 1
        with working(given, "reading"):
            problem = _problem(given)
            if "loss" in given and name != "ties" and problem.instance.min_quality is not None:
                raise InputError(f"loss: has no effect next to the minimum quality of {given['TABLE']}")
            given.report("solving")
            found = question(problem, **given.of(question, solve))
        next_step = given.again("explore most_sets") if name == "atlas" and found.low else ""
        return show(given, found, _cell(given, found) or next_step)

    ask.__doc__ = f"{about}\n\nNotes\n-----\n{OR_INSTANCE}\n\nExamples\n--------\n{example}"
    others = (QUESTION_OPTIONS, SOLVING_OPTIONS, write)
    command(f"explore {name}", question, *others)(ask)


def _cell(given: Given, found: Answer) -> str:
    """Return the command that selects the sets of one cell of a sweep: many, dissimilar, yet good."""
    if found.question != "sweep" or _is_instance(given):
        return ""
    frame, again = found.to_frame(), given.again("select", GRIDS)
    found_all = frame[(frame["n_found"] == frame["n_sets"]) & frame["relative"].notna()]
    if found_all.empty:
        return again
    good = found_all[found_all["relative"] >= min(KEPT, found_all["relative"].max())]
    cell = good.sort_values(["n_sets", "k", "dissimilarity"]).iloc[-1]
    return f"{again} -k {cell['k']} -n {cell['n_sets']} -d shared:{cell['shared']}"


def _is_instance(given: Given) -> bool:
    return str(given["TABLE"]).lower().endswith((".json", ".dzn"))


def _problem(given: Given) -> Any:
    path = given["TABLE"]
    if not _is_instance(given):
        return problem_of(given, **_first_cell(given))
    of_table = {one.name for one in QUESTION_OPTIONS} & given.typed.keys()
    flags = [one.flags[0] for one in given.command.options if one.name in of_table and not one.is_grid]
    if flags:
        raise InputError(f"{flags[0]}: is for a table; {path} is an instance file, which has it already")
    return loaded(path)[0]


def _first_cell(given: Given) -> dict[str, Any]:
    """Return a problem of the grid of a sweep, on which all others are based; nothing is measured yet."""
    grids = [one.name for one in given.command.options if one.is_grid and one.name in given]
    if "n_sets" in grids:
        axis("n_sets", given["n_sets"], 2)
    if given.command.name == "explore cheapest" and "min_quality" not in given:
        raise InputError(NO_QUALITY)
    return {name: (list if name == "dissimilarity" else sorted)(given[name])[-1] for name in grids}


_declare(
    "atlas",
    "Which features do nearly best sets contain?",
    "pyfsel explore atlas --dataset breast_cancer -k 5",
)
_declare(
    "ties",
    "Which other answers are exactly as good?",
    "pyfsel explore ties golub.csv -t target -k 5 -n 1",
)
_declare(
    "most_sets",
    "How many dissimilar sets lose at most --loss?",
    "pyfsel explore most_sets --dataset breast_cancer -k 5 --loss 10%",
)
_declare(
    "most_dissimilar",
    "How different can a set (--search sum: all) be at that loss?",
    "pyfsel explore most_dissimilar instance.json --loss 10%",
)
_declare(
    "cheapest",
    "What do sets of a given quality cost at least?",
    "pyfsel explore cheapest patients.csv -t diagnosis --costs eur.csv --min-quality 90%",
)
_declare(
    "sweep",
    "What do k, n_sets and dissimilarity cost?",
    "pyfsel explore sweep patients.csv -t diagnosis -k 3,5,8 -d 0.2,0.4,0.6 -o sweep.csv",
)


@command(
    "measure",
    [option for option in QUESTION_OPTIONS if option.name != "previous"],
    [option for option in SOLVING_OPTIONS if option.name in ("random_state", "n_jobs")],
    endings=tuple(EXTENSIONS),
)
def measure_command(given: Given, *, output: str | None = None, quiet: bool = False) -> None:
    """Measure a table and write an instance file for `solve`.

    Parameters
    ----------
    given : Given
    output : str, optional
        Write there; the ending chooses the format.
    quiet : bool
        Show no progress.

    Examples
    --------
    pyfsel measure --dataset wine -k 4 -n 3 -o wine.json
    """
    with working(given, "reading"):
        problem = problem_of(given)
    if output is None or output == "-":
        emit(problem.stated.to_json())
    else:
        export(problem, output)


@command(
    "look",
    options_of(look, only="task"),
    options_of(read, "missing row_groups event task"),
    LISTED,
)
def look_command(given: Given) -> int:
    """Look at a table before the search: leaks, groups of rows, codes of missing values, duplicates.

    Examples
    --------
    pyfsel look patients.csv -t diagnosis
    """
    with working(given, "reading"):
        table = of_table(given, missing="category")
        found = look(table.X, table.y, **given.of(look))
    return show(given, found, printed=found.table())
