"""`pyfsel select`: feature sets of a table."""

from __future__ import annotations

from functools import partial
from typing import Any

from pyfsel.cli.options import options_of
from pyfsel.cli.output import say_progress, show, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.cli.table_options import of_table, read
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.interface.scores import Scores, measure
from pyfsel.interface.solving import solve
from pyfsel.objectives import Model, as_objective
from pyfsel.problem.rules import Constraints

OF_TABLE = "table task missing as_frame"
"""Parameters of `read` that are not options, or that others have as well."""
QUESTION_OPTIONS = (
    *options_of(read, OF_TABLE),
    *options_of(measure, "X y name groups sample_weight random_state n_jobs"),
    *options_of(Problem, "scores pairs constraints names scale"),
    *options_of(Constraints),
)
"""The options of everything about the sets of a table but how they are found."""
SOLVING_OPTIONS = (*options_of(solve, "problem on_progress"), *options_of(measure, only="n_jobs"))
"""The options of how sets are found."""


def constraints_of(given: Given) -> dict[str, Any]:
    """Return the rules for every set as an argument of `Problem`, if there are any."""
    rules = given.of(Constraints)
    if "budget" in rules and "costs" not in rules:
        raise InputError("budget: has no costs. Try: --costs FILE")
    if "previous" in rules:
        rules["previous"] = [one for sets in rules["previous"] for one in sets]
    return {"constraints": Constraints(**rules)} if rules else {}


def selector_of(given: Given, *without: str) -> Any:
    """Return the unfitted selector that the options describe, but for those that are named."""
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector

    own = {name: one for name, one in given.of(AlternativeFeatureSelector).items() if name not in without}
    return AlternativeFeatureSelector(**own, **constraints_of(given))


def problem_of(given: Given, **changes: Any) -> Problem:
    """Return the problem of a table, measured; `changes` are other arguments of `Problem`."""
    asked = {**given.of(Problem), **constraints_of(given), **changes}
    return Problem(scores_of(given), **asked)


def scores_of(given: Given) -> Scores:
    """Return the scores of a table, which are measured when they are needed."""
    table = of_table(given)
    given.report(f"measuring {table.name}")
    return measure(table.X, table.y, **{**given.of(measure), **table.rows, "name": table.name})


def answer_by_model(given: Given, objective: Model) -> Answer:
    """Return the sets with which a model predicts well."""
    from pyfsel.selectors.wrapper.by_model import sets_by_model

    asked = {**given.of(Problem, sets_by_model), **constraints_of(given), "objective": objective}
    if unused := given.of(solve).keys() - {"time_limit", "random_state"}:
        raise InputError(f"{min(unused)}: is for solvers. --objective model trains models instead")
    return sets_by_model(scores_of(given), **asked, progress="quiet" not in given)


def instead_of(answer: Answer) -> str:
    """Return what could be asked instead of the impossible; "" if that is unknown."""
    if str(answer.status) == "FEWER":
        return f"-n {len(answer.sets)} for these sets alone, or a smaller -d for more"
    if str(answer.status) != "INFEASIBLE":
        return ""
    from pyfsel.questions.feasible import NO_CONSTRAINT, ways_out

    problem = answer.problem
    ways = ways_out(problem.instance, problem.dissimilarity, lambda name, value: f"-{name[0]} {value}")
    for name in NO_CONSTRAINT:
        ways = ways.replace(f"without {name}", f"without --{name.removesuffix('s').replace('_', '-')}")
    return ways


def nearest_of(answer: Answer) -> list[str]:
    """Return which set is nearest to the rule if relatives leave no further one."""
    if str(answer.status) != "FEWER" or not len(answer.problem.instance.relatives):
        return []
    from pyfsel.questions.feasible import nearest_text

    return [nearest_text(answer.source).strip()]


NOT_IN_FOLDS = ("outputs", "keep_best", "confirm", "n_threads", "memory_limit")
"""Options that `pyfsel evaluate` lacks."""


@command(
    "select",
    *QUESTION_OPTIONS,
    *SOLVING_OPTIONS,
    *options_of(write),
    arguments="TABLE?",
)
def select(given: Given) -> int:
    """Find feature sets for a table.

    Examples
    --------
    pyfsel select --dataset breast_cancer
    pyfsel select patients.csv -t diagnosis -k 5 -n 3 -d 0.6 --missing impute
    pyfsel select patients.csv -t diagnosis --objective mrmr -d shared:2 -o sets.json
    """
    with working(given, "reading"):
        objective = as_objective(given["objective"])
        if isinstance(objective, Model):
            answer = answer_by_model(given, objective)
        else:
            told = partial(say_progress, given)
            answer = solve(problem_of(given), **given.of(solve), on_progress=told)
    found = answer.sets
    next_step = given.again("evaluate", NOT_IN_FOLDS) if found else ""
    more = "--details adds bounds, units, solver and time" if found and "details" not in given else ""
    if len(found) == answer.problem.n_sets:
        return show(given, answer, next_step, more)
    given.cautions += nearest_of(answer)
    return show(given, answer, next_step, more, instead_of(answer))
