"""Families of independent sets that are dissimilar (000, 3.3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import may_be_equal, may_stand_together
from pyfsel.questions.enumeration.single_sets import Family

MOST_TRIES = 200_000


class Drawn(NamedTuple):
    """Families that were drawn at random, and how: by what, or in how many tries."""

    families: tuple[Family, ...] = ()
    method: str = ""


def accepted(sets: Iterator[FeatureSet], n_sets: int, n_draws: int, problem: Instance) -> Drawn:
    """Return families of independent sets that are dissimilar; one that is not ends its family.

    All orders of a family are equally likely, and different sets have equally many.
    """
    if may_be_equal(problem):
        raise InputError("max_overlap: allows equal sets; families are drawn of different ones")
    families: list[Family] = []
    tries = 0
    while tries < MOST_TRIES and len(families) < n_draws:
        tries += 1
        family: list[FeatureSet] = []
        for members in islice(sets, n_sets):
            if not all(may_stand_together(problem, members, other) for other in family):
                break
            family.append(members)
        else:
            families.append(tuple(sorted(family)))
    return Drawn(tuple(families), f"{tries:,} tries, of which {len(families):,} had dissimilar sets")
