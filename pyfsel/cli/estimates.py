"""`pyfsel evaluate`, `stability`, `choose_k` and `report`: whether the sets hold on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyfsel.cli import values
from pyfsel.cli.exit_codes import code_of
from pyfsel.cli.options import OF_CONSTRAINTS, Option, options_of
from pyfsel.cli.output import check_output, estimated, working, write
from pyfsel.cli.parse import Command, Given, require_writable
from pyfsel.cli.select import OF_TABLE, SELECTION, SETS, TABLE_ABOUT, selector_of
from pyfsel.cli.table import of_table, read
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.problem.checks import one_of
from pyfsel.problem.rules import Constraints
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.choose_k import choose_k
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.models import MODELS
from pyfsel.selectors.evaluation.peers import PEERS, Peer
from pyfsel.selectors.report.write import SUFFIXES, report
from pyfsel.selectors.stability import stability

OF_SELECTOR = dict.fromkeys(("constraints", "verbose", "use_set"), "")
OF_ROWS = dict.fromkeys(("X", "y", "selector", "groups", "sample_weight"), "")
GRID = {"k": values.sizes, "dissimilarity": values.thresholds}


def evaluate_command(given: Given) -> int:
    """Score feature sets on rows that their selection has not seen."""
    check_output(given)
    _check_models(given)
    selector: Any = selector_of(given)
    for name in given.get("compare_with", ()):
        one_of("compare_with", name, PEERS)
        selector = selector if isinstance(selector, dict) else {"sets": selector}
        size = selector["sets"].k
        selector[name] = Peer(name, size[1] if isinstance(size, tuple) else size)
    with working(given, "evaluating") as now:
        table = of_table(given, as_frame=True)
        found = evaluate(table.X, table.y, selector, **given.of(evaluate), **table.rows)
    return estimated(given, found, given.again("stability", *SELECTION, *SETS), cautions=now.cautions)


def stability_command(given: Given) -> int:
    """Select in complementary halves of the rows."""
    check_output(given)
    selector = selector_of(given)
    with working(given, "halving") as now:
        table = of_table(given, as_frame=True)
        rows = {"groups": table.rows["groups"]} if "groups" in table.rows else {}
        found = stability(table.X, table.y, selector, **given.of(stability), **rows)
    more = "" if "details" in given else "--details lists what replaces each feature"
    return estimated(given, found, more, cautions=now.cautions)


def choose_k_command(given: Given) -> int:
    """Recommend a set size."""
    check_output(given)
    _check_models(given)
    selector = selector_of(given, *GRID)
    with working(given, "choosing") as now:
        table = of_table(given, as_frame=True)
        rows = {"groups": table.rows["groups"]} if "groups" in table.rows else {}
        found = choose_k(table.X, table.y, selector, **given.of(choose_k), **rows)
    names = (name for name in (*SELECTION, *SETS) if name not in GRID)
    step = "" if found.recommended is None else f"{given.again('select', *names)} -k {found.recommended}"
    return estimated(given, found, step, cautions=now.cautions)


def report_command(given: Given) -> int:
    """Write one page."""
    path = given.get("output")
    if path is None:
        raise InputError("-o: is not given. Name the page, such as report.html")
    if not str(path).lower().endswith(SUFFIXES):
        raise InputError(f"-o {path}: does not end in .html")
    require_writable("-o", path, given.get("TABLE"))
    _check_models(given)
    selector = selector_of(given)
    with working(given, "writing the report"):
        table = of_table(given, as_frame=True)
        answer: Answer = report(
            path, table.X, table.y, selector, name=table.name, **given.of(report), **table.rows
        )
    return code_of(answer)


def _check_models(given: Given) -> None:
    models = given.get("model", "linear")
    for name in models if isinstance(models, list) else [models]:
        one_of("model", name, MODELS)


def compare_with_options(*, compare_with: Sequence[str] = ()) -> None:
    """Declare the option that names other selectors.

    Parameters
    ----------
    compare_with : sequence of str
        Another selector: kbest or rfe.
    """


def page_options(*, output: str | None = None, quiet: bool = False) -> None:
    """Declare where the page of a report is written.

    Parameters
    ----------
    output : str
        The page, which ends in .html.
    quiet : bool
        Show no progress.
    """


def _options(function: Any, *own: Option, without: Sequence[str] = ()) -> list[Option]:
    """Return the options of a function of a selector: its own, those of the table and of the selector."""
    first = [*own, *options_of(function, **OF_ROWS, path="", name="")]
    first = [
        replace(option, read=GRID[option.name], is_repeated=False, metavar=f"{option.metavar[0]},…")
        if function is choose_k and option.name in GRID
        else option
        for option in first
    ]
    others = [
        *options_of(read, **OF_TABLE),
        *options_of(AlternativeFeatureSelector, **OF_SELECTOR),
        *options_of(Constraints, **OF_CONSTRAINTS),
    ]
    names = {option.name for option in first}
    is_usual = {"target", "k", "n_sets", "dissimilarity", "measure", "objective", "missing"}
    shared = [replace(option, is_usual=option.name in is_usual) for option in others]
    return [*first, *(one for one in shared if one.name not in names and one.name not in without)]


def _command(name: str, about: str, run: Any, options: list[Option], *examples: str) -> Command:
    return Command(
        name, about, run, options, arguments=("TABLE?",), examples=examples, notes=TABLE_ABOUT, files=True
    )


COMMANDS = [
    _command(
        "evaluate",
        "Score feature sets on rows that their selection has not seen.",
        evaluate_command,
        [*_options(evaluate, *options_of(compare_with_options)), *options_of(write, require_proof="")],
        "pyfsel evaluate --dataset breast_cancer -k 5 -n 3 -d 0.6",
        "pyfsel evaluate patients.csv -t diagnosis --model forest --repeats 5",
    ),
    _command(
        "stability",
        "Are the same features selected again in half of the rows?",
        stability_command,
        [*_options(stability), *options_of(write, require_proof="")],
        "pyfsel stability --dataset breast_cancer -k 5 -n 3 -d 0.6",
    ),
    _command(
        "choose_k",
        "How many features? Held-out scores of each size, and what dissimilarity costs.",
        choose_k_command,
        [*_options(choose_k), *options_of(write, require_proof="")],
        "pyfsel choose_k --dataset breast_cancer -k 1-10",
    ),
    _command(
        "report",
        "Write one page: the answer, sets, held-out scores, cautions, proof.",
        report_command,
        [*_options(report), *options_of(page_options)],
        "pyfsel report patients.csv -t diagnosis -k 5 -n 3 -d 0.6 -o report.html",
    ),
]
