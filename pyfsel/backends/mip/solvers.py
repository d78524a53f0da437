"""Running a MIP solver on a linear model with names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsel.backends.mip.linear_model import NamedModel
from pyfsel.backends.mip.scaling import in_floats
from pyfsel.errors import BackendError, VerificationError
from pyfsel.results.control import Control
from pyfsel.solvers.linear.connection import Outcome, Settings, load

Values = Mapping[str, float]


@dataclass(frozen=True)
class MipRun:
    """What a solver says in floating point: minimised cost, lower bound on it, values by variable."""

    outcome: Outcome
    values: Values | None = None
    cost: float | None = None
    bound: float | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MipTask:
    """A model, the limits, values to start from, and where solutions and bounds on the cost are reported."""

    model: NamedModel
    control: Control
    start: Values
    on_values: Callable[[Values], None]
    on_bound: Callable[[float], None]


def run(name: str, task: MipTask) -> MipRun:
    """Minimise with one of the solvers of `pyfsel.solvers.linear`."""
    columns, limits = task.model.columns, task.control.limits
    model, unit = in_floats(task.model.linear)
    heard = _Heard(task, unit)
    start = [(columns[variable], value) for variable, value in task.start.items()]
    settings = Settings(limits.deadline, limits.n_threads, limits.random_state, start=start)
    ending = load(name)(model, settings).solve(heard)
    if heard.error is not None:
        raise heard.error
    if ending.outcome not in (Outcome.OPTIMAL, Outcome.INFEASIBLE, Outcome.LIMIT):
        raise BackendError(f"{name} ended with {ending.native or ending.outcome}")
    if ending.outcome == Outcome.INFEASIBLE:
        return MipRun(Outcome.INFEASIBLE, statistics=heard.facts)
    cost = None if ending.claimed is None else ending.claimed * unit
    return MipRun(ending.outcome, heard.values, cost, heard.bound, heard.facts)


class _Heard:
    """What a solver has said so far: values by name, and the cost in its own unit."""

    def __init__(self, task: MipTask, unit: float) -> None:
        self._task, self._unit = task, unit
        self.values: Values | None = None
        self.bound: float | None = None
        self.error: VerificationError | None = None
        self.facts: dict[str, object] = {}

    def solution(self, found: Sequence[float]) -> bool:
        """Take a solution; what is wrong with it is raised when the solver has ended."""
        self.values = dict(zip(self._task.model.columns, found, strict=True))
        try:
            self._task.on_values(self.values)
        except VerificationError as error:
            self.error = error
        return self.error is None

    def take_bound(self, bound: float) -> None:
        """Take a bound on the cost."""
        self.bound = bound * self._unit
        self._task.on_bound(self.bound)
