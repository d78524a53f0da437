"""Enumeration: all sets of a small problem at once, by NumPy in this process."""

from __future__ import annotations

from math import comb

from pyfsel.backends.base import Backend
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS
from pyfsel.results.answer import Answer, Stated, Status
from pyfsel.results.control import Control

MOST_SETS = 150_000


class Enumeration(Backend):
    """Takes the best of all sets: milliseconds for one set, where other backends first load their libraries.

    Notes
    -----
    `CompletePool` lists every set of the size that its constraints and the previous sets allow, so the first
    one of the largest value is a best one, and an empty list proves that there is none.
    """

    name = "enumeration"
    summary = "tries all sets of a small problem at once, for one set at a time"
    isolated = False
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("enumeration",)
    needs_start = False

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if problem.n_sets > 1:
            return "takes one set at a time"
        count = comb(problem.n_features, problem.set_size)
        return f"{count} possible sets are more than {MOST_SETS}" if count > MOST_SETS else None

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.packing.pool import CompletePool

        pool = CompletePool(problem)
        if not len(pool.values):
            return Answer(Status.INFEASIBLE)
        best = int(pool.values.argmax())
        value = int(pool.values[best])
        return Answer(Status.OPTIMAL, (tuple(pool.sets[best].tolist()),), value, stated=Stated(value))
