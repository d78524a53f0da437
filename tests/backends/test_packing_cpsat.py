"""Packing and CP-SAT in turns: each alone gives the answer that the other would; who has proved it."""

from types import SimpleNamespace

import pytest
from faulty_backends import Says
from running import PATIENCE
from small_problems import random_problem

from pyfsel.backends import packing_cpsat
from pyfsel.backends.packing_cpsat import PackingCpSat
from pyfsel.bench.instances.hardness import PartitioningProblem, planted
from pyfsel.interface.said import question_facts
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

PROBLEM = Instance(quality=[5, 4, 3, 2], n_sets=1, k=2, max_shared=2)
WORST, MIDDLE, BEST = ((2, 3),), ((0, 2),), ((0, 1),)


def late(sets=None, bound=None, why=StopReason.TIME_LIMIT):
    return BackendAnswer(Status.FEASIBLE if sets else Status.NOT_SOLVED, sets, bound, why)


@pytest.fixture
def stopped_clock(monkeypatch):
    """Limits see no time pass."""
    monkeypatch.setattr("pyfsel.results.control.time", SimpleNamespace(monotonic=lambda: 100.0))


def in_turn(first, second, control):
    backend = PackingCpSat()
    backend.packing, backend.cpsat = Says(first, name="packing"), Says(second, name="cpsat")
    return backend, backend.solve(PROBLEM, control)


@pytest.mark.parametrize(
    ("first", "hint", "known", "given_to_second"),
    [
        (late(MIDDLE, 12), None, None, (MIDDLE, 12)),
        (late(None, 12), WORST, 11, (WORST, 11)),
        (late(MIDDLE, None, StopReason.MEMORY_LIMIT), WORST, None, (MIDDLE, None)),
    ],
)
@pytest.mark.parametrize("second", [BackendAnswer(Status.OPTIMAL, BEST, 9), late(BEST, 10), late(None, None)])
def test_what_the_first_has_found_goes_to_the_second(
    stopped_clock, first, hint, known, given_to_second, second
):
    control = Control(Limits.starting_now(20.0), hint=hint, known_bound=known)
    backend, answer = in_turn(first, second, control)
    assert backend.packing.given.remaining() == packing_cpsat.PACKING_SECONDS
    assert (backend.cpsat.given.hint, backend.cpsat.given.known_bound) == given_to_second
    assert backend.cpsat.given.remaining() == 20
    if second.status is Status.OPTIMAL:
        assert (answer.bound, answer.statistics) == (9, {"proved_by": "cpsat"})
    else:
        bounds = [b for b in (first.bound, known, second.bound) if b is not None]
        assert (answer.status, answer.sets) == (Status.FEASIBLE, second.sets or given_to_second[0])
        assert answer.bound == min(bounds, default=None)


def test_the_first_has_half_of_a_short_limit_and_ends_the_search_with_a_proof(stopped_clock):
    backend, answer = in_turn(BackendAnswer(Status.INFEASIBLE), late(), Control(Limits.starting_now(1.0)))
    assert backend.packing.given.remaining() == 0.5
    assert backend.cpsat.given is None
    assert (answer.status, answer.statistics) == (Status.INFEASIBLE, {"proved_by": "packing"})
    # greedy sets are there at once
    expired = PackingCpSat().solve(PROBLEM.replace(n_sets=3, aggregate="min"), Control(Limits(deadline=0.0)))
    assert (expired.status, expired.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)


@pytest.mark.parametrize(
    ("max_shared", "aggregate", "turns"),
    [
        (1, "sum", "packing cpsat packing cpsat"),
        (0, "min", "packing cpsat packing rc2"),
        (1, "min", "packing cpsat rc2"),
    ],
)
def test_who_has_a_turn_before_a_long_limit_ends(max_shared, aggregate, turns):
    problem = PROBLEM.replace(max_shared=max_shared, aggregate=aggregate)
    assert " ".join(member.name for member, _ in PackingCpSat()._turns(problem, Control())) == turns


@pytest.mark.parametrize(("n_parts", "size"), [(2, 10), (3, 6), (4, 5)])
def test_disjoint_sets_with_a_known_minimum(n_parts, size):
    """Planted partitions, 10^5 per part: the optimum of the problem is known without solving it."""
    instance = planted(n_parts, size, 100_000, random_state=3)
    hard = PartitioningProblem.of(instance)
    answer = PackingCpSat().solve(hard.problem, Control(Limits.starting_now(PATIENCE)))
    assert (answer.status, answer.bound) == (Status.OPTIMAL, hard.target(100_000))
    assert instance.value(hard.invert(answer.sets)) == 100_000


def test_minima_that_cpsat_does_not_prove_are_proved_by_rc2(monkeypatch):
    monkeypatch.setattr(PackingCpSat, "isolated", False)  # a worker has its own times of the turns
    monkeypatch.setattr(packing_cpsat, "PACKING_SECONDS", 1e-6)
    monkeypatch.setattr(packing_cpsat, "CPSAT_SECONDS", 0.5)
    gains = [28, 37, 124, 41, 8, 57, 20, 59, 423, 3, 36, 5, 4, 86, 70]  # of credit_a
    problem = Instance([1000 * gain + j for j, gain in enumerate(gains)], 5, 5, 1, aggregate="min")
    result = solve(problem, "packing-cpsat", time_limit=PATIENCE)
    assert result.status is Status.OPTIMAL
    assert result.proved_by == Result.from_dict(result.to_dict()).proved_by == "rc2"
    assert dict(question_facts(result))["search"].endswith("; proved by rc2")
    steps = solve(random_problem(1), "packing-cpsat", "sequential")
    assert set(steps.proved_by.split(", ")) <= {"packing", "cpsat"}
    assert result.integer_objective == solve(problem, "mip:highs", time_limit=PATIENCE).integer_objective
    assert not {"rc2"} & PackingCpSat().rests_on(problem.replace(aggregate="sum"), "strengthened")
    assert {"rc2"} <= PackingCpSat().rests_on(problem, "strengthened")
