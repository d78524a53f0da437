"""Samplers of D-Wave's Ocean (simulated annealing, tabu search, steepest descent) as heuristic backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pyfsel.backends.base import Backend
from pyfsel.backends.quadratic import QuadraticModel, unsupported
from pyfsel.problem import values
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Answer
from pyfsel.results.control import Control

SAMPLERS = {
    "anneal": ("SimulatedAnnealingSampler", "simulated annealing", {"num_reads": 20}),
    "anneal:tabu": ("TabuSampler", "tabu search", {"num_reads": 4, "timeout": 20}),
    "anneal:descent": ("SteepestDescentSampler", "steepest descent from random starts", {"num_reads": 100}),
}
ROUNDS = 5  # without a better set


class Anneal(Backend):
    """Samples the quadratic model of one set; samples of a wrong size are made good greedily."""

    exact = False
    side_constraints: ClassVar[tuple[str, ...]] = ("size_range",)
    objectives = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.PAIRS)
    slow_imports: ClassVar[tuple[str, ...]] = ("dwave.samplers",)
    packages: ClassVar[Mapping[str, str]] = {"dwave-samplers": "dwave.samplers"}

    def __init__(self, name: str) -> None:
        self.name = name
        self.sampler, method, self.options = SAMPLERS[name]
        self.summary = f"{method} of dwave-samplers on the quadratic model of one set"

    @classmethod
    def instances(cls) -> Sequence[Backend]:
        return [cls(name) for name in SAMPLERS]

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return unsupported(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        import dimod
        from dwave import samplers

        model = QuadraticModel.of(problem)
        linear, pairs, constant = model.penalised()
        everything = dimod.BinaryQuadraticModel(linear.astype(float), pairs.astype(float), constant, "BINARY")
        sampler, best, before = getattr(samplers, self.sampler)(), None, None
        seed, left = control.limits.random_state, ROUNDS
        while left and not control.expired():
            sampled = sampler.sample(everything, seed=seed, **self.options)
            order = np.argsort(list(sampled.variables))
            for sample in np.unique(sampled.record.sample[:, order], axis=0):
                members = tuple(np.flatnonzero(_made_good(model, sample)).tolist())
                value = values.value(problem, members) if members else None
                if value is not None and (before is None or value > before):
                    best, before, left = members, value, ROUNDS
                    control.report_sets([members])
            left, seed = left - 1, seed + 1
        return Answer.unproved(None if best is None else (best,))


def _made_good(model: QuadraticModel, sample: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the sample with features left out or added, the best one each time, until its size is right."""
    chosen = sample.astype(bool)
    if model.size is None:
        return chosen
    pairs = model.pairs + model.pairs.T
    while (excess := int(chosen.sum()) - model.size) != 0:
        gain = model.linear + pairs @ chosen
        if excess > 0:
            chosen[np.flatnonzero(chosen)[gain[chosen].argmax()]] = False
        else:
            chosen[np.flatnonzero(~chosen)[gain[~chosen].argmin()]] = True
    return chosen
