"""`pyfsel papers`: the systems of the papers on a table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyfsel.cli import text_values
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.help import wrapped
from pyfsel.cli.options import options_of
from pyfsel.cli.output import SHOWN, show, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.cli.table_options import of_table, read
from pyfsel.interface.evaluation import Evaluation
from pyfsel.measures.tables.table import prepare
from pyfsel.papers.consistency.consistent_sets import consistent_sets
from pyfsel.papers.consistency.distinct_rows import checked_rules, consistency_problem
from pyfsel.papers.counting import how_many
from pyfsel.papers.mask_selector import check_slack, select_mask
from pyfsel.papers.masked_model import fitted_masked_model, named_model
from pyfsel.papers.subset.best_subset import ALL_METHODS, SubsetSearch, select_subset
from pyfsel.problem.text_files import reading
from pyfsel.results.control import Limits
from pyfsel.results.display import SetsTable

OF_TABLE = options_of(read, "task event row_groups sample_weight")


@command(
    "papers consistency",
    options_of(consistency_problem, "missing"),
    consistent_sets,
    OF_TABLE,
    write,
)
def consistency(given: Given) -> int:
    """Find the smallest feature sets that keep rows of different classes apart (paper 001).

    Examples
    --------
    pyfsel papers consistency mushrooms.csv -t edible --rate 0.01 -n 3 -d 0.5
    pyfsel papers consistency --dataset wine --n-bins 10
    """
    checked_rules(**given.of(checked_rules))
    with working(given, "reading"):
        table = of_table(given)
        given.report("solving")
        answer = consistent_sets(table.X, table.y, **given.of(consistency_problem, consistent_sets))
    return show(given, answer)


@command(
    "papers subset",
    SubsetSearch,
    OF_TABLE,
    SHOWN,
    notes=wrapped(f"Methods: {', '.join(ALL_METHODS)}."),
)
def subset(given: Given) -> int:
    """Find one feature set by a classic search or a ranking (paper 001), or by a graph (paper 004).

    Examples
    --------
    pyfsel papers subset mushrooms.csv -t edible --method floating-forward
    pyfsel papers subset --dataset wine --n-bins 3 --method abb
    """
    asked = given.of(SubsetSearch)
    SubsetSearch(**asked)
    with working(given, "searching"):
        table = of_table(given)
        found = select_subset(table.X, table.y, **asked, **given.of(select_subset))
    return _one_set(given, found, given["criterion"], 1)


@command("papers masks", select_mask, OF_TABLE, SHOWN)
def masks(given: Given, *, model: str = "hist", random_state: int = 0, time_limit: float = 60.0) -> int:
    """Eliminate features by the loss of one fitted model in which they are masked (paper 002).

    Parameters
    ----------
    given : Given
    model : {"hist", "mlp", "forest"}
        The model that is fitted once: gradient boosting, a small network, or a random forest.
    random_state : int
        The same seed gives the same set.
    time_limit : float
        Seconds for the whole search, which keeps the eliminations found.

    Examples
    --------
    pyfsel papers masks patients.csv -t diagnosis -k 4
    """
    check_slack(**given.of(check_slack))
    with working(given, "searching"):
        table = of_table(given, as_frame=True)
        prepared = prepare(table.X, table.y, **given.of(prepare))
        named = named_model(model, prepared.task, random_state)
        masked = fitted_masked_model(prepared, named, random_state=random_state)
        limits = Limits.starting_now(time_limit, random_state)
        found, _ = select_mask(**{**given.of(select_mask), "model": masked, "limits": limits})
    return _one_set(given, found, "masked loss", -1)


def _one_set(given: Given, found: Any, measure: str, sign: int) -> ExitCode:
    """Print one set and the measure of it, which is `sign` times what the search maximised."""
    table = SetsTable(("set", "size", measure))
    for number, members in enumerate(found.sets[:10]):
        names = found.names_of(members)
        table.add_row((str(number), str(len(names)), f"{sign * found.values[number]:.6g}"), names)
    claim = "Proved: no smaller set reaches the threshold." if found.is_proved else "Smaller sets may exist."
    nothing = pd.DataFrame()
    shown = Evaluation(
        "subset",
        f"{len(found.sets[0]) if found.sets else 'No'} features",
        claim if found.reached else "The requested size or threshold was not reached.",
        nothing,
        nothing,
        [table] if found.sets else [],
        status="OPTIMAL" if found.is_proved else "FEASIBLE" if found.reached else "NOT_SOLVED",
        facts=[("search", f"{found.method}, {found.n_evaluations} sets evaluated, {found.runtime:.2f} s")],
    )
    code = show(given, found, printed=shown)
    return code if found.reached or code else ExitCode.NOT_SOLVED


@command("papers how_many", how_many, write, arguments="N", words="N")
def how_many_command(given: Given) -> int:
    """How many dissimilar sets of k of N features are there, and how many families (paper 000)?

    Examples
    --------
    pyfsel papers how_many 7 -k 3 -d shared:1
    """  # noqa: D400
    with reading("N"):
        n_features = text_values.integer(given["N"])
    with working(given, "counting"):
        answer = how_many(n_features, **given.of(how_many))
    return show(given, answer)
