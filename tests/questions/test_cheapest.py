"""The cheapest sets that have a quality, against brute force over all tuples of sets."""

import numpy as np
import pytest
import questions_oracle as oracle
from fuzzing.trials import Trial
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import asked, constrained_problems

from pyfsel import InputError, Status, explore
from pyfsel.errors import NoSetsError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.result import Result
from pyfsel.solving.least_share import with_least_share


@settings(max_examples=60)
@given(
    constrained_problems(objectives=("univariate", "fcbf"), most_features=6),
    st.integers(-5, 20),
    st.sampled_from(["brute-force", "packing", "cpsat", "highs", "rc2", "minizinc:gecode"]),
)
def test_the_cost_is_least(problem, least, solver):
    """The judge of the fuzz compares with all families of sets."""
    problem = problem.replace(min_quality=least, cost_scale=1.0 if problem.costs is None else 100.0)
    options = {"search": "simultaneous", "random_state": 0}
    outcome = Trial("cheapest", problem, solver, options=options).outcome()
    assert outcome == "proved" or (solver != "brute-force" and outcome == "refused")


def test_a_sequential_search_says_nothing_of_the_total():
    """The simultaneous search finds 27."""
    costs = [7, 4, 5, 4, 5, 3, 8]
    instance = Instance([4, 9, 6, 9, 1, 5, 8], 2, 3, 1, costs=costs, min_quality=20)
    each, joint = (explore.cheapest(asked(instance, search)) for search in ("sequential", "sum"))
    assert (each.low, each.high, each.scope) == (None, None, "each")
    assert [one.cost for one in each] == sorted(one.cost for one in each)
    assert each[0].cost == oracle.Truth(instance.replace(n_sets=1)).least_costs[0]
    assert joint.low == joint.high == oracle.Truth(instance).least_costs[0] < sum(one.cost for one in each)
    assert "28" not in str(each)
    assert f"a smaller sum of costs than {joint.low:.0f}." in " ".join(str(joint).split())


def test_numbers_that_are_too_large_only_when_exchanged():
    """The costs of one set may reach 2**53, as its quality may, and those of all sets are the objective."""
    largest = 2**53
    problem = Instance([1, 1], n_sets=2, k=1, max_shared=0, costs=[largest, 1], min_quality=1)
    with pytest.raises(InputError, match="costs: the costs of all sets together can go beyond"):
        explore.cheapest(asked(problem))
    assert explore.cheapest(asked(problem.replace(costs=[largest // 2, 1]))).high == largest // 2 + 1
    many = Instance([largest] * 513, n_sets=1, k=1, max_shared=0, min_quality=1)
    with pytest.raises(InputError, match="quality: the sum over all features can go beyond"):
        explore.cheapest(asked(many))
    assert explore.cheapest(asked(many.replace(quality=[largest // 2] * 513))).high == 1
    quality = [2**52, -(10**14), -(10**15), 16 * 10**6, -16 * 10**11]
    apart = Instance(quality, n_sets=2, k=1, max_shared=1, costs=[3, 1, 4, 1, 5], min_quality=-1)
    for solver in ("cpsat", "rc2"):
        assert [one.indices for one in explore.cheapest(asked(apart), solver=solver)] == [(3,), (3,)]


def test_refusals(monkeypatch):
    plain = {"k": 2, "constraints": Constraints(min_quality=1)}
    with pytest.raises(InputError, match="cheapest: no quality is given"):
        explore.cheapest(asked(make_instance([1, 2], k=1)))
    with pytest.raises(InputError, match="sums of qualities, not objective='mrmr'"):
        explore.cheapest(asked(make_instance([1, 2, 3], np.zeros((3, 3)), objective="mrmr", **plain)))
    with pytest.raises(InputError, match="budget"):
        explore.cheapest(asked(make_instance([1, 2, 3], **plain)), solver="greedy-replacement")
    problem = make_instance([5, 4, 3, 2], k=2)
    late = Result(problem, (), Status.NOT_SOLVED, None, "x", "sequential", 0.1, StopReason.TIME_LIMIT)
    monkeypatch.setattr("pyfsel.solving.least_share.solve", lambda *_, **__: late)
    with pytest.raises(NoSetsError, match=r"min_quality=79\.5%: the best set was not found in time"):
        with_least_share(problem, 0.795)
    late = late.restated(problem, Status.FEASIBLE, sets=((2, 3),))
    with pytest.warns(UserWarning, match="min_quality=80%: is of the best set found, which is not proved"):
        assert with_least_share(problem, 0.8).min_quality == 4
    monkeypatch.undo()
    impossible = with_least_share(problem.replace(forced=[0], conflicts=[(0, j) for j in (1, 2, 3)]), 0.8)
    assert explore.cheapest(asked(impossible)).status is Status.INFEASIBLE
