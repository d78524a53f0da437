"""All solutions that reach a value, listed or counted as they are met, in a process that can be killed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.questions.methods import METHODS, EnoughError, Family
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason, Task
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError


@dataclass
class Tally:
    """How many sets were met, which features they have, and which values they reach.

    Parameters
    ----------
    n_features, most_kept : int
        The first sets are kept, this number at most.
    steps : sequence of int
        Values; `reached` is how many sets reach each.

    Attributes
    ----------
    n_sets : int
    joint : sparse array of int, shape (n_features, n_features)
        How many sets have both features; on the diagonal how many have one.
    kept : list of sets
    """

    n_features: int
    most_kept: int
    steps: Sequence[int]
    n_sets: int = 0
    joint: Any = 0
    reached: Any = 0
    kept: list[tuple[int, ...]] = field(default_factory=list)

    def see(self, sets: NDArray[Any], numbers: NDArray[np.int64]) -> None:
        """Count sets, of one size, and their values."""
        from scipy.sparse import csr_array

        self.n_sets += len(sets)
        self.reached += (numbers[:, None] >= np.array(self.steps, np.int64)).sum(axis=0)
        self.kept += map(tuple, sets[: self.most_kept - len(self.kept)].tolist())
        ends = np.arange(len(sets) + 1) * sets.shape[1]
        held = csr_array(
            (np.ones(sets.size, np.int64), sets.ravel(), ends), shape=(len(sets), self.n_features)
        )
        self.joint += held.T @ held


class ListingTask(Task):
    """Lists all solutions of a problem that reach a value; every one is reported as it comes.

    Parameters
    ----------
    method : str
        Key of `METHODS`.
    value : int
    limit : int or None
        Stop after this number, unless a search meets them in blocks that are counted.
    tally : Tally or None
        Counts the sets, of a problem for one set, in place of reports. The answer has it in its statistics.
    """

    def __init__(self, method: str, value: int, limit: int | None, tally: Tally | None = None) -> None:
        self.name = method
        self.basis: tuple[str, ...] = (method,)
        self.value = value
        self.limit = limit
        self.tally = tally

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        """Return OPTIMAL once all solutions have been met, FEASIBLE before."""
        tally, why, value = self.tally, None, self.value
        found: list[Family] = []

        def take(family: Family) -> None:
            if len(found) == self.limit:
                raise EnoughError
            found.append(tuple(sorted(tuple(sorted(members)) for members in family)))
            if tally is None:
                control.report_sets(found[-1])

        def take_each(sets: NDArray[Any], _: NDArray[np.int64]) -> None:
            for members in sets.tolist():
                take((tuple(members),))

        if problem.n_sets == 1 and problem.min_quality is not None:
            value = max(value, problem.min_quality)
        try:
            see = take_each if tally is None else tally.see
            METHODS[self.name].run(problem, value, control, take, see)
        except EnoughError:
            why = StopReason.FINISHED
        except OutOfTimeError:
            why = StopReason.TIME_LIMIT
        except TooManySetsError:
            why = StopReason.MEMORY_LIMIT
        if tally is not None:
            for size in {len(members) for (members,) in found}:
                alike = [members for (members,) in found if len(members) == size]
                tally.see(np.array(alike), values.values(problem, alike))
        first = found[0] if found else None
        if why is not None:
            return BackendAnswer.unproved(first, stop_reason=why, statistics={"tally": tally})
        is_found = first is not None or (tally is not None and tally.n_sets > 0)
        status = Status.OPTIMAL if is_found else Status.INFEASIBLE
        return BackendAnswer(status, first, statistics={"tally": tally})
