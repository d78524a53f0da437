"""The best vector of counts that pair counting, prefix bounds and cuts leave: a small CP-SAT model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ortools.sat.python import cp_model

from pyfsel.algorithms.counts.family import CountVector, Family
from pyfsel.errors import BackendError, VerificationError
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.results.answer import Stated
from pyfsel.solvers.cpsat import IntegerBounds, new_solver


@dataclass(frozen=True)
class Proposal:
    """What the master found.

    Attributes
    ----------
    counts : tuple of int or None
        The best counts left, without trailing zeros; None if there are none, or if time ran out.
    bound : int or None
        Their value, or an upper bound on the value of all counts left; None if nothing is known.
    exhausted : bool
        Whether no counts are left.
    """

    counts: CountVector | None = None
    bound: int | None = None
    exhausted: bool = False


class Master:
    """Counts of features by decreasing quality, with dominance: better features are used at least as often.

    The variable ``at_least[j][v]`` says that feature j is in more than v sets.

    Parameters
    ----------
    quality : sequence of int, in decreasing order
    family : Family
    """

    def __init__(self, quality: Sequence[int], family: Family) -> None:
        self.quality = [int(q) for q in quality]
        self.family = family
        self.model = cp_model.CpModel()
        self.at_least = [
            [self.model.new_bool_var(f"at_least[{j},{v + 1}]") for v in range(family.n_sets)]
            for j in range(len(self.quality))
        ]
        for row in self.at_least:
            for lower, higher in pairwise(row):
                self.model.add_implication(higher, lower)
        for better, worse in pairwise(self.at_least):
            for b, w in zip(better, worse, strict=True):
                self.model.add_implication(w, b)
        self._bound_uses()
        self.shared = sum(v * var for row in self.at_least for v, var in enumerate(row))
        self.model.add(self.shared <= family.all_overlaps)
        largest = family.n_sets * sum(abs(q) for q in self.quality)
        self.value = self.model.new_int_var(-largest, largest, "value")
        self.model.add(
            self.value
            == sum(q * var for q, row in zip(self.quality, self.at_least, strict=True) for var in row)
        )
        self.model.maximize(self.value)

    def _bound_uses(self) -> None:
        family = self.family
        limits = prefix_limits(len(self.quality), family.n_sets, family.set_size, family.max_overlap)
        uses = family.n_memberships
        self.model.add(sum(var for row in self.at_least for var in row) == uses)
        for t, limit in enumerate(limits, start=1):
            if limit < uses:
                self.model.add(sum(var for row in self.at_least[:t] for var in row) <= limit)

    def forbid(self, counts: Sequence[int]) -> None:
        """Exclude all vectors that lie above these counts, which are in decreasing order.

        A longer vector than there are features excludes nothing. A complete vector excludes only itself.
        """
        if len(counts) <= len(self.at_least):
            self.model.add_bool_or(~row[count - 1] for row, count in zip(self.at_least, counts, strict=False))

    def keep_between(self, low: int | None, high: int | None) -> None:
        """Ask for values in this range from now on."""
        if low is not None:
            self.model.add(self.value >= low)
        if high is not None:
            self.model.add(self.value <= high)

    def propose(self, seconds: float | None, random_state: int, spare: int = 0) -> Proposal:
        """Return the best counts left.

        Parameters
        ----------
        seconds : float or None
        random_state : int
        spare : int
            Leave at least so much of the sum of all overlaps unused: such counts are easier to realise.
        """
        model = self.model
        if spare:
            model = self.model.clone()
            model.add(self.shared <= self.family.all_overlaps - spare)
        solver = new_solver(random_state, seconds)
        native = solver.solve(model)
        if native == cp_model.INFEASIBLE:
            return Proposal(exhausted=True)
        if native == cp_model.UNKNOWN:
            return Proposal()
        if native == cp_model.FEASIBLE:
            return Proposal(bound=IntegerBounds(model).upper(solver.best_objective_bound))
        if native != cp_model.OPTIMAL:
            raise BackendError(
                f"counts: the master returned {solver.status_name(native)}: {model.validate()}"
            )
        counts = [sum(solver.value(var) for var in row) for row in self.at_least]
        value = sum(q * count for q, count in zip(self.quality, counts, strict=True))
        stated = Stated(solver.objective_value, IntegerBounds(model).margin)
        if stated.differs_from(value):
            raise VerificationError(f"counts: its master states {stated.value} for counts that have {value}")
        return Proposal(tuple(count for count in counts if count), value)
