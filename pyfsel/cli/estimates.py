"""`pyfsel evaluate`, `stability`, `choose_k` and `report`: whether the sets hold on other rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

from pyfsel.cli.exit_codes import code_of
from pyfsel.cli.output import SHOWN, emit, show, working
from pyfsel.cli.parse import Given, command
from pyfsel.cli.select import OF_TABLE, selector_of
from pyfsel.cli.table_options import of_table
from pyfsel.errors import InputError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import one_of
from pyfsel.problem.rules import Constraints
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.choose_k import choose_k
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.models import PEERS
from pyfsel.selectors.report.report_page import SUFFIXES, report
from pyfsel.selectors.splits import TIME
from pyfsel.selectors.stability import stability

SCORING = ("model", "scoring", "cv", "repeats", "margin", "compare_with")
"""Options of scores, which other commands lack or understand in another way."""


SELECTING = (OF_TABLE, AlternativeFeatureSelector, Constraints)
"""What says which selector of which table is meant."""


@command("evaluate", evaluate, *SELECTING, SHOWN)
def evaluate_command(given: Given, *, compare_with: Sequence[str] = ()) -> int:
    """Score feature sets on rows that their selection has not seen.

    Parameters
    ----------
    given : Given
    compare_with : sequence of str
        Another selector: select_k_best, rfe or lasso.

    Examples
    --------
    pyfsel evaluate --dataset breast_cancer -k 5 -n 3 -d 0.6
    pyfsel evaluate patients.csv -t diagnosis --model forest --repeats 5
    """
    selector = selector_of(given)
    if compare_with:
        size = selector.k[1] if isinstance(selector.k, tuple) else selector.k
        for name in compare_with:
            one_of("compare_with", name, PEERS)
        selector = {"set": selector} | {name: PEERS[name](size) for name in compare_with}
    found = _estimated(given, "evaluating", evaluate, selector)
    is_forward = TIME in str(given["cv"])  # as `stability` understands it, too
    return show(given, found, given.again("stability", {*SCORING} - {"cv"} if is_forward else SCORING))


@command("stability", stability, *SELECTING, SHOWN)
def stability_command(given: Given) -> int:
    """Are the same features selected again in half of the rows?

    Examples
    --------
    pyfsel stability --dataset breast_cancer -k 5 -n 3 -d 0.6
    """  # noqa: D400 - as the help says it
    more = "" if "details" in given else "--details lists what replaces each feature"
    return show(given, _estimated(given, "halving", stability, selector_of(given)), more)


@command("choose_k", choose_k, *SELECTING, SHOWN)
def choose_k_command(given: Given) -> int:
    """How many features? Held-out scores of each size, and what dissimilarity costs.

    Examples
    --------
    pyfsel choose_k --dataset breast_cancer -k 1-10
    """
    found = _estimated(given, "choosing", choose_k, selector_of(given, "k", "dissimilarity"))
    step = given.again("select", (*SCORING, "k", "dissimilarity", "nested"))
    if TIME in str(given["cv"]):
        step += f" --ignore {quote(given['cv'].split(':')[1])}"
    return show(given, found, f"{step} -k {found.recommended}" if found.recommended else "")


def _estimated(given: Given, doing: str, function: Callable[..., Evaluation], selector: Any) -> Evaluation:
    """Return what is estimated about a selector and a table."""
    with working(given, doing):
        table = of_table(given, as_frame=True)
        return function(table.X, table.y, selector, **{**given.of(function), **table.rows})


@command("report", report, *SELECTING, endings=SUFFIXES)
def report_command(given: Given, *, output: str | None = None, quiet: bool = False) -> int:
    """Write one page: the answer, sets, held-out scores, cautions, proof.

    Parameters
    ----------
    given : Given
    output : str
        The page, which ends in .html.
    quiet : bool
        Show no progress.

    Examples
    --------
    pyfsel report patients.csv -t diagnosis -k 5 -n 3 -d 0.6 -o report.html
    """
    if output is None or output == "-":
        raise InputError("-o: is not given. Name the page, such as report.html")
    selector = selector_of(given)
    with working(given, "writing the report"):
        table = of_table(given, as_frame=True)
        asked = {**given.of(report), **table.rows, "name": table.name}
        answer = report(output, table.X, table.y, selector, **asked)
    if not quiet:
        emit(f"{output}: {answer.headline}\n")
    return code_of(answer)
