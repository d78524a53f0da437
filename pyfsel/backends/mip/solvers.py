"""Running a MIP solver on a linear model with names, in floats of a size that suits its tolerances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsel.backends.mip.named_model import LARGEST_COEFFICIENT, NamedModel
from pyfsel.errors import BackendError, VerificationError
from pyfsel.results.control import Control
from pyfsel.solvers.linear.connection import Outcome, Settings, load
from pyfsel.solvers.linear.model import LinearModel, Number

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


def in_floats(model: LinearModel) -> tuple[LinearModel, float]:
    """Return a model whose coefficients are at most `LARGEST_COEFFICIENT`, up to rounding the same.

    Tolerances are absolute: where coefficients are of the order of 10^13, a violation of 1e-9 is less than
    the rounding of a sum, and solvers have been seen to call solvable models infeasible. Rows with large
    coefficients, real variables in them, and the cost are divided by powers of two, which rounds nothing.

    Returns
    -------
    LinearModel
        With other real variables, and the same integers.
    float
        By which its cost is to be multiplied.

    Examples
    --------
    >>> model, unit = in_floats(LinearModel([0], [1], [True], goal=-1, weights={0: 2**23}))
    >>> model.weights, unit
    ({0: 1048576.0}, 8.0)
    """
    units = {j: 1.0 for j, whole in enumerate(model.integer) if not whole}
    for row in model.rows:
        unit = _unit(row.terms.values())
        for j in row.terms.keys() & units.keys():
            units[j] = max(units[j], unit)
    rows = []
    for row in model.rows:
        terms, unit = _scaled(row.terms, units)
        rows.append(row._replace(terms=terms, limit=row.limit / unit))
    low, high = (
        [None if end is None else end / units.get(j, 1) for j, end in enumerate(ends)]
        for ends in (model.low, model.high)
    )
    weights, unit = _scaled(model.weights, units)
    return LinearModel(low, high, model.integer, rows, model.goal, weights=weights), unit


def _scaled(terms: dict[int, Number], units: dict[int, float]) -> tuple[dict[int, Number], float]:
    counted = {j: coefficient * units.get(j, 1.0) for j, coefficient in terms.items()}
    unit = _unit(counted.values())
    return {j: coefficient / unit for j, coefficient in counted.items()}, unit


def _unit(coefficients: Iterable[Number]) -> float:
    """Return the power of two, at least 1, by which the largest coefficient becomes small enough."""
    unit = 1.0
    largest = max((max(c, -c) for c in coefficients), default=0)
    while largest > LARGEST_COEFFICIENT * unit:
        unit *= 2
    return unit
