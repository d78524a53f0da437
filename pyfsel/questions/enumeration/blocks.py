"""All single sets from a value on, in arrays as a search meets them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from pyfsel.backends import get_backend
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.questions.enumeration.single_sets import Take
from pyfsel.results.control import STRENGTHENED, Control, OutOfTimeError, TooManySetsError

TakeBlock: TypeAlias = "Callable[[Any, Any], None]"
"""Takes sets, an array of shape (any, size), and their values."""
Blocks: TypeAlias = "Callable[[Instance, int, Control, TakeBlock], None]"


def refusal_of(backend: str, *, of_any_size: bool = False) -> Callable[[Instance], str | None]:
    """Return what says why a search of one best set does not list them."""

    def refusal(problem: Instance) -> str | None:
        if problem.n_sets > 1 or (problem.has_size_range and not of_any_size):
            return "lists single sets" + ("" if of_any_size else " of one size")
        return get_backend(backend).refusal(problem.replace(min_quality=None), STRENGTHENED)

    return refusal


def by_chains(problem: Instance, value: int, control: Control, take: TakeBlock) -> None:
    """Hand over all sets that reach the value, along heavy chains; those of CFS are among those of a step."""
    from pyfsel.algorithms.cfs.step import Step
    from pyfsel.algorithms.ksubgraph.search import each_block, instance_of

    is_fraction = values.objective_of(problem).is_fraction
    value = _least(problem, value)
    asked, least = (Step.of(problem, value).problem, 0) if is_fraction else (problem, value)

    def see(sets: Any, numbers: Any) -> None:
        if is_fraction:
            numbers = values.values(problem, sets)
            sets, numbers = sets[numbers >= value], numbers[numbers >= value]
        take(sets, numbers)

    if not each_block(instance_of(asked), least, see, control.expired):
        raise OutOfTimeError if control.expired() else TooManySetsError


def by_best_subsets(problem: Instance, value: int, control: Control, take: TakeBlock) -> None:
    """Hand over all sets that explain so much."""
    from pyfsel.algorithms.best_subsets.search import BestSubsets

    for size in problem.sizes:
        BestSubsets(problem, control, size).list_above(_least(problem, value), take)


def by_packing(problem: Instance, value: int, control: Control, take: TakeBlock) -> None:
    """Hand over all sets that reach the value, those of larger values first."""
    from pyfsel.algorithms.packing.pool import falling, pool_of

    done = 0
    for sets, numbers, _ in falling(pool_of(problem), value, control.check_time):
        take(sets[done:], numbers[done:])
        done = len(sets)


def one_by_one(blocks: Blocks) -> Callable[[Instance, int, Control, Take], None]:
    """Return what hands over the sets of blocks singly."""

    def families(problem: Instance, value: int, control: Control, take: Take) -> None:
        def see(sets: Any, numbers: Any) -> None:
            for members in sets.tolist():
                take((tuple(members),))

        blocks(problem, value, control, see)

    return families


def _least(problem: Instance, value: int) -> int:
    return value if problem.min_quality is None else max(value, problem.min_quality)
