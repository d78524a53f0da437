"""From a problem and the name of a formulation to a complete CP-SAT model."""

from __future__ import annotations

from typing import Any

from pyfsel.backends.cpsat.graph_score import graph_score_values
from pyfsel.backends.cpsat.membership import SetModel
from pyfsel.backends.cpsat.strengthening import (
    add_dominance,
    add_unary_counts,
    forbid_dominated_columns,
    order_sets,
)
from pyfsel.backends.cpsat.values import mrmr_values_big_m, mrmr_values_pairs, univariate_values
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.control import LITERAL, PAIRS, STRENGTHENED


def build_model(problem: Problem, formulation: str, upper_bound: int | None = None) -> SetModel:
    """Return the model of all sets of the problem at once.

    Parameters
    ----------
    problem : Problem
    formulation : {"strengthened", "literal", "tight-big-m", "pairs"}
        "literal" is the paper's (000, Eq. 22, and Eq. 14 for mRMR); "tight-big-m" differs from it in a big-M
        per feature; "strengthened" adds the constraints of `strengthening` and takes for mRMR the tight
        big-M for one set, where it is faster, and pairs for several, where it bounds better; "pairs" takes
        pairs always.
    upper_bound : int, optional
        A known bound on the objective.
    """
    sets = SetModel(problem)
    strong = formulation in (STRENGTHENED, PAIRS)
    pairs = formulation == PAIRS or (strong and problem.n_sets > 1)
    counts_help = strong and problem.n_sets > 1 and not problem.has_size_range
    at_least = add_unary_counts(sets) if counts_help else None
    objective = objective_of(problem)
    if objective.has_one_size:
        sets.set_value = (
            mrmr_values_pairs(sets) if pairs else mrmr_values_big_m(sets, tight=formulation != LITERAL)
        )
    elif objective.has_pairs:
        sets.set_value = graph_score_values(sets, one_sided=strong)
    else:
        sets.set_value = univariate_values(sets)
    if problem.min_quality is not None:
        for value in sets.set_value:
            sets.model.add(value >= problem.min_quality)
    if strong:
        _strengthen(sets, at_least)
    _maximise(sets, at_least, upper_bound)
    return sets


def _strengthen(sets: SetModel, at_least: list[list[Any]] | None) -> None:
    order_sets(sets)
    if at_least is None:
        if sets.problem.n_sets > 1:
            return
        at_least = [[var] for var in sets.member[0]]
    ordered_counts = sets.problem.n_sets == 1 or sets.problem.aggregate == "sum"
    if ordered_counts:
        add_dominance(sets, at_least)
    if ordered_counts and sets.problem.n_sets > 1:
        sets.branch_first = [var for j in sets.order for var in at_least[j]]
    forbid_dominated_columns(sets, at_least, within_classes=not ordered_counts)


def _maximise(sets: SetModel, at_least: list[list[Any]] | None, upper_bound: int | None) -> None:
    problem = sets.problem
    if problem.aggregate == "min" and problem.n_sets > 1:
        largest = problem.largest_total
        worst = sets.model.new_int_var(-largest, largest if upper_bound is None else upper_bound, "worst")
        for value in sets.set_value:
            sets.model.add(worst <= value)
        sets.model.maximize(worst)
        return
    if at_least is not None and objective_of(problem).is_sum:
        total = sum(int(problem.quality[j]) * var for j, unary in enumerate(at_least) for var in unary)
    else:
        total = sum(sets.set_value)
    if upper_bound is not None:
        sets.model.add(total <= upper_bound)
    sets.model.maximize(total)
