"""How many sets reach a value and which features they hold: counted as they are met, few of them kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.questions.enumeration import METHODS
from pyfsel.questions.enumeration.blocks import Blocks
from pyfsel.questions.enumeration.single_sets import EnoughError, Family
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError
from pyfsel.results.task import Task

WAITING = 100_000  # sets whose pairs are added up together


@dataclass
class Tally:
    """What is known of the sets met so far.

    Parameters
    ----------
    n_features, most_kept : int
        No more sets than that are kept; beyond them none is.
    steps : tuple of int
        Values; `reached` is how many sets reach each.

    Attributes
    ----------
    n_sets : int
    joint : array of int, shape (n_features, n_features)
        Above the diagonal how many sets hold both features, on it how many hold one.
    kept : list of sets
    """

    n_features: int
    most_kept: int
    steps: tuple[int, ...]
    n_sets: int = 0
    joint: NDArray[np.int64] = field(init=False)
    reached: NDArray[np.int64] = field(init=False)
    kept: list[tuple[int, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.joint = np.zeros((self.n_features, self.n_features), np.int64)
        self.reached = np.zeros(len(self.steps), np.int64)
        self._waiting: list[NDArray[np.int64]] = []
        self._n_waiting = 0

    def see(self, sets: NDArray[Any], numbers: NDArray[np.int64]) -> None:
        """Count sets, of one size, and their values."""
        self.n_sets += len(sets)
        self.reached += (numbers[:, None] >= np.array(self.steps, np.int64)).sum(axis=0)
        if self.n_sets <= self.most_kept:
            self.kept += map(tuple, sets.tolist())
        else:
            self.kept.clear()
        self._waiting.append(np.array(sets, np.int64))
        self._n_waiting += len(sets)
        if self._n_waiting > WAITING:
            self.add_up()

    def add_up(self) -> None:
        """Add the pairs of the sets that wait."""
        for sets in self._by_size():
            for place in range(sets.shape[1]):
                for other in range(place, sets.shape[1]):
                    codes = sets[:, place] * self.n_features + sets[:, other]
                    most = self.n_features**2
                    if most <= WAITING:
                        self.joint += np.bincount(codes, minlength=most).reshape(self.joint.shape)
                    else:
                        np.add.at(self.joint.reshape(-1), codes, 1)
        self._waiting, self._n_waiting = [], 0

    def _by_size(self) -> list[NDArray[np.int64]]:
        sizes = {sets.shape[1] for sets in self._waiting}
        return [np.concatenate([s for s in self._waiting if s.shape[1] == size]) for size in sorted(sizes)]


class Census(Task):
    """Counts all sets of a problem for one set that reach a value; its answer has a `Tally`.

    Parameters
    ----------
    method : str
        Key of `METHODS`.
    value : int
    tally : Tally
    """

    def __init__(self, method: str, value: int, tally: Tally) -> None:
        self.name = method
        self.basis: tuple[str, ...] = (method,)
        self.value = value
        self.tally = tally

    def solve(self, problem: Instance, control: Control) -> Answer:
        """Return OPTIMAL once all are counted, FEASIBLE before."""
        tally, why = self.tally, None
        try:
            blocks_of(self.name, tally.most_kept)(problem, self.value, control, tally.see)
        except OutOfTimeError:
            why = StopReason.TIME_LIMIT
        except TooManySetsError:
            why = StopReason.MEMORY_LIMIT
        except EnoughError:
            why = StopReason.FINISHED
        tally.add_up()
        found: dict[str, Any] = {"statistics": {"tally": tally}}
        first = (tally.kept[0],) if tally.kept else None
        if why is None and first is None and not tally.n_sets:
            return Answer(Status.INFEASIBLE, **found)
        status = Status.OPTIMAL if why is None else Status.FEASIBLE if first else Status.NOT_SOLVED
        return Answer(status, first, stop_reason=why or StopReason.FINISHED, **found)


def blocks_of(method: str, most: int) -> Blocks:
    """Return how a method hands over sets in blocks; one that lists them one by one ends after so many."""
    if (blocks := METHODS[method].list_blocks) is not None:
        return blocks

    def one_by_one(problem: Instance, value: int, control: Control, take: Any) -> None:
        seen: set[tuple[int, ...]] = set()

        def see(family: Family) -> None:
            members = tuple(sorted(family[0]))
            if members in seen:
                return
            if len(seen) == most:
                raise EnoughError
            seen.add(members)
            take(np.array([members]), np.array([values.value(problem, members)]))

        METHODS[method].list_families(problem, value, control, see)

    return one_by_one
