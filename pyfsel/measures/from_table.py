"""From a table to a problem: what the estimator and the command line have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats
from pyfsel.measures.compute import pair_measures
from pyfsel.measures.contingency import effective_rows
from pyfsel.measures.copies import THRESHOLD, find_copies, related_pairs
from pyfsel.measures.evidence import CHANCE, ODDITIES, Kept, once, with_evidence
from pyfsel.measures.registry import QUALITY, find, trait
from pyfsel.measures.tables.containers import is_anndata, is_large_frame
from pyfsel.measures.tables.look import identifiers, misleading, say_what_is_odd, say_what_numbers_rows
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, check_reading, prepare
from pyfsel.measures.tables.target import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import list_of, number_of_jobs, one_of, seed_or_generator
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import check_sizes, objective_named
from pyfsel.problem.make import make_instance
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.objectives import Objective
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.rules import Constraints, as_constraints, as_dissimilarity

WORDS = {"mean": "mean", "min": "smallest"}
MANY_FEATURES = 2000
OF_MANY_PAIRS = "pearson"
"""Of more features, and without a target, pairs are measured by correlation, see `default_measure`."""
OTHER_DEFAULTS = {SURVIVAL: "concordance", UNSUPERVISED: "laplacian_score"}
OF_SURVIVAL = ("univariate", "mrmr", "mifs")
OF_UNSUPERVISED = (*OF_SURVIVAL, "facility_location")


def problem_from_table(
    tables: Sequence[Table],
    *,
    k: Any,
    measure: Any = None,
    outputs: str = "mean",
    chance: str | None = None,
    kept: Kept | None = None,
    dissimilarity: Any = None,
    objective: str | Objective = "univariate",
    constraints: Constraints | None = None,
    copies: str = "note",
    copy_threshold: float = THRESHOLD,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Instance:
    """Measure the qualities of the features of a table and build the problem.

    Constant columns are forbidden unless they are forced: they have no information and would only fill sets.
    Everything that can be wrong with the other arguments is found before the measure starts.

    Parameters
    ----------
    tables : sequence of Table
        One for each output (`tables_of`).
    measure : str, array of shape (n_features,) or callable, optional
        By default information beyond chance, its share of both entropies for CFS, and |Pearson| for mRMR over
        more than 2,000 features. A name or numbers as in
        `pyfsel.measures.quality`; objectives with redundancy need a name, and use it
        for pairs of features as well.
    random_state, n_jobs
        As in `pyfsel.measures.quality`.
    copies : {"note", "merge", "ignore"}
        "merge": columns that `find_copies` finds equal or nearly so count as one feature, of which a set
        holds at most one. The two other words leave the problem as it is.
    copy_threshold : float
        From which columns count as copies, see `pyfsel.measures.copies`.
    outputs : {"mean", "min"}
        With several outputs, the columns of `y`: the quality of a feature is the mean over them, or the
        smallest.
    chance : {"mark", "forbid", "off"}, optional
        What to do about columns that are not significant (`above_chance`), whatever the measure: mark them,
        or forbid them in all sets. By default they are marked; for mRMR they are forbidden, since irrelevant
        columns are not redundant, so mRMR would prefer them to informative ones. If too few others are left,
        the columns with the smallest p-values stay. Forced columns and members of groups always stay.
    kept : dict, optional
        What was measured of these tables, in the same way, and is not measured again; it is added to.
    k, dissimilarity, objective, constraints
    **options
        The other keyword arguments of `pyfsel.problem.make.make_instance`.
        Names are the table's columns. A minimum quality is in the unit of the measure.

    Returns
    -------
    Instance

    Raises
    ------
    InputError
        If the table or an argument is not allowed.
    TypeError
        If `k` is missing, or an argument is unknown.
    """
    asked = {"k": k, **options}
    check_measuring("measure", measure, chance, outputs, random_state, n_jobs)
    table, kept = tables[0], {} if kept is None else kept
    asked["feature_names"] = table.feature_names
    if copies == "merge":
        asked["copies"] = once(kept, (copies, copy_threshold), lambda: find_copies(table, copy_threshold))
    if odd := once(kept, ODDITIES, lambda: misleading(table)):
        say_what_is_odd(odd)
    asked |= rules_of(table, k, dissimilarity, constraints)
    kind = objective_named(objective)
    if isinstance(kind, R2) and kind.criterion is not None and kind.n_rows is None:
        n_rows = len(table.y) if table.weights is None else effective_rows(table.weights)
        kind = replace(kind, n_rows=n_rows)
    if kind.is_signed and len(tables) > 1:
        raise InputError(f"y: has {len(tables)} outputs; objective={kind.name!r} takes one")
    kind = _suited(table, kind, chance)
    if measure is None:
        measure = default_measure(kind, table.n_features, table.task)
    if chance is None and UNSUPERVISED in (trait(measure, "tasks") or ()):
        chance = "off"
    by_target = trait(kind.pairs_measure, "sees_target")
    if len(tables) > 1 and outputs != "mean" and by_target:
        raise InputError(f"outputs={outputs!r}: redundancies that depend on the target have a mean only")
    check_sizes(kind.name, make_instance(np.zeros(table.n_features), **asked).sizes)

    def measured(output: Table) -> tuple[Floats, Any]:
        try:
            return pair_measures(output, measure, objective=kind, random_state=random_state, n_jobs=n_jobs)
        except MemoryError as error:
            raise _too_large(output, error) from None

    of_outputs = [
        once(kept, (kind.name, number, kind.pairs_measure), partial(measured, output))
        for number, output in enumerate(tables)
    ]
    q, r = np.array([q for q, _ in of_outputs]), of_outputs[0][1]
    if len(tables) > 1 and r is not None and not isinstance(r, LazyRedundancy):
        r = np.mean([r for _, r in of_outputs], axis=0)
    q = q.mean(axis=0) if outputs == "mean" else q.min(axis=0)
    problem = make_instance(q, r, objective=kind, **asked)
    unit = trait(measure, "unit") if kind.is_sum else ""
    if unit:
        over = f", {WORDS[outputs]} over {len(tables)} outputs" if len(tables) > 1 else ""
        problem = problem.replace(measured_unit=unit + over)
    return with_evidence(problem, tables, kind, measure, chance, random_state, kept)


def check_measuring(
    argument: str, measure: Any, chance: str | None, outputs: str, random_state: Any, n_jobs: int | None
) -> None:
    """Raise `InputError` for what is wrong about how to measure; `argument` names the measure."""
    if isinstance(measure, str):
        find(QUALITY, measure, argument)
    if chance is not None:
        one_of("chance", chance, CHANCE)
    one_of("outputs", outputs, WORDS)
    seed_or_generator(random_state)
    number_of_jobs(n_jobs)


def _too_large(table: Table, error: MemoryError) -> InputError:
    n_rows, n_columns = table.X.shape
    return InputError(
        f"X: {n_rows:,} rows of {n_columns:,} columns do not fit into memory while they are measured "
        f"({error or 'it is exhausted'}); files or streams of Arrow are read in parts (in Python by "
        "the name of the target for y)"
    )


def _suited(table: Table, kind: Objective, chance: str | None) -> Objective:
    """Return the objective, with the measure of pairs that tables without a target need.

    Raises
    ------
    InputError
        If objective or chance is not for the target.
    """
    lacks_measure = kind.needs_pairs and not kind.pairs_measure
    if table.events is not None and (kind.name not in OF_SURVIVAL or lacks_measure):
        raise InputError(
            f"objective={kind.name!r}: is not for times until an event; univariate is, and mrmr and mifs "
            "with a measure of pairs, such as mrmr:pairs=spearman"
        )
    if table.task != UNSUPERVISED:
        return kind
    if kind.name not in OF_UNSUPERVISED:
        allowed = ", ".join(OF_UNSUPERVISED)
        raise InputError(f"objective={kind.name!r}: needs a target; without one there are {allowed}")
    if chance not in (None, "off"):
        raise InputError(f"chance={chance!r}: needs a target")
    return kind.with_params("objective", pairs=OF_MANY_PAIRS) if lacks_measure else kind


def tables_of(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    row_groups: Any = None,
    *,
    task: str = "auto",
    missing: str = "error",
    dates: str = "error",
) -> list[Table]:
    """Return the prepared table of each output: one, unless `y` has several columns.

    Parameters
    ----------
    X, y, task, missing, dates
        As for `pyfsel.measures.prepare`; with a name for `y`, as for
        `pyfsel.measures.streams.reading.read_in_parts`; or X is a prepared Table. Rows are dropped by output
        if ``missing="drop"``.
    sample_weight : array-like, shape (n_rows,), optional
        How much each row counts, for measures that can be weighted.
    row_groups : array-like, shape (n_rows,), optional
        Which rows belong together, such as the rows of one patient: chance and errors are by group.

    Raises
    ------
    InputError
        As `prepare`, and if the weights are not one number of at least 0 for each row.
    """
    reading = {"task": task, "missing": missing, "dates": dates}
    check_reading(**reading)
    if isinstance(X, Table):
        found = [X]
    elif isinstance(y, str) and not is_anndata(X):
        found = [_streams().read_in_parts(X, y, **reading)]
    elif (
        sample_weight is row_groups is None
        and is_large_frame(X)
        and _streams().can_be_by_columns(y, task, missing)
    ):
        found = [_streams().by_columns(X, y, **reading)]
    else:
        found = [prepare(X, target, **reading) for target in _targets(y)]
    return [with_rows(table, sample_weight, row_groups) for table in found]


def _streams() -> Any:
    """Return the module for large tables, which few need: small ones do not wait for it."""
    from pyfsel.measures.streams import reading

    return reading


def _targets(y: Any) -> list[Any]:
    """Return the columns of a target, as Series or arrays; anything but a matrix stays as it is."""
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple)):
        import pandas as pd

        y = pd.DataFrame(y)
    elif hasattr(y, "to_pandas"):
        y = y.to_pandas()
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != 2 or shape[1] < 2:
        return [y]
    return [y.iloc[:, j] if hasattr(y, "iloc") else y[:, j] for j in range(shape[1])]


def rules_of(table: Table, k: Any, dissimilarity: Any, constraints: Constraints | None) -> dict[str, Any]:
    """Return the rules for sets of features of a table as arguments of `make_instance`.

    Constant columns and identifiers are forbidden unless they are forced.

    Raises
    ------
    InputError
        If the other columns are too few for a set of the minimum size.
    """
    rules = as_constraints(constraints)
    left, others = selectable(table, rules)
    smallest = k[0] if isinstance(k, tuple) and k else k
    if isinstance(smallest, int) and left < smallest <= table.n_features:
        raise InputError(
            f"k={k}: {others}. Sets can have at most {left}. Force a column to count it as well."
        )
    forced, named = [*feature_numbers("forced", rules.forced, table.feature_names)], identifiers(table)
    named[forced] = False
    say_what_numbers_rows(table, named)
    useless = np.setdiff1d(np.flatnonzero(table.is_constant | named), forced)
    forbidden = [*list_of("forbidden", rules.forbidden), *useless.tolist()]
    found = {"constraints": replace(rules, forbidden=forbidden), "dissimilarity": dissimilarity}
    rule = None if dissimilarity is None else as_dissimilarity(dissimilarity)
    if rule is None or rule.relatives is None:
        return found
    pairs = related_pairs(table, rule.relatives)
    return found | {"dissimilarity": replace(rule, relatives=None), "relatives": pairs}


def selectable(table: Table, rules: Constraints) -> tuple[int, str]:
    """Return how many columns a set can have, and in words why the others cannot be in one."""
    numbers = {
        argument: [*feature_numbers(argument, getattr(rules, argument), table.feature_names)]
        for argument in ("forced", "forbidden")
    }
    allowed = ~(table.is_constant | identifiers(table))
    allowed[numbers["forbidden"]] = False
    allowed[numbers["forced"]] = True
    left = int(allowed.sum())
    reasons = "constant, identifiers or forbidden" if numbers["forbidden"] else "constant or identifiers"
    others = f", {table.n_features - left} of them {reasons}" if left < table.n_features else ""
    return left, f"the table has {table.n_features} features{others}"


def default_measure(kind: Objective, n_features: int, task: str = "auto") -> str:
    """Return the measure that an objective takes if none is named.

    Neighbours of more than two million pairs of columns would take hours, and binned information of short
    columns is positive between any two, so hardly any pair can be left out.
    """
    if task in OTHER_DEFAULTS and UNSUPERVISED not in trait(kind.default_measure, "tasks"):
        return OTHER_DEFAULTS[task]
    if kind.has_pairs and not kind.default_redundancy and n_features > MANY_FEATURES:
        return OF_MANY_PAIRS
    return kind.default_measure
