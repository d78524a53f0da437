"""Every registered backend on every canonical case, against an oracle that shares no code with them."""

import time
from functools import cache

import numpy as np
import pytest
from conformance import (
    REQUIRED,
    Case,
    cases,
    covering,
    is_solution,
    optimum,
    pairs_of_traits,
    quality_of,
    total_of,
    traits,
)

from pyfsel import Status, solvers
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends import get_backend, registry
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SEARCHES
from pyfsel.reductions import reduce
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import STRENGTHENED, Control, Limits
from pyfsel.solving.attempt import answered
from pyfsel.solving.sequential import reason_against, sequential_search
from pyfsel.solving.solve import solve

N_BUNDLES = 4
SECONDS_PER_CASE = 240
GECODE = "minizinc:gecode"
"""The solver that every MiniZinc has; others get the same models, where MiniZinc has them."""
SLOW_MIP = ("mip:cbc", "mip:scip")
OF_OTHERS = ("brute-force", "packing-cpsat")
"""What repeats others: the oracle, and two backends in turn that are here by themselves."""
VARIANTS = [
    (name, formulation)
    for name, backend in registry().items()
    if name == GECODE or not name.startswith("minizinc:")
    for formulation in backend.formulations
]
ONE_PER_WAY = [
    (name, formulation) for name, formulation in VARIANTS if name != GECODE or formulation == STRENGTHENED
]
SEQUENTIAL_CASES = [
    "example-5/sum",
    "overlap-0-of-3-sets-3/sum",
    "overlap-3-of-3-sets-3/sum",
    "some-negative/sum",
    "too-few-for-disjoint/sum",
    "no-fourth-pair/sum",
    "all-conflict",
    "univariate-conflicts-previous",
    "mrmr-previous-disjoint",
]
FEW_SEQUENTIAL_CASES = (*SEQUENTIAL_CASES[1::2], "mrmr-previous-disjoint")


def installed(name):
    backend = get_backend(name)
    reason = backend.missing()
    if reason is not None:
        assert name not in REQUIRED, f"{name} must be installed for the tests: {reason}"
        pytest.skip(f"{name}: {reason}")
    return backend


def takes(backend, problem, formulation):
    """Return whether the backend takes the problem; a refusal must be a reason in words, and consistent."""
    reason = backend.refusal(problem, formulation)
    assert reason is None or (isinstance(reason, str) and reason.strip())
    if reason is not None and reason.startswith("takes objectives"):
        taken, _, refused = reason.partition(", not ")
        assert refused not in taken.split(", "), reason
    return reason is None


@cache
def taken_by(name, formulation):
    """Return the cases that suit; of those that start programs or repeat others, some of every kind.

    Gecode gets each two traits together that some case has, and so do further formulations of a solver, and
    what repeats others. Its further models get each trait once, as `test_models.py` runs them on random
    problems. SCIP and CBC get the linear models that HiGHS is run on: each trait once shows the ways in
    which they are connected.
    """
    backend = get_backend(name)
    found = [case for case in cases() if takes(backend, case.problem, formulation)]
    assert found, f"no canonical case suits {name} {formulation}: add one"
    if name in SLOW_MIP or name == GECODE:
        return covering(found, pairs_of_traits if (name, formulation) == (GECODE, STRENGTHENED) else traits)
    repeats = formulation != backend.formulations[0] or name in OF_OTHERS
    return covering(found, pairs_of_traits) if repeats and backend.exact else found


@pytest.mark.parametrize("name", registry())
def test_registered_backends_describe_themselves(name):
    backend = get_backend(name)
    assert backend.name == name
    assert backend.summary
    assert backend.formulations
    assert backend.first_search in SEARCHES
    row = solvers().loc[name]
    assert row["available"] == (row["reason"] == "")


def test_every_case_is_taken_by_two_exact_backends():
    exact = [backend for backend in registry().values() if backend.exact]
    for case in cases():
        able = [b.name for b in exact if b.refusal(case.problem, b.formulations[0]) is None]
        assert len(able) >= 2, (case.name, able)


@pytest.mark.parametrize("bundle", range(N_BUNDLES))
@pytest.mark.parametrize(("name", "formulation"), VARIANTS)
def test_answers_are_those_of_the_oracle(name, formulation, bundle):
    backend = installed(name)
    for case in taken_by(name, formulation)[bundle::N_BUNDLES]:
        check_bare_answer(backend, case, formulation)


def check_bare_answer(backend, case: Case, formulation: str) -> None:
    """Check the claim itself, without the start solution and the judge that `solve` puts around it."""
    reduction = reduce(case.problem, formulation)
    reported, bounds = [], []
    control = Control(
        limits=Limits.starting_now(SECONDS_PER_CASE),
        formulation=formulation,
        report_sets=reported.append,
        report_bound=bounds.append,
    )
    with answered(backend, reduction.problem, control) as answer:
        pass
    context = (backend.name, formulation, case.name, answer)
    for sets in reported:
        assert is_solution(reduction.problem, sets), context
        assert total_of(reduction.problem, sets) <= case.optimum, context
    sets = None if answer.sets is None else reduction.invert(answer.sets)
    value = None
    if sets:
        assert is_solution(case.problem, sets), context
        value = total_of(case.problem, sets)
        assert value <= case.optimum, context
    if not backend.exact:
        assert answer.status is (Status.FEASIBLE if sets else Status.NOT_SOLVED), context
        assert answer.bound is None, context
        assert not bounds, context
    elif case.optimum is None:
        assert answer.status is Status.INFEASIBLE, context
        assert not sets, context
    else:
        assert answer.status is Status.OPTIMAL, context
        assert value == case.optimum, context
        assert answer.bound in (None, case.optimum), context
        assert backend_speaks(backend, answer, case), context
        assert all(bound >= case.optimum for bound in bounds), context


def backend_speaks(backend, answer, case):
    """Return whether it says what its own solver states; CFS is proved by a bound, and by cores with RC2."""
    if answer.stated is None:
        return answer.bound is not None and (case.problem.objective == "cfs" or backend.name == "rc2")
    return not answer.stated.differs_from(case.optimum)


@cache
def best_next_value(case_name, found):
    problem = next(c.problem for c in cases() if c.name == case_name)
    return optimum(problem.replace(n_sets=1, previous=(*problem.previous, *found)))


@pytest.mark.parametrize(("name", "formulation"), ONE_PER_WAY)
def test_sequential_steps_are_those_of_the_oracle(name, formulation):
    backend = installed(name)
    names = FEW_SEQUENTIAL_CASES if name == GECODE else SEQUENTIAL_CASES
    for case in (c for c in cases() if c.name in names):
        if reason_against(backend, formulation, "sequential", case.problem) is not None:
            continue
        result = sequential_search(case.problem, backend, formulation=formulation)
        before = ()
        for step in result.steps:
            context = (name, formulation, case.name, before, step)
            best = best_next_value(case.name, before)
            if backend.exact:
                assert step.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), context
            if step.features is None:
                break
            one = case.problem.replace(n_sets=1, previous=(*case.problem.previous, *before))
            assert is_solution(one, [step.features]), context
            assert step.objective == quality_of(one, step.features), context
            assert step.objective == best or not backend.exact, context
            before = (*before, step.features)
        assert result.sets == before
        if backend.exact:
            dead_end = len(before) < case.problem.n_sets
            proved = Status.FEWER if dead_end else Status.OPTIMAL
            assert result.status is (proved if before else Status.INFEASIBLE)
            assert (result.steps[-1].status is Status.INFEASIBLE) == dead_end


EXAMPLES = {"2/sum": 48, "2/min": 15, "3/sum": 38, "3/min": 19, "5/sum": 54, "6/min": 22}


def test_worked_examples_of_the_paper():
    """Paper 000 gives these values for Dice and tau = 0.5; every backend gets the cases from the oracle."""
    by_name = {case.name: case for case in cases()}
    assert {name: by_name[f"example-{name}"].optimum for name in EXAMPLES} == EXAMPLES
    problem = by_name["example-6/min"].problem  # has optima of different sums
    for sets, total in (([(0, 1, 5), (0, 2, 3)], 44), ([(0, 1, 4), (0, 2, 3)], 47)):
        assert is_solution(problem, sets)
        assert total_of(problem.replace(aggregate="sum"), sets) == total
        assert total_of(problem, sets) == 22


@pytest.mark.parametrize(
    ("name", "formulation", "seconds"),
    [(*variant, 0.001) for variant in VARIANTS] + [(*variant, 0.3) for variant in ONE_PER_WAY],
)
def test_limits_are_kept_on_a_hard_problem(name, formulation, seconds):
    backend = installed(name)
    q = np.random.default_rng(3).integers(1, 10**6, 60)
    problem = Instance(quality=q, n_sets=10, k=8, max_shared=3, aggregate="min")
    if not takes(backend, problem, formulation):
        problem = Instance(quality=problem.quality[:16], n_sets=4, k=5, max_shared=2, aggregate="min")
    if not takes(backend, problem, formulation):
        pytest.skip(f"{name}: {backend.refusal(problem, formulation)}")
    greedy = start_solution(problem)
    for search in SEARCHES:
        if reason_against(backend, formulation, search, problem) is not None:
            continue
        begin = time.monotonic()
        result = solve(problem, name, search, seconds, formulation=formulation)
        assert time.monotonic() - begin < seconds + 60
        assert result.stop_reason in (StopReason.TIME_LIMIT, StopReason.FINISHED), result.message
        if result.sets:
            assert is_solution(problem.replace(n_sets=len(result.sets)), result.sets)
        if backend.exact:
            assert result.sets
            assert search == "sequential" or result.integer_objective >= total_of(problem, greedy)
