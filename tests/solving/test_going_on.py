"""Sequential search that goes on with the sets that a step of ksubgraph has returned: brute force agrees."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from pyfsel.algorithms.ksubgraph import pool
from pyfsel.backends.ksubgraph import KSubgraph
from pyfsel.measures.on_demand import Products
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Status
from pyfsel.results.control import Control
from pyfsel.results.verify import violations
from pyfsel.solving.sequential import SequentialSearch


class Here(KSubgraph):
    """In this process; it counts its runs, and may return fewer sets than it has."""

    isolated = False

    def __init__(self, most_sets=None):
        self.runs, self.most_sets = 0, most_sets

    def solve(self, problem, control):
        self.runs += 1
        answer = super().solve(problem, control)
        if answer.above is None or self.most_sets is None:
            return answer
        least = answer.above.values[: self.most_sets].min(initial=answer.bound)
        good = answer.above.values >= least
        above = replace(
            answer.above, sets=answer.above.sets[good], values=answer.above.values[good], least=least
        )
        return replace(answer, above=above)


def random_problem(rng, on_demand):
    """Return a problem: numbers of both signs, ties, copies, conflicts, and all sorts of given sets."""
    n = int(rng.integers(4, 11))
    k = int(rng.integers(1, 5))
    spread = int(rng.choice([0, 2, 20, 10**6]))
    upper = np.triu(rng.integers(-spread // 2, spread + 1, (n, n)), 1)
    pairs = list(combinations(range(n), 2))
    n_forced, n_forbidden = (int(rng.choice([0, 0, 1, 2])) for _ in range(2))
    k, chosen = min(k, n - n_forbidden), rng.permutation(n)
    allowed, forbidden = chosen[n_forbidden:], chosen[:n_forbidden].tolist()
    redundancies = {"redundancy": upper + upper.T}
    if on_demand:
        columns = np.rint(2.0**22 * rng.standard_normal((n, 6)))[rng.integers(0, n, n)]
        redundancies = {"lazy_redundancy": Products(columns, largest=spread + 1)}
    return Instance(
        rng.integers(-spread, spread + 1, n),
        n_sets=int(rng.integers(2, 7)),
        set_size=k,
        max_overlap=int(rng.integers(0, k + 1)),
        objective="mrmr",
        conflicts=[pairs[i] for i in rng.choice(len(pairs), int(rng.choice([0, 2])))]
        if not on_demand
        else (),
        previous_sets=[rng.choice(allowed, k, replace=False).tolist() for _ in range(rng.choice([0, 0, 2]))],
        forced=allowed[: min(k, n_forced)].tolist(),
        forbidden=forbidden,
        **redundancies,
    )


def all_values(problem):
    """Return the values of all sets that a problem for one set allows."""
    sets = combinations(range(problem.n_features), problem.set_size)
    return {s: values.value(problem, s) for s in sets if not violations(problem, [s])}


@pytest.mark.parametrize("on_demand", [False, True])
def test_each_set_is_the_best_beside_those_before(on_demand, monkeypatch):
    monkeypatch.setattr(pool, "FEWEST_FURTHER_SETS", 1)
    monkeypatch.setattr(pool, "STARTS_OF_FOLLOWERS", 1)
    rng = np.random.default_rng(int(on_demand))
    fewer = 0
    for _ in range(60):
        problem = random_problem(rng, on_demand)
        backend = Here(rng.choice([None, 1, 3]))
        steps, found = list(SequentialSearch(problem, backend)), []
        for step in steps:
            known = all_values(problem.after(found))
            assert step.objective == max(known.values(), default=None)
            assert step.status is (Status.OPTIMAL if known else Status.INFEASIBLE)
            found.append(step.features or ())
        fewer += len(steps) - backend.runs
    assert fewer > 50


@pytest.mark.parametrize("on_demand", [False, True])
def test_all_sets_from_a_value_on_are_returned(on_demand):
    rng = np.random.default_rng(2 + int(on_demand))
    for _ in range(30):
        problem = random_problem(rng, on_demand).replace(forbidden=()).after(())
        above = Here().solve(problem, Control(further_sets=pool.FEWEST_FURTHER_SETS)).above
        if above is None:
            continue
        known = sorted((-value, s) for s, value in all_values(problem).items() if value >= above.least)
        listed = zip((-above.values).tolist(), map(tuple, above.sets.tolist()), strict=True)
        assert list(listed) == known
        assert known


def test_an_enumeration_that_takes_longer_than_it_saves_is_left(monkeypatch):
    monkeypatch.setattr(pool, "LEAST_EFFORT", 1)
    monkeypatch.setattr(pool, "EFFORT_PER_STEP", 0)
    problem = random_problem(np.random.default_rng(0), on_demand=False).after(())
    assert Here().solve(problem, Control(further_sets=5)).above is None
    assert Here().solve(problem, Control()).above is None
