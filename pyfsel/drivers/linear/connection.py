"""One run of a linear solver: what the solver is given, and what becomes of what it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyfsel.drivers.linear.linear_model import in_floats, linear_model
from pyfsel.drivers.linear.lp_files import mps_text
from pyfsel.errors import FalseClaimError
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.objectives import Family
from pyfsel.results.control import Control

LARGEST_RESERVE, RESERVED_SHARE = 0.1, 0.05  # seconds, and a share of the time that is left
SHORTEST_RUN_SECONDS = 0.01  # some solvers, and MiniZinc, take 0 for no limit
LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
ROUNDING = 1e-6  # of sums of integers in floats, in addition to the tolerance of the solver
TOLERANCE = 1e-9  # of feasibility and of reduced costs, as specified to solvers


class LinearRun:
    """One run of a solver on a model.

    Parameters
    ----------
    m : ZeroOneModel
    control : Control
        Limits, where sets and bounds are reported, and a known solution, which a solver need not use.
    tolerances : (float, float)
        Relative errors of the costs and bounds that the solver reports of integers, and of reals.

    Attributes
    ----------
    model : LinearModel
        In floats.
    sets : feature sets or None
        The last ones that it found.
    bound : int or None
        The last one that it proved, safe from its floats.
    claimed : float or None
        What it says that the sets are worth.
    slack : float
        By how much its floats may be wrong.
    error : FalseClaimError or None
        What is wrong with a solution: a callback of a solver cannot raise it.
    """

    def __init__(self, m: ZeroOneModel, control: Control, tolerances: tuple[float, float]) -> None:
        self.m, self.control = m, control
        self.model = in_floats(linear_model(m))
        self.all_integer = all(column.integer for column in self.model.columns)
        self.start = [(v - 1, float(inside)) for v, inside in m.memberships(control.hint)]
        self.slack = tolerances[not self.all_integer] * m.limits[1] + ROUNDING
        self.sets: Family | None = None
        self.bound: int | None = None
        self.claimed: float | None = None
        self.error: FalseClaimError | None = None

    def seconds(self) -> float:
        """Return the seconds that the solver may take, infinitely many without a limit.

        A little is kept back: solvers look at the clock now and then only.
        """
        left = self.control.remaining()
        return max(SHORTEST_RUN_SECONDS, left - min(LARGEST_RESERVE, left * RESERVED_SHARE))

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Write the model as MPS, which all solvers read, for as long as the context lasts."""
        with TemporaryDirectory(prefix="pyfsel-") as folder:
            path = Path(folder, "model.mps")
            path.write_text(mps_text(self.model, name="pyfsel FREE"), encoding="ascii")
            yield path

    def take_solution(self, found: Sequence[float], cost: float | None = None) -> None:
        """Take the values of all columns, and at the end what they cost."""
        read = [v for row in self.m.member for v in row] or range(1, self.m.n + 1)
        for v in read:
            value = found[v - 1]
            if not math.isfinite(value) or abs(value - round(value)) > LARGEST_FRACTION:
                self.error = FalseClaimError(f"{self.m.names[v]} is {value}. It must be an integer")
                return
        self.sets = self.m.sets(lambda v: round(found[v - 1]))
        self.control.report_sets(self.sets)
        if cost is not None:
            self.claimed = self._objective(cost)

    def take_bound(self, cost: float) -> None:
        """Take a bound on the cost."""
        proved = self.integer(self._objective(cost))
        if proved is not None:
            self.bound = proved
            self.control.report_bound(proved)

    def _objective(self, cost: float) -> float:
        return self.m.constant - cost * self.model.unit

    def integer(self, bound: float) -> int | None:
        """Return an integer bound from one in floats, or None if it says nothing."""
        return math.floor(bound + self.slack) if abs(bound) <= self.m.limits[1] + 1 else None
