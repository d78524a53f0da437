"""Disjoint sets with the largest minimum as balanced number partitioning (paper 000, Prop. 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.reductions.number_partitioning import Partitioning, Parts
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import Control


class Partition(Backend):
    """Reduces the problem to number partitioning, solves that, and translates the solution back."""

    name = "partition"
    summary = "disjoint sets with the largest minimum, as balanced number partitioning (000, Prop. 8)"
    objectives = (Kind.SUMS,)
    basis = ("partition", "cpsat")
    packages: ClassVar[Mapping[str, str]] = {"ortools": "ortools"}

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return Partitioning.applies(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.partitioning.search import PartitionSearch, set_aside

        reduction = Partitioning.apply(problem)
        aside = set_aside(reduction.instance)
        least = reduction.instance.least_value

        def report_parts(parts: Parts) -> None:
            control.report_sets(reduction.invert(aside.complete(parts)))

        search = PartitionSearch(
            aside.rest,
            control.limits.random_state,
            control.remaining,
            on_parts=report_parts,
            on_bound=lambda bound: control.report_bound(reduction.objective(max(bound, least))),
        )
        search.run()
        sets = tuple(reduction.invert(aside.complete(search.best)))
        bound = reduction.objective(max(search.bound, least))
        statistics = {"method": search.method, "fixed_sets": len(aside.fixed)}
        if search.finished:
            stated = Stated(reduction.objective(max(search.value, least)))
            return Answer(Status.OPTIMAL, sets, bound, statistics=statistics, stated=stated)
        return Answer(Status.FEASIBLE, sets, bound, StopReason.TIME_LIMIT, statistics)
