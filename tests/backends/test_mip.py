"""The MIP backends: same optima as others, warm starts, limits, and floats that are not believed."""

import numpy as np
import pytest
from small_problems import BEST, checked
from small_problems import PROBLEM as SMALL

from pyfsel import Group, Status
from pyfsel.backends import get_backend, mip
from pyfsel.drivers.linear import cbc
from pyfsel.drivers.linear.connection import LinearRun
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.solve import solve

NAMES = ["mip:cbc", "mip:highs", "mip:scip"]
PAIRS = np.triu(np.random.default_rng(2).integers(10**12, 10**13, (6, 6)), 1)
LOST = [
    Instance([7, 13, 51, 0, 16, 53, 8], 3, 4, 2, min_quality=81, groups=[Group((3, 5), 1)]),
    Instance(10**12 * np.arange(6), 2, 3, 1, "mrmr", pairs=PAIRS + PAIRS.T),
    *(
        Instance(*numbers, aggregate="min")
        for numbers in (
            ([97, 91, 88, 74, 70, 66, 61, 55, 43, 40, 31], 3, 4, 2),
            ([521480, 890543, 857110, 940676, 406287, 339790], 3, 3, 1),
            ([0, 0, -1250000000, -3, 250, 0, 0, 5000], 2, 4, 0),
            ([1501199875790160 + digit for digit in (5, 3, 3, 5, 5, 4)], 3, 2, 0),
        )
    ),
]


@pytest.mark.parametrize("problem", LOST)
def test_same_optimum_as_cpsat(problem):
    """Each solver has lost one of these optima to its own tolerances or presolve; nothing is better."""
    best = solve(problem, "cpsat", "simultaneous").integer_objective
    more = problem.replace(min_quality=best + 1)
    for name in NAMES:
        for formulation in ("strengthened", "literal"):
            result = solve(problem, name, "simultaneous", 60, formulation=formulation)
            assert (result.status, result.integer_objective) == (Status.OPTIMAL, best)
        if problem.aggregate == "min":
            assert solve(more, name, "simultaneous", 60).status is Status.INFEASIBLE


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_threads_may_change_within_a_process(name):
    backend = get_backend(name)
    answers = [backend.solve(SMALL, Control(limits=Limits(n_threads=n))) for n in (1, 2, 1)]
    assert [(answer.status, answer.bound) for answer in answers] == [(Status.OPTIMAL, 48)] * 3


def test_a_model_that_highs_cannot_read_is_an_error(monkeypatch):
    monkeypatch.setattr("pyfsel.drivers.linear.connection.mps_text", lambda *_, name: "")
    with pytest.raises(SolverError, match="could not read"):
        get_backend("mip:highs").solve(SMALL, Control())


class Claiming:
    """Says one thing after another: a way to end, sets, changes of memberships, costs and bounds."""

    OUTCOMES = cbc.OUTCOMES

    def __init__(self, *said):
        self.said = list(said)

    def solve(self, run):
        outcome, sets, cost, bound, changed = self.said.pop(0)
        run.model = run.model._replace(unit=1.0)
        if bound is not None:
            run.take_bound(bound)
        values = [0.0] * len(run.model.columns)
        for i, members in enumerate(sets or ()):
            for j in members:
                values[i * FEATURES + j] = 1.0
        for (i, j), value in changed.items():
            values[i * FEATURES + j] = value
        if sets:
            run.take_solution(values, cost)
        return outcome


FEATURES = 6


def claimed(outcome, sets=None, cost=None, bound=None, changed=()):
    return outcome, sets, cost, bound, dict(changed)


@pytest.fixture
def answer_to(monkeypatch):
    """Return what becomes of claims about literal models, whose cost is minus the objective."""

    def answer(*said, problem=SMALL):
        solver = Claiming(*said)
        monkeypatch.setattr(mip, "import_module", lambda name: solver)
        return get_backend("mip:cbc").solve(problem, Control(formulation="literal"))

    return answer


@pytest.mark.parametrize(
    ("run", "evidence"),
    [
        (claimed("optimal", BEST, -49.0), "its solver states the objective 49.0 for sets that have 48"),
        (claimed("optimal", BEST, -47.0), "its solver states the objective 47.0 for sets that have 48"),
        (claimed("optimal", ((0, 1), (0, 1), (1, 2)), -49.0), "share 2 features"),
        (claimed("optimal", BEST, -48.0, changed={(0, 0): 0.7}), "x_0_0 is 0.7. It must be an integer"),
        (claimed("optimal", BEST, -48.0, changed={(0, 0): np.nan}), "x_0_0 is nan. It must be an integer"),
        (claimed("optimal", BEST, -48.0, changed={(0, 5): 1.0}), "has 3 features"),
        (claimed("limit", BEST, -48.6), "states the objective 48.6 for sets"),
    ],
)
def test_claims_that_fail_the_exact_check_are_errors(run, evidence, answer_to):
    with pytest.raises(FalseClaimError, match=evidence):
        checked(SMALL, answer_to(run))


def test_floats_near_the_truth_are_rounded(answer_to):
    answer = answer_to(claimed("optimal", BEST, -48.0 + 1e-7, changed={(0, 0): 1 - 1e-7}))
    assert (answer.status, answer.sets, answer.bound) == (Status.OPTIMAL, BEST, 48)
    answer = answer_to(claimed("limit", BEST, -48.0, bound=-50.9999))
    assert (answer.status, answer.bound, answer.stop_reason) == (Status.FEASIBLE, 50, StopReason.TIME_LIMIT)
    assert answer_to(claimed("limit", BEST, -48.0, bound=-50.99999)).bound == 51
    assert answer_to(claimed("limit", BEST, -48.0, bound=-np.inf)).bound is None


LARGE = Instance([10**9 - 1, 10**9 - 2, 10**8], 1, 2, 2)


def test_beyond_the_tolerance_the_solver_is_asked_for_better_sets(answer_to):
    value = 2 * 10**9 - 3
    best = claimed("optimal", ((0, 1),), -value)
    worse = claimed("optimal", ((0, 2),), 1 - 11e8)
    none = claimed("infeasible")
    for said in ([best, none], [worse, best, none]):
        answer = answer_to(*said, problem=LARGE)
        assert (answer.status, answer.sets, answer.bound) == (Status.OPTIMAL, ((0, 1),), value)
    answer = answer_to(best, claimed("limit"), problem=LARGE)
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert value < answer.bound <= value + 1100
    answer = answer_to(best, best, problem=LARGE)
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, StopReason.FINISHED)
    assert f"prove no bound below {answer.bound}" in answer.message


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("asked", [{"costs": [0, 0], "budget": -1}, {"min_quality": 1}])
def test_a_row_without_terms_can_be_impossible(name, asked):
    problem = Instance([0, 0], 1, 1, 1, **asked)
    for formulation in ("strengthened", "literal"):
        assert solve(problem, name, "simultaneous", formulation=formulation).status is Status.INFEASIBLE


@pytest.mark.parametrize(
    ("line", "bound"),
    [
        ("Cbc0005I Partial search - best objective -6400547 (best possible -6399551), took 3", 6400547),
        ("Cbc0010I After 0 nodes, 1 on tree, -6388416 best solution, best possible -6392160.9", 6392160.9),
        ("Cbc0010I After 0 nodes, 1 on tree, 1e+50 best solution, best possible -6391823.1", 6391823.1),
    ],
)
def test_bounds_of_cbc_are_not_better_than_its_best_solution(line, bound):
    heard = []
    m = ZeroOneModel(limits=(0, 10**7))
    m.reward([(1, m.new("x"))])
    cbc.read_log(LinearRun(m, Control(report_bound=heard.append), (0.0, 0.0)), line)
    assert heard == [pytest.approx(bound, rel=2e-7)]
    assert heard[0] >= int(bound)


@pytest.mark.parametrize(
    ("seconds", "says", "outcome"),
    [
        (0.01, "Integer infeasible - objective value 0", "limit"),
        (60, "Integer infeasible - objective value 0", "infeasible"),
        (60, "", "limit"),
        (None, "", "code 0: "),
    ],
)
def test_cbc_proves_infeasible_within_its_time_only(seconds, says, outcome, tmp_path, monkeypatch):
    program = tmp_path / "cbc"
    program.write_text(f"#!/bin/bash\nsleep 0.1\nprintf '{says}' > \"${{@: -1}}\"\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    m = ZeroOneModel()
    m.new("x")
    assert cbc.solve(LinearRun(m, Control(Limits.starting_now(seconds)), (0.0, 0.0))) == outcome
