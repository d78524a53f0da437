"""All optimal solutions by trying every combination of sets."""

from __future__ import annotations

from itertools import combinations

from pyfsel.backends import get_backend
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.questions.enumeration.base import Take
from pyfsel.results.control import STRENGTHENED, Control
from pyfsel.results.verify import violations


def refusal(problem: Problem) -> str | None:
    """Return why there are too many sets, or None."""
    return get_backend("brute-force").refusal(problem, STRENGTHENED)


def list_families(problem: Problem, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    alone = problem.replace(n_sets=1)
    pool = [
        members
        for size in problem.sizes
        for members in combinations(range(problem.n_features), size)
        if not violations(alone, [members])
    ]

    def extended(chosen: tuple[FeatureSet, ...], first: int) -> None:
        control.check_time()
        if len(chosen) == problem.n_sets:
            if values.total(problem, chosen) >= value:
                take(chosen)
            return
        for i in range(first, len(pool)):
            if all(_are_dissimilar(problem, pool[i], other) for other in chosen):
                extended((*chosen, pool[i]), i)

    extended((), 0)


def _are_dissimilar(problem: Problem, one: FeatureSet, other: FeatureSet) -> bool:
    return len({*one} & {*other}) <= problem.allowed_overlap(len(one), len(other))
