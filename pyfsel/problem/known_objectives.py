"""The objectives by name."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.fractions import CFS, R2, FacilityLocation
from pyfsel.problem.objectives import CIFE, FCBF, JMI, MIFS, MRMR, GraphScore, Objective, Univariate

OBJECTIVES: dict[str, Objective] = {
    kind.name: kind()
    for kind in (Univariate, FCBF, MRMR, JMI, MIFS, CIFE, GraphScore, CFS, R2, FacilityLocation)
}
KNOWN_TO_MODELS = frozenset(OBJECTIVES)
"""The objectives whose weights `models/lib/problem.mzn` computes. Leave out what it does not know: instance
files then state the weights, and the models read them."""


def objective_named(given: str | Objective) -> Objective:
    """Return the objective of a name, or what was given; raise `InputError` for an unknown name."""
    name = given.name if isinstance(given, Objective) else given
    one_of("objective", name, OBJECTIVES)
    return given if isinstance(given, Objective) else OBJECTIVES[name]


def check_sizes(objective: str, sizes: range) -> None:
    """Raise `InputError` if the sets of an objective that knows one size only may differ in size."""
    if len(sizes) > 1 and OBJECTIVES[objective].has_one_size:
        raise InputError(f"k_min={sizes[0]}: objective={objective!r} has one size; the smallest is best")


def taken_by(words: Iterable[str], *, one_size: bool = True) -> list[str]:
    """Return the objectives that one takes who says these names and kinds, for sets of one size or not."""
    return [name for name, kind in OBJECTIVES.items() if {name, *kind.kinds(one_size=one_size)} & {*words}]
