"""Every registered backend on every canonical case, against an oracle that shares no code with them."""

import time
from functools import cache

import numpy as np
import pytest
from conformance import (
    EXAMPLE_2,
    EXAMPLE_6,
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
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel import Status
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends import backends, get_backend, registry
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.values import kinds_of
from pyfsel.reductions import reduce
from pyfsel.results.answer import StopReason
from pyfsel.results.control import STRENGTHENED, Control, Limits
from pyfsel.solving.attempt import attempt
from pyfsel.solving.sequential import sequential_search, unsupported_steps
from pyfsel.solving.sessions import Session
from pyfsel.solving.solve import solve

N_BUNDLES = 4
SECONDS_PER_CASE = 60
GECODE = "minizinc:gecode"
"""The solver that every MiniZinc has; others get the same models, where MiniZinc has them."""
SLOW_MIP = ("mip:cbc", "mip:scip")
OF_OTHERS = ("brute-force", "packing-cpsat")
"""What repeats others: the oracle, and two backends in turn that are here by themselves."""
WITH_PAIRS = ((GECODE, STRENGTHENED), (GECODE, "pool"))
VARIANTS = [
    (name, formulation)
    for name, backend in registry().items()
    if name == GECODE or not name.startswith("minizinc:")
    for formulation in backend.formulations
]
EXACT = [(name, formulation) for name, formulation in VARIANTS if registry()[name].exact]
ONE_PER_WAY = [  # its pool of candidates is all that a model of MiniZinc gets besides the problem
    (name, formulation)
    for name, formulation in VARIANTS
    if name != GECODE or formulation in (STRENGTHENED, "pool")
]
SEQUENTIAL_CASES = [
    "example-5/sum",
    "overlap-0-of-3-sets-3/sum",
    "overlap-3-of-3-sets-3/sum",
    "some-negative/sum",
    "too-few-for-disjoint/sum",
    "no-fourth-pair/sum",
    "all-conflict",
    "conflicts-previous/sum",
    "mrmr-1/sum",
]
FEW_SEQUENTIAL_CASES = (*SEQUENTIAL_CASES[1::2], "mrmr-1/sum")


def installed(name):
    backend = get_backend(name)
    reason = backend.missing()
    if reason is not None:
        assert name not in REQUIRED, f"{name} must be installed for the tests: {reason}"
        pytest.skip(f"{name}: {reason}")
    return backend


def takes(backend, problem, formulation):
    """Return whether the backend takes the problem; a refusal must be a reason in words."""
    reason = backend.refusal(problem, formulation)
    assert reason is None or (isinstance(reason, str) and reason.strip())
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
        return covering(found, pairs_of_traits if (name, formulation) in WITH_PAIRS else traits)
    repeats = formulation != backend.formulations[0] or name in OF_OTHERS
    return covering(found, pairs_of_traits) if repeats and backend.exact else found


def test_programs_get_cases_of_every_kind():
    for name, formulation in (variant for variant in VARIANTS if variant[0] == GECODE):
        told_apart = pairs_of_traits if (name, formulation) in WITH_PAIRS else traits
        backend, taken = get_backend(name), taken_by(name, formulation)
        suitable = (case for case in cases() if takes(backend, case.problem, formulation))
        assert set().union(*map(told_apart, taken)) == set().union(*map(told_apart, suitable))
        kinds = {word for case in taken for word in kinds_of(case.problem)}
        assert formulation != STRENGTHENED or set(backend.objectives) <= kinds


@pytest.mark.parametrize("name", REQUIRED)
def test_required_backends_are_registered_and_installed(name):
    assert name in registry()
    assert registry()[name].missing() is None


@pytest.mark.parametrize("name", registry())
def test_registered_backends_describe_themselves(name):
    backend = get_backend(name)
    assert backend.name == name
    assert backend.summary
    assert backend.formulations
    assert set(backend.searches) <= {"simultaneous", "sequential"}
    assert backend.searches
    row = backends().set_index("name").loc[name]
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
    with Session(backend) as session:
        for case in taken_by(name, formulation)[bundle::N_BUNDLES]:
            check_bare_answer(session, case, formulation)


def check_bare_answer(session, case: Case, formulation: str) -> None:
    """Check the claim itself, without the start solution and the judge that `solve` puts around it."""
    reduction = reduce(case.problem, formulation)
    reported, bounds = [], []
    control = Control(
        limits=Limits.starting_now(SECONDS_PER_CASE),
        formulation=formulation,
        report_sets=reported.append,
        report_bound=bounds.append,
    )
    answer = session.solve(reduction.problem, control)
    context = (session.task.name, formulation, case.name, answer)
    for sets in reported:
        assert is_solution(reduction.problem, sets), context
        assert total_of(reduction.problem, sets) <= case.optimum, context
    sets = None if answer.sets is None else reduction.invert(answer.sets)
    value = None
    if sets:
        assert is_solution(case.problem, sets), context
        value = total_of(case.problem, sets)
        assert value <= case.optimum, context
    if not session.task.exact:
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
        assert backend_speaks(session.task, answer, case), context
        assert all(bound >= case.optimum for bound in bounds), context


def backend_speaks(backend, answer, case):
    """Return whether it says what its own solver states; CFS is proved by a bound, and by cores with RC2."""
    if answer.stated is None:
        return answer.bound is not None and (case.problem.objective == "cfs" or backend.name == "rc2")
    return not answer.stated.differs_from(case.optimum)


@pytest.mark.parametrize(
    ("name", "formulation"), [v for v in ONE_PER_WAY if v in EXACT and v != ("minizinc:gecode", STRENGTHENED)]
)
def test_hints_do_not_change_the_answer(name, formulation):
    backend = installed(name)
    hinted = [case for case in taken_by(name, formulation) if start_solution(case.problem)]
    for case in hinted[::3]:
        outcome = attempt(backend, case.problem, Limits.starting_now(SECONDS_PER_CASE), formulation)
        context = (name, formulation, case.name, outcome)
        assert outcome.status is Status.OPTIMAL, context
        assert total_of(case.problem, outcome.sets) == outcome.bound == case.optimum, context


@cache
def best_next_value(case_name, found):
    problem = next(c.problem for c in cases() if c.name == case_name)
    return optimum(problem.replace(n_sets=1, previous_sets=(*problem.previous_sets, *found)))


@pytest.mark.parametrize(("name", "formulation"), ONE_PER_WAY)
def test_sequential_steps_are_those_of_the_oracle(name, formulation):
    backend = installed(name)
    if "sequential" not in backend.searches:
        with pytest.raises(InputError, match="sequential"):
            sequential_search(cases()[0].problem, backend)
        return
    names = FEW_SEQUENTIAL_CASES if name == GECODE else SEQUENTIAL_CASES
    for case in (c for c in cases() if c.name in names):
        if unsupported_steps(backend, case.problem, formulation) is not None:
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
            one = case.problem.replace(n_sets=1, previous_sets=(*case.problem.previous_sets, *before))
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


SIMULTANEOUS_EXAMPLES = {
    "example 2, sum": (EXAMPLE_2, 2, 3, "sum", 48, [(0, 1), (0, 2), (1, 2)]),
    "example 2, min": (EXAMPLE_2, 2, 3, "min", 15, [(0, 1), (0, 2), (1, 2)]),
    "example 3, sum": (EXAMPLE_2, 3, 2, "sum", 38, None),
    "example 3, min": (EXAMPLE_2, 3, 2, "min", 19, None),
    "example 5, sum": (EXAMPLE_2, 3, 3, "sum", 54, None),
    "example 6, min": (EXAMPLE_6, 3, 2, "min", 22, None),
}
SEQUENTIAL_EXAMPLES = {  # the first two steps of example 5 are example 3
    "example 2": (EXAMPLE_2, 2, 3, "min", [17, 16, 15]),
    "example 5": (EXAMPLE_2, 3, 3, "sum", [24, 14, 12]),
}


@pytest.mark.parametrize(
    ("name", "formulation"),
    [v for v in EXACT if v[0] != GECODE or v == (GECODE, STRENGTHENED)],
)
def test_worked_examples_of_the_paper(name, formulation):
    """Paper 000 gives these values for Dice and tau = 0.5."""
    backend = installed(name)
    for example, (q, k, n_sets, aggregate, value, sets) in SIMULTANEOUS_EXAMPLES.items():
        problem = make_instance(q, k=k, n_alternatives=n_sets - 1, tau=0.5, aggregate=aggregate)
        if not takes(backend, problem, formulation):
            continue
        limits = Limits.starting_now(SECONDS_PER_CASE)
        outcome = attempt(backend, problem, limits, formulation)
        assert outcome.status is Status.OPTIMAL, example
        assert outcome.bound == total_of(problem, outcome.sets) == value, example
        assert sets is None or list(outcome.sets) == sets, example
    for example, (q, k, n_sets, aggregate, values) in SEQUENTIAL_EXAMPLES.items():
        problem = make_instance(q, k=k, n_alternatives=n_sets - 1, tau=0.5, aggregate=aggregate)
        if unsupported_steps(backend, problem, formulation) is not None:
            continue
        result = solve(problem, name, "sequential", formulation=formulation)
        assert result.status is Status.OPTIMAL, example
        assert result.qualities == values, example
        assert result.objective == (sum if aggregate == "sum" else min)(values), example
        assert (result.bound, result.step_bounds) == (None, values), example


def test_example_6_has_optima_of_different_sums():
    problem = make_instance(EXAMPLE_6, k=3, n_alternatives=1, tau=0.5, aggregate="min")
    for sets, total in (([(0, 1, 5), (0, 2, 3)], 44), ([(0, 1, 4), (0, 2, 3)], 47)):
        assert is_solution(problem, sets)
        assert total_of(problem.replace(aggregate="sum"), sets) == total
        assert total_of(problem, sets) == 22


def hard_problem():
    q = np.random.default_rng(3).integers(1, 10**6, 60)
    return Instance(quality=q, n_sets=10, set_size=8, max_overlap=3, aggregate="min")


@pytest.mark.parametrize(
    ("name", "formulation", "seconds"),
    [(*variant, 0.001) for variant in VARIANTS] + [(*variant, 0.3) for variant in ONE_PER_WAY],
)
def test_limits_are_kept_on_a_hard_problem(name, formulation, seconds):
    backend = installed(name)
    problem = hard_problem()
    if not takes(backend, problem, formulation):
        problem = Instance(quality=problem.quality[:16], n_sets=4, set_size=5, max_overlap=2, aggregate="min")
    if not takes(backend, problem, formulation):
        pytest.skip(f"{name}: {backend.refusal(problem, formulation)}")
    greedy = start_solution(problem)
    for search in backend.searches:
        if search == "sequential" and unsupported_steps(backend, problem, formulation) is not None:
            continue
        begin = time.monotonic()
        result = solve(problem, name, search, seconds, formulation=formulation)
        assert time.monotonic() - begin < seconds + 10
        assert result.stop_reason in (StopReason.TIME_LIMIT, StopReason.FINISHED), result.message
        if result.sets:
            assert is_solution(problem.replace(n_sets=len(result.sets)), result.sets)
        if backend.exact:
            assert result.sets
            assert search == "sequential" or result.integer_objective >= total_of(problem, greedy)


@st.composite
def problems(draw, *, plain=False):
    n = draw(st.integers(2, 8))
    size = draw(st.integers(1, min(n, 4)))
    quality = draw(st.lists(st.integers(-30, 100), min_size=n, max_size=n))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    members = st.permutations(range(n)).map(lambda order: tuple(order[:size]))
    return Instance(
        quality=quality,
        n_sets=draw(st.integers(1, 3)),
        set_size=size,
        max_overlap=draw(st.integers(0, size)),
        aggregate=draw(st.sampled_from(["sum", "min"])),
        conflicts=() if plain else draw(st.lists(pair, max_size=3)),
        previous_sets=() if plain else draw(st.lists(members, max_size=2)),
    )


AGREEING = ("cpsat", "packing", "rc2", "brute-force")


def value_by(name, problem):
    """Return the proved optimum of a problem, None if it is proved infeasible."""
    backend = installed(name)
    assert backend.refusal(problem, backend.formulations[0]) is None
    outcome = attempt(backend, problem, Limits.starting_now(SECONDS_PER_CASE), backend.formulations[0])
    assert outcome.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return outcome.bound


@settings(max_examples=60)
@given(problem=problems())
def test_backends_agree(problem):
    values = {name: value_by(name, problem) for name in AGREEING}
    assert len(set(values.values())) == 1, values


@settings(max_examples=25)
@given(problem=problems(), data=st.data())
def test_order_of_features_does_not_matter(problem, data):
    order = data.draw(st.permutations(range(problem.n_features)))
    place = {j: p for p, j in enumerate(order)}
    permuted = problem.replace(
        quality=problem.quality[list(order)],
        conflicts=[(place[i], place[j]) for i, j in problem.conflicts],
        previous_sets=[[place[j] for j in s] for s in problem.previous_sets],
    )
    for name in AGREEING:
        assert value_by(name, permuted) == value_by(name, problem)


@settings(max_examples=25)
@given(problem=problems())
def test_a_useless_feature_changes_nothing(problem):
    """A feature that is worse than every sum of the others cannot be in an optimum, unless it is needed."""
    useless = problem.replace(
        quality=[*problem.quality, -100_000], feature_names=[*problem.feature_names, "useless"]
    )
    for name in AGREEING:
        before, after = value_by(name, problem), value_by(name, useless)
        assert after == before if before is not None else (after is None or after < -50_000)


@settings(max_examples=25)
@given(problem=problems(), factor=st.integers(2, 50))
def test_scaling_qualities_scales_the_optimum(problem, factor):
    scaled = problem.replace(quality=problem.quality * factor)
    for name in AGREEING:
        before, after = value_by(name, problem), value_by(name, scaled)
        assert after == before if before is None else after == before * factor


@settings(max_examples=25)
@given(problem=problems(plain=True), shift=st.integers(-40, 40))
def test_shifting_qualities_shifts_the_optimum(problem, shift):
    moved = problem.replace(quality=problem.quality + shift)
    counted = problem.set_size * (problem.n_sets if problem.aggregate == "sum" else 1)
    for name in AGREEING:
        before, after = value_by(name, problem), value_by(name, moved)
        assert after == before if before is None else after == before + shift * counted
