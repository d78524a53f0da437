"""`pyfsel select`: feature sets of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyfsel.cli.options import options_of
from pyfsel.cli.output import show, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.cli.table_options import of_table, read
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.interface.scores import measure
from pyfsel.interface.solving import solve
from pyfsel.objectives import Model, as_objective, refuse_unused
from pyfsel.problem.rules import Constraints

OF_TABLE = options_of(read, "task missing")
"""The options of a table but for those that what is done with it has as well."""
QUESTION_OPTIONS = (
    *OF_TABLE,
    *options_of(measure, "random_state n_jobs"),
    *options_of(Problem),
    *options_of(Constraints),
)
"""The options of everything about the sets of a table but how they are found."""
SOLVING_OPTIONS = (*options_of(solve), *options_of(measure, only="n_jobs"))
"""The options of how sets are found."""


def constraints_of(given: Given) -> dict[str, Any]:
    """Return the rules for every set as an argument of `Problem`, if there are any."""
    rules = given.of(Constraints)
    if "previous" in rules:
        rules["previous"] = [one for sets in rules["previous"] for one in sets]
    return {"constraints": Constraints(**rules)} if rules else {}


def selector_of(given: Given, *without: str) -> Any:
    """Return the unfitted selector that the options describe, but for those that are named."""
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector

    refuse_unused(given["objective"], given)
    own = {name: one for name, one in given.of(AlternativeFeatureSelector).items() if name not in without}
    return AlternativeFeatureSelector(**own, **constraints_of(given))


def problem_of(given: Given, make: Callable[..., Any] = Problem, **changes: Any) -> Any:
    """Return the problem of a table, or what else is made of its scores and rules.

    Parameters
    ----------
    given : Given
    make : callable
        Its arguments are the arguments of `Problem`, and others.
    **changes
        Arguments other than those that were given.
    """
    asked = {**given.of(Problem, make), **constraints_of(given), **changes}
    table = of_table(given)
    given.report(f"measuring {table.name}")
    scores = measure(table.X, table.y, **{**given.of(measure), **table.rows, "name": table.name})
    return make(scores, **asked)


def instead_of(answer: Answer) -> str:
    """Return what could be asked instead of the impossible; "" if that is unknown."""
    from pyfsel.questions.feasible import NO_CONSTRAINT, ways_out

    problem = answer.problem
    ways = ways_out(problem.instance, problem.dissimilarity, lambda name, value: f"-{name[0]} {value}")
    for name in NO_CONSTRAINT:
        ways = ways.replace(f"without {name}", f"without --{name.removesuffix('s').replace('_', '-')}")
    return ways


NOT_IN_FOLDS = "keep_best confirm n_threads memory_limit"
"""Options that `pyfsel evaluate` lacks."""


@command("select", QUESTION_OPTIONS, SOLVING_OPTIONS, write)
def select(given: Given) -> int:
    """Find feature sets for a table.

    Examples
    --------
    pyfsel select --dataset breast_cancer
    pyfsel select patients.csv -t diagnosis -k 5 -n 3 -d 0.6 --missing impute
    pyfsel select patients.csv -t diagnosis --objective mrmr -d shared:2 -o sets.json
    """
    with working(given, "reading") as told:
        objective = as_objective(given["objective"])
        if isinstance(objective, Model):
            from pyfsel.selectors.wrapper.by_model import sets_by_model

            refuse_unused(objective, given)
            answer = problem_of(given, sets_by_model, objective=objective, progress="quiet" not in given)
        else:
            answer = solve(problem_of(given), **given.of(solve), on_progress=told)
    found = answer.sets
    next_step = given.again("evaluate", NOT_IN_FOLDS.split()) if found else ""
    more = "--details adds bounds, units, solver and time" if found and "details" not in given else ""
    status, instead = str(answer.status), ""
    if status == "FEWER":
        from pyfsel.questions.feasible import nearest_text

        given.cautions += filter(None, [nearest_text(answer)])
        instead = f"-n {len(found)} for these sets alone, or a smaller -d for more"
    elif status == "INFEASIBLE":
        instead = instead_of(answer)
    return show(given, answer, next_step, more, instead)
