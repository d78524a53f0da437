"""The loss in numbers and in words, for all questions about sets of a minimum quality."""

from typing import Any

from pyfsel.backends.base import Backend
from pyfsel.errors import InputError
from pyfsel.interface.problem import Problem, solvable
from pyfsel.interface.solving import MIP, as_solver
from pyfsel.problem import values
from pyfsel.problem.checks import is_a, one_of, share
from pyfsel.problem.fields import LARGEST_TOTAL
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import PROVED, Status
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import Facts, aligned, percent
from pyfsel.results.result import Result
from pyfsel.solving.asking import Asking
from pyfsel.solving.least_share import value_after_loss

SOLVING = "solver time_limit random_state n_threads memory_limit confirm"


def asking_of(solving: dict[str, Any]) -> Asking:
    """Return what solves the problems of a question, by arguments of `pyfsel.solve`."""
    return Asking(**options_of(solving))


def options_of(solving: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of `pyfsel.solve` as arguments of the internal `solve`."""
    for name in solving:
        one_of("argument", name, SOLVING.split())
    confirm = solving.get("confirm")
    is_a("confirm", confirm, str | Backend | None, "a name or None")
    given = {"time_limit": 60, **solving, "confirm": MIP.get(str(confirm), confirm)}
    return {**as_solver(given.pop("solver", "auto")), **given}


def instance_of(problem: Problem) -> Instance:
    """Return the integers of a problem; an error if it is none."""
    return solvable(problem).instance


def require_one_stage(problem: Problem, question: str) -> None:
    """Raise `InputError` unless one number says what the best sets are."""
    instance_of(problem).require_sum_or_min()
    if problem.search == "min_then_sum" and (problem.n_sets > 1 or question == "sweep"):
        raise InputError(
            f"{question}: search='min_then_sum' has two goals. Try: search='min' or search='sum'"
        )


def require_any_order(problem: Problem, question: str) -> None:
    """Raise `InputError` if relatives compare each set with the earlier ones: the question has no order."""
    instance_of(problem).require_sum_or_min()
    if len(problem.instance.relatives):
        raise InputError(
            f"{question}: is not for a dissimilarity with relatives, which compares each set with the "
            "earlier ones. Try: a dissimilarity without relatives"
        )


def loss_of(instance: Instance, loss: float) -> float | None:
    """Return the loss, None for a problem whose minimum quality says what is requested."""
    share("loss", loss)
    return None if instance.min_quality is not None else loss


def best_and_limited(
    asking: Asking, instance: Instance, lost: float | None, needs_best: bool = False
) -> tuple[Result | None, Instance | None]:
    """Return the best single set, and the problem with the minimum quality that is requested.

    The best set is not searched if nothing refers to it. The problem is None if the best set is not known.
    """
    if lost is None and not needs_best:
        return None, instance
    best = asking.best_set(instance)
    if best is None or best.status is not Status.OPTIMAL:
        return best, None
    if lost is None or best.integer_objective is None:
        return best, instance
    least = value_after_loss(best.integer_objective, lost)
    return best, instance.replace(min_quality=max(least, -LARGEST_TOTAL))


def confirmed_but_for_the_number(
    asking: Asking, best: Result | None, status: Status, what: str
) -> Confirmation | None:
    """Return what came of proving the best sets again; `what` was listed or counted by one method."""
    if best is None or status not in PROVED:
        return None
    optimum = asking.confirmation([(best.problem, best.sets)])
    if optimum is None or not best.sets:
        return optimum
    return Confirmation.of_all([optimum, Confirmation.not_confirmed(f"{what} by one method")])


def at_least(loss: float | None, count: int = 0) -> str:
    """Return what this number of sets does, in words."""
    if loss is None:
        return "has the minimum quality" if count == 1 else "have the minimum quality"
    return f"{'loses' if count == 1 else 'lose'} at most {percent(loss)} of the best quality"


def not_known(instance: Instance, loss: float | None, origin: str, more: str = "") -> str:
    """Return that the number of sets that lose at most this proportion is not known, not even one of them."""
    return f"The number of sets of {instance.sizes_text} that {at_least(loss)}{more} is not known{origin}"


def threshold_facts(problem: Instance, best: Result | None) -> Facts:
    """Return what is requested of each set, and what the best set has."""
    if problem.min_quality is None:
        return []
    said = f"at least {aligned([values.to_float(problem, problem.min_quality)])[0]} for each set"
    if best is not None and best.objective is not None:
        said += f"; the best set has {aligned([best.objective])[0]}"
    return [("quality", said)]
