"""Numbers that are changed on their way to a solver end in no false OPTIMAL: it states what it has found.

The judge alone has to notice; nothing here but `BruteForce` on the true problem knows the optimum.
"""

from copy import copy

import numpy as np
import pytest
from conformance import optimum
from ortools.sat.python.cp_model import CpSolver
from small_problems import PROBLEM as SEVERAL

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.drivers.linear import connection
from pyfsel.drivers.sat.formula import Formula
from pyfsel.errors import FalseClaimError
from pyfsel.problem.values import total
from pyfsel.results.control import Limits
from pyfsel.solving.attempt import attempt

PAIRS = np.triu(np.arange(36).reshape(6, 6) % 5, 1)
ONE = SEVERAL.replace(n_sets=1, max_shared=2, pairs=PAIRS + PAIRS.T, objective="mrmr")
PROBLEMS = {
    "sum": SEVERAL,
    "min": SEVERAL.replace(aggregate="min"),
    "disjoint, min": SEVERAL.replace(max_shared=0, aggregate="min", quality=[9, 9, 8, 5, 2, 1]),
    "disjoint": SEVERAL.replace(max_shared=0),
    "mrmr": ONE,
    "several, mrmr": ONE.replace(n_sets=2, max_shared=1),
    "scores": ONE.replace(objective="graph_score", k=6, k_min=1),
    "one": SEVERAL.replace(n_sets=1),
    "least squares": ONE.replace(objective="r2", scale=20),
}
CHANGES = {
    "the sign": lambda quality: -quality,
    "an offset": lambda quality: quality + 1,
    "the first coefficient": lambda quality: quality + 10 * (np.arange(len(quality)) == 0),
    "the last coefficient": lambda quality: quality + 10 * (np.arange(len(quality)) == len(quality) - 1),
}
EXACT = [name for name, backend in registry().items() if backend.exact and backend.missing() is None]
PROGRAMS = [name for name in EXACT if name.startswith("minizinc:")]
QUICK = [name for name in EXACT if name not in PROGRAMS]


def verdict(backend, problem):
    """Return what comes of a backend in this process: "caught", "unproved", "right" or "FALSE"."""
    try:
        return believed(backend, problem)
    except FalseClaimError:
        return "caught"


def believed(backend, problem):
    """Return what is believed of a backend's answer, "unproved", "right" or "FALSE", or raise."""
    backend = copy(backend)
    backend.isolated = False
    outcome = attempt(backend, problem, Limits.starting_now(60), backend.formulations[0])
    if outcome.status is not Status.OPTIMAL:
        return "unproved"
    return "right" if total(problem, outcome.sets) == optimum(problem) else "FALSE"


class Misled(Backend):
    """Hands another problem to a backend than the one that is asked."""

    name = "misled"
    summary = "test"
    isolated = False

    def __init__(self, backend, change):
        self.backend = backend
        self.change = change
        self.formulations = backend.formulations
        self.objectives = backend.objectives

    def solve(self, problem, control):
        changed = problem.replace(quality=CHANGES[self.change](problem.quality))
        return self.backend.solve(changed, control)


def taken(backend):
    """Return some problems that a backend takes: of those that start programs only the first."""
    found = [p for p in PROBLEMS.values() if backend.refusal(p, backend.formulations[0]) is None]
    assert found, f"no problem here suits {backend.name}: add one"
    return found[:1] if backend.name.startswith("minizinc:") else found


@pytest.mark.parametrize("name", QUICK + PROGRAMS)
def test_the_truth_is_believed(name):
    backend = registry()[name]
    assert {believed(backend, problem) for problem in taken(backend)} == {"right"}


@pytest.mark.parametrize("name", QUICK + PROGRAMS)
def test_what_is_changed_before_a_backend_sees_it_is_caught(name):
    backend = registry()[name]
    for problem in taken(backend):
        found = {change: verdict(Misled(backend, change), problem) for change in CHANGES}
        no_matter = problem is PROBLEMS["least squares"]  # they explain a target as well as its opposite
        assert found["the sign"] == ("right" if no_matter else "caught"), (problem, found)
        assert found["an offset"] == "caught", (problem, found)
        assert "FALSE" not in found.values(), (problem, found)


def changed(kind, place, numbers):
    """Return coefficients with one of them changed, or all signs; "offset" changes none."""
    numbers = [-number if kind == "sign" else number for number in numbers]
    numbers[place % len(numbers)] += {"more": 50, "less": -50}.get(kind, 0)
    return numbers


def mislead_cpsat(monkeypatch, kind, place):
    solve = CpSolver.solve

    def misled(solver, model, *more):
        objective = model.proto.objective
        for i, number in enumerate(changed(kind, place, list(objective.coeffs))):
            objective.coeffs[i] = number
        objective.offset += kind == "offset"
        return solve(solver, model, *more)

    monkeypatch.setattr(CpSolver, "solve", misled)


def mislead_mip(monkeypatch, kind, place):
    in_floats = connection.in_floats

    def misled(model):
        model = in_floats(model)
        cost = dict(zip(model.cost, changed(kind, place, model.cost.values()), strict=True))
        return model._replace(cost=cost, unit=model.unit * (2 if kind == "offset" else 1))

    monkeypatch.setattr(connection, "in_floats", misled)


def mislead_rc2(monkeypatch, kind, place):
    soft, to_wcnf = Formula.soft.fget, Formula.to_wcnf

    def other(formula):
        literals, weights = zip(*soft(formula), strict=True)
        weights = changed(kind, place, list(weights))
        return [(j if w > 0 else -j, abs(w)) for j, w in zip(literals, weights, strict=True) if w]

    def misled(formula):
        with monkeypatch.context() as patched:
            patched.setattr(Formula, "soft", property(other))
            wcnf = to_wcnf(formula)
        if kind == "offset":
            wcnf.extend([[-wcnf.nv - 1]])
            wcnf.append([wcnf.nv], weight=1)
        return wcnf

    monkeypatch.setattr(Formula, "to_wcnf", misled)


@pytest.mark.parametrize(
    ("names", "mislead"),
    [
        (("cpsat",), mislead_cpsat),
        (("mip:cbc", "mip:highs", "mip:scip"), mislead_mip),
        (("rc2",), mislead_rc2),
    ],
)
def test_what_is_changed_between_a_backend_and_its_solver_is_not_believed(names, mislead, monkeypatch):
    """A coefficient that hides better sets is seen only if the start has them: not for scores."""
    found = set()
    for name in names:
        for problem in taken(registry()[name]):
            hidden = problem is PROBLEMS["scores"]
            places = [("sign", 0), ("offset", 0)] + [
                (w, i) for w in ("more", "less") for i in (0, 4) if not hidden
            ]
            for kind, place in places:
                with monkeypatch.context() as patched:
                    mislead(patched, kind, place)
                    found.add((kind, verdict(registry()[name], problem)))
    assert not {(kind, "FALSE") for kind, _ in found} & found
    assert {(kind, "caught") for kind, _ in found} <= found | {("more", "caught")}
