"""`pyfsel papers`: the systems of the papers on a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args, get_type_hints

from pyfsel.cli import values
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.options import Option, options_of
from pyfsel.cli.output import answered, check_output, shown, text_of, working, write
from pyfsel.cli.parse import Command, Given
from pyfsel.cli.select import TABLE_ABOUT
from pyfsel.cli.table import of_table, read
from pyfsel.interface.layout import Layout
from pyfsel.measures.tables.table import prepare
from pyfsel.papers.consistency.answer import consistent_sets, smallest_sets
from pyfsel.papers.counting import how_many
from pyfsel.papers.mask_selector import select_mask
from pyfsel.papers.masked_model import fitted_masked_model, named_model
from pyfsel.papers.subset.select import SubsetOptions, select_subset
from pyfsel.results.control import Limits
from pyfsel.results.display import SetsTable

OF_ROWS = dict.fromkeys(("table", "task", "as_frame", "event", "row_groups", "sample_weight"), "")
OF_SUBSET = dict.fromkeys(("X", "y", "missing", "allowed", "estimator"), "")


def consistency(given: Given) -> int:
    """Find the smallest consistent sets."""
    check_output(given)
    with working(given, "reading") as now:
        table = of_table(given)
        now.report("solving")
        options = {**given.of(consistent_sets), **given.of(smallest_sets)}
        if "missing" in given:
            options["missing"] = given.get("missing")
        answer = consistent_sets(table.X, table.y, **options)
    return answered(given, answer, cautions=now.cautions)


def subset(given: Given) -> int:
    """Search one set."""
    form = check_output(given)
    with working(given, "searching") as now:
        table = of_table(given)
        options = {**given.of(select_subset), **given.of(SubsetOptions)}
        found = select_subset(table.X, table.y, missing=given.get("missing", "error"), **options)
    return _one_set(given, form, found, given.get("criterion", "consistency"), 1, now.cautions)


def masks_options(*, model: str = "hist", random_state: int = 0, time_limit: float = 60.0) -> None:
    """Declare the options that masks has of its own.

    Parameters
    ----------
    model : {"hist", "mlp", "forest"}
        The model that is fitted once: gradient boosting, a small network, or a random forest.
    random_state : int
        The same seed gives the same set.
    time_limit : float
        Seconds.
    """


def masks(given: Given) -> int:
    """Eliminate features by the loss of one fitted model in which they are masked."""
    form = check_output(given)
    with working(given, "searching") as now:
        table = of_table(given)
        prepared = prepare(table.X, table.y, missing=given.get("missing", "error"))
        seed = given.get("random_state", 0)
        model = named_model(given.get("model", "hist"), prepared.task, seed)
        masked = fitted_masked_model(prepared, model, random_state=seed)
        limits = Limits.checked(given.get("time_limit", 60.0), seed)
        found, _ = select_mask(masked, limits=limits, **given.of(select_mask))
    return _one_set(given, form, found, "masked loss", -1, now.cautions)


def _one_set(given: Given, form: str, found: Any, measure: str, sign: int, cautions: list[str]) -> ExitCode:
    """Print one set and the measure of it, which is `sign` times what the search maximised."""
    table = SetsTable(("set", "size", measure))
    for number, members in enumerate(found.sets[:10]):
        names = found.names_of(members)
        table.add_row((str(number), str(len(names)), f"{sign * found.values[number]:.6g}"), names)
    claim = "Proved: no smaller set reaches the threshold." if found.is_proved else "Smaller sets may exist."
    facts = [("search", f"{found.method}, {found.n_evaluations} sets evaluated, {found.runtime:.2f} s")]
    layout = Layout(
        f"{len(found.sets[0]) if found.sets else 'No'} features",
        [table] if found.sets else [],
        "OPTIMAL" if found.is_proved else "FEASIBLE" if found.reached else "NOT_SOLVED",
        claim if found.reached else "The threshold was not reached.",
        cautions,
        details=facts,
    )
    options: Any = {"details": bool(given.get("details")), "quiet": bool(given.get("quiet"))}
    shown(given, form, found, lambda: text_of(layout.rich(**options), given.get("output")))
    if found.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    return ExitCode.OK if found.reached else ExitCode.NOT_SOLVED


def how_many_command(given: Given) -> int:
    """Count dissimilar sets and families of them."""
    check_output(given)
    with working(given, "counting"):
        answer = how_many(values.count(given.get("N")), **given.of(how_many))
    return answered(given, answer)


def _of_typed_dict() -> list[Option]:
    """Return the options of searches and criteria, whose types say how they are read."""
    readers = {int: values.integer, float: values.number}
    known = next(options_of(select_subset, X="", y=""))
    found = []
    for name, kind in get_type_hints(SubsetOptions).items():
        types = [one for one in (kind, *get_args(kind)) if one in readers]
        read_as = readers[types[0]] if types else values.number_or_text
        own: dict[str, Any] = {
            "name": name,
            "parameter": name,
            "owner": SubsetOptions,
            "help": "",
            "default": None,
        }
        found.append(replace(known, **own, read=read_as))
    return found


def _command(action: str, about: str, run: Any, own: list[Option], *examples: str) -> Command:
    return Command(
        f"papers {action}",
        about,
        run,
        [*own, *options_of(read, **OF_ROWS), *options_of(write)],
        arguments=("TABLE?",),
        examples=examples,
        notes=TABLE_ABOUT,
        files=True,
    )


COMMANDS = [
    _command(
        "consistency",
        "Find the smallest feature sets that keep rows of different classes apart (paper 001).",
        consistency,
        [
            *options_of(consistent_sets, X="", y="", missing=""),
            *options_of(smallest_sets, problem="", n_sets=""),
        ],
        "pyfsel papers consistency mushrooms.csv -t edible --rate 0.01 -n 3 -d 0.5",
        "pyfsel papers consistency --dataset wine --n-bins 10",
    ),
    _command(
        "subset",
        "Find one feature set by a classic search or a ranking (paper 001), or by a graph (paper 004).",
        subset,
        [*options_of(select_subset, **OF_SUBSET), *_of_typed_dict()],
        "pyfsel papers subset mushrooms.csv -t edible --method floating-forward",
        "pyfsel papers subset --dataset wine --n-bins 3 --method abb",
    ),
    _command(
        "masks",
        "Eliminate features by the loss of one fitted model in which they are masked (paper 002).",
        masks,
        [*options_of(select_mask, model="", limits=""), *options_of(masks_options)],
        "pyfsel papers masks patients.csv -t diagnosis --size 4",
    ),
    Command(
        "papers how_many",
        "How many dissimilar sets of k of N features are there, and how many families (paper 000)?",
        how_many_command,
        [
            *options_of(how_many, n_features=""),
            *options_of(write),
        ],
        arguments=("N",),
        examples=("pyfsel papers how_many 7 -k 3 -d shared:1",),
    ),
]
