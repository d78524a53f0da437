"""What a FlatZinc solver prints: solutions, how the search ended, statistics."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any, TextIO

from pyfsel.drivers.linear.connection import Outcome
from pyfsel.drivers.linear.exact import exact_solution
from pyfsel.drivers.linear.model import LinearModel, Number
from pyfsel.drivers.minizinc.bridge.model import Model, Output, Variable

BOUND_MARGIN = 1e-6  # relative: the tolerance by which solvers may be off
CLAIM_MARGIN = 0.5  # between two integers that differ
BOUND_SECONDS = 0.1  # between bounds that are printed, of which a solver finds thousands
LARGEST_BOUND = 1e18  # what is near SCIP's infinity, 1e20, is no bound

ENDINGS = {
    Outcome.INFEASIBLE: "=====UNSATISFIABLE=====",
    Outcome.UNBOUNDED: "=====UNBOUNDED=====",
    Outcome.INFEASIBLE_OR_UNBOUNDED: "=====UNSATorUNBOUNDED=====",
}


class Reporter:
    """Takes what a solver finds, checks it in exact numbers, and prints the FlatZinc protocol.

    Parameters
    ----------
    model : Model
    linear : LinearModel
    stream : text file
    every_solution : bool
        Whether to print each better solution as it comes, or the last one only.
    statistics : bool
        Whether to print statistics.
    start : float
        Value of `time.monotonic` when the program began.
    """

    def __init__(
        self,
        model: Model,
        linear: LinearModel,
        stream: TextIO,
        every_solution: bool,
        statistics: bool,
        start: float,
    ) -> None:
        self._model = model
        self._linear = linear
        self._stream = stream
        self._every_solution = every_solution and linear.goal != 0
        self._statistics = statistics
        self._start = start
        self._lock = threading.RLock()
        self._closed = False
        self.values: list[Number] | None = None
        self.bound: Number | float | None = None
        self._printed_bound: Number | float | None = None
        self._bound_time = start
        self.facts: dict[str, object] = {}

    @property
    def objective(self) -> Number | None:
        """Objective of the best solution so far."""
        if self.values is None or self._linear.objective is None:
            return None
        return self.values[self._linear.objective]

    def solution(self, found: Sequence[float]) -> bool:
        """Take a solution; return False if it does not stand up to the check."""
        values = exact_solution(self._linear, found)
        if values is None:
            return False
        with self._lock:
            if self._closed or not self._is_better(values):
                return True
            self.values = values
            if self._every_solution:
                self._print_solution()
        return True

    def take_bound(self, bound: float) -> None:
        """Take a bound on the objective from a floating-point solver, and round it to the safe side.

        New ones are printed now and then, where solutions are printed as they come.
        """
        if not math.isfinite(bound) or self._linear.objective is None or abs(bound) > LARGEST_BOUND:
            return
        bound += self._linear.goal * BOUND_MARGIN * max(1.0, abs(bound))  # up where it is maximised
        self.bound = bound
        if self._linear.integer[self._linear.objective]:
            self.bound = math.floor(bound) if self._linear.goal > 0 else math.ceil(bound)
        with self._lock:
            if self._every_solution and time.monotonic() - self._bound_time >= BOUND_SECONDS:
                self._print_bound()
                self._stream.flush()

    def finish(self, outcome: Outcome, claimed: float | None = None) -> None:
        """Print how the search ended.

        Parameters
        ----------
        outcome : Outcome
            One of the constants of this module, as the solver says.
        claimed : float or None
            The objective that the solver claims to be optimal; it counts as proved only if the exact solution
            reaches it.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if outcome == Outcome.INFEASIBLE_OR_UNBOUNDED and self._linear.has_bounded_cost():
                outcome = Outcome.INFEASIBLE
            if self.values is not None and not self._every_solution:
                self._print_solution()
            if self.values is None or outcome == Outcome.UNBOUNDED:
                self._line(ENDINGS.get(outcome, "=====UNKNOWN====="))
            elif outcome == Outcome.OPTIMAL and self._linear.goal != 0 and self._reaches(claimed):
                self.bound = self.objective
                self._line("==========")
            if self._statistics:
                self._print_statistics()
            self._stream.flush()

    def _is_better(self, values: Sequence[Number]) -> bool:
        if self.values is None:
            return True
        j = self._linear.objective
        return j is not None and self._linear.goal * (values[j] - self.values[j]) > 0

    def _reaches(self, claimed: float | None) -> bool:
        if claimed is None or self.objective is None:
            return True
        assert self._linear.objective is not None
        whole = self._linear.integer[self._linear.objective]
        margin = CLAIM_MARGIN if whole else BOUND_MARGIN * max(1.0, abs(claimed))
        return self._linear.goal * (claimed - float(self.objective)) < margin

    def _print_solution(self) -> None:
        for output in self._model.outputs:
            self._line(f"{output.name} = {self._content(output)};")
        self._print_bound()
        self._line("----------")
        self._stream.flush()

    def _print_bound(self) -> None:
        """Print the bound if it is new; the last one stands among the statistics at the end."""
        if self._statistics and not self._closed and self.bound != self._printed_bound:
            self._line(f"%%%mzn-stat: objectiveBound={_number_text(self.bound)}\n%%%mzn-stat-end")
            self._printed_bound, self._bound_time = self.bound, time.monotonic()

    def _content(self, output: Output) -> str:
        if output.dimensions is None:
            return self._text(output.content)
        ranges = ", ".join(f"{low}..{high}" for low, high in output.dimensions)
        items = ", ".join(map(self._text, output.content))
        return f"array{len(output.dimensions)}d({ranges}, [{items}])"

    def _text(self, content: Any) -> str:
        assert self.values is not None
        if not isinstance(content, Variable):
            return _number_text(content)
        value = self.values[content.number]
        return _number_text(bool(value) if content.kind == "bool" else value)

    def _print_statistics(self) -> None:
        facts = dict(self.facts)
        if self.objective is not None:
            facts["objective"] = _number_text(self.objective)
        if self.bound is not None:
            facts["objectiveBound"] = _number_text(self.bound)
        facts["solveTime"] = f"{time.monotonic() - self._start:.3f}"
        for name, value in facts.items():
            self._line(f"%%%mzn-stat: {name}={value}")
        self._line("%%%mzn-stat-end")

    def _line(self, text: str) -> None:
        self._stream.write(text + "\n")


def _number_text(number: Any) -> str:
    if isinstance(number, bool):
        return "true" if number else "false"
    return str(number) if isinstance(number, int | float) else repr(float(number))
