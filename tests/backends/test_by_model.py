"""All backends against an oracle: whatever a problem asks for, from any start, with bounds on the way."""

from random import Random

import pytest
from conformance import is_solution, optimum, total_of
from fuzzing.domain import ANY, whole_domain_problem
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.by_model import in_order
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.drivers.cpsat import CpSatProgram, new_solver
from pyfsel.problem.values import total
from pyfsel.reductions import reduce
from pyfsel.results.backend_answer import check_claim
from pyfsel.results.control import Control, Limits

BACKENDS = {name: b for name, b in registry().items() if not name.startswith("minizinc") and not b.missing()}
BEYOND_FLOATS = 10**12
"""Above it a MIP solver may end FEASIBLE, with a bound that is right."""


@pytest.mark.parametrize(
    ("name", "seed"),
    [(name, seed) for name, backend in BACKENDS.items() for seed in range(12 if backend.isolated else 40)],
)
def test_a_backend_finds_the_optimum_of_whatever_a_problem_asks_for(name, seed):
    random = Random(seed)
    more = ["facility_location", "cfs"]
    problem = whole_domain_problem(random, more, scales=random.choice((ANY, (1,))), big=seed % 5 == 0)
    backend = BACKENDS[name]
    formulation = random.choice(backend.formulations[:2])
    reduced = reduce(problem, formulation)
    if backend.refusal(reduced.problem, formulation):
        return
    best = optimum(problem)
    answer, bounds = solved(backend, reduced.problem, formulation, random)
    if best is None or answer.sets is None:
        assert answer.status is (Status.INFEASIBLE if backend.exact else Status.NOT_SOLVED)
        assert best is None or not backend.exact
        return
    reached = total(reduced.problem, answer.sets)
    assert all(bound >= reached for bound in (*bounds, answer.bound) if bound is not None)
    assert is_solution(problem, reduced.invert(answer.sets))
    if answer.status is not Status.OPTIMAL:
        assert not backend.exact or (name.startswith("mip:") and problem.largest_total > BEYOND_FLOATS)
    else:
        assert answer.bound == reached
        assert total_of(problem, reduced.invert(answer.sets)) == best


def solved(backend, problem, formulation, random):
    """Return the answer and the bounds on the way; often a start and a bound are known."""
    best, bounds = BruteForce().solve(problem, Control()), []
    hint = known_bound = None
    if best.sets is not None and problem.objective != "cfs":
        hint = random.choice((None, best.sets, worst(problem)))
        known_bound = random.choice((None, best.bound, best.bound + 1))
    control = Control(
        Limits.starting_now(20),
        formulation=formulation,
        hint=hint,
        known_bound=known_bound,
        report_bound=bounds.append,
        report_sets=lambda sets: check_claim(backend.name, problem, Status.FEASIBLE, sets, None),
    )
    answer = backend.solve(problem, control)
    check_claim(backend.name, problem, answer.status, answer.sets or (), answer.bound, answer.stated)
    return answer, bounds


def worst(problem):
    """Return sets that are best for the opposite qualities, if there are such sets of the problem."""
    if problem.min_quality is not None:
        return None
    return BruteForce().solve(problem.replace(quality=-problem.quality), Control()).sets


@settings(max_examples=100, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32))
@example(seed=1114868)  # sets that are to be alike in quality
def test_a_start_is_put_into_the_order_of_strengthened_models(seed):
    """It then is a solution of the model."""
    problem = reduce(whole_domain_problem(Random(seed)), "strengthened").problem
    known = worst(problem)
    if known is None:
        return
    start = in_order(problem, known)
    check_claim("start", problem, Status.FEASIBLE, start, None)
    assert total(problem, start) >= total(problem, known)
    m = BACKENDS["cpsat"].model(problem, "strengthened")
    program = CpSatProgram(m)
    for row, members in zip(m.member, start, strict=True):
        for j, v in enumerate(row):
            program.model.add(program.x[v] == (j in members))
    assert new_solver(0).solve(program.model) in (2, 4)  # FEASIBLE, OPTIMAL
