"""Constraints that cannot be satisfied together, found by deletion."""

from __future__ import annotations

from collections.abc import Sequence

from pyfsel.backends.minizinc.text import Item
from pyfsel.bench.lab.trials import Trial
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Status


def conflict(trial: Trial, problem: Instance) -> list[Item]:
    """Return constraints that have no solution together, none of which can be left out.

    Those of the libraries are left out first, and strengthenings always: without them there is none either.
    """
    dropped = [item for item in trial.items if item.is_strengthening]
    own = [item for item in trial.items if item.is_constraint and item not in dropped]
    needed = []
    for item in sorted(own, key=lambda item: item.file == trial.model):
        if _is_infeasible(trial, problem, [*dropped, item]):
            dropped.append(item)
        else:
            needed.append(item)
    return needed


def _is_infeasible(trial: Trial, problem: Instance, dropped: Sequence[Item]) -> bool:
    try:
        return trial.claim(problem, dropped).status is Status.INFEASIBLE
    except FalseClaimError:
        raise
    except SolverError:  # it relies on the item
        return False
