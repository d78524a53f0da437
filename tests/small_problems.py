"""Small random problems for property-based tests, and what a backend's claim about one must satisfy."""

import dataclasses

import numpy as np
from hypothesis import strategies as st

from pyfsel import Group
from pyfsel.backends.base import Backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.interface.problem import Problem
from pyfsel.measures import from_table
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.problem.values import total
from pyfsel.results.backend_answer import BackendAnswer, check_claim
from pyfsel.results.control import Control

READING = ("task", "missing", "dates", "sample_weight", "row_groups")


def problem_from_table(X, y=None, **options):
    """Return the problem of a table, which may be prepared already."""
    reading = {name: options.pop(name) for name in READING if name in options}
    return from_table.problem_from_table(from_table.tables_of(X, y, **reading), **options)


def with_rules(**given):
    """Return arguments of `make_instance`, of which rules for every set become its constraints."""
    rules = {one.name: given.pop(one.name) for one in dataclasses.fields(Constraints) if one.name in given}
    return {**given, "constraints": Constraints(**rules)}


def random_problem(seed, **fields):
    """Return a problem with 30 features, 3 sets of 5, and the redundancies or conflicts of its objective."""
    rng = np.random.default_rng(seed)
    quality = rng.integers(-100, 1000, 30)
    upper = np.triu(rng.integers(0, 600, (30, 30)), 1)
    fields = {"n_sets": 3, "k": 5, "max_shared": 2, "objective": "univariate"} | fields
    if fields["objective"] == "mrmr":
        fields["pairs"] = upper + upper.T
    if fields["objective"] == "fcbf":
        fields["conflicts"] = np.argwhere(upper > 400).tolist()
    return Instance(quality=quality, **fields)


@st.composite
def problems(draw, objectives=("univariate", "fcbf", "mrmr"), most_features=7, most_sets=3):
    n = draw(st.integers(2, most_features))
    k = draw(st.integers(1, min(n, 4)))
    objective = draw(st.sampled_from(objectives))
    kind = OBJECTIVES[objective]
    is_cfs = kind.is_fraction
    numbers = st.integers(0, 30) if is_cfs else st.integers(-6, 20)
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    redundancy = None
    if not kind.is_sum:
        redundancy = np.zeros((n, n), dtype=int)
        pairs = st.integers(0, 50) if is_cfs else st.integers(-12, 15)
        upper = draw(st.lists(pairs, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
        redundancy[np.triu_indices(n, 1)] = upper
        redundancy += redundancy.T
    a_set = st.lists(st.integers(0, n - 1), min_size=k, max_size=k, unique=True)
    return Instance(
        quality=draw(st.lists(numbers, min_size=n, max_size=n)),
        n_sets=draw(st.integers(1, 1 if is_cfs else most_sets)),
        k=k,
        max_shared=draw(st.integers(0, k)),
        scale=50 if is_cfs else 1,
        objective=objective,
        aggregate=draw(st.sampled_from(("sum", "min"))),
        pairs=redundancy,
        conflicts=draw(st.lists(pair, max_size=6)) if draw(st.booleans()) else (),
        previous=draw(st.lists(a_set, max_size=2)) if draw(st.booleans()) else (),
        k_min=None if kind.is_sum or kind.has_one_size else draw(st.integers(1, k)),
    )


@st.composite
def constrained_problems(draw, objectives=("univariate", "fcbf", "mrmr"), most_features=7):
    """Draw problems with some of the side constraints, often several of them."""
    plain = draw(problems(objectives=objectives, most_features=most_features, most_sets=2))
    n, k = plain.n_features, plain.k
    features = st.lists(st.integers(0, n - 1), unique=True, max_size=min(2, n - k))
    changes = {"forbidden": draw(features)}
    changes["forced"] = [j for j in draw(features) if j not in changes["forbidden"]][:k]
    changes["groups"] = draw(st.lists(groups_of(n, k), max_size=2))
    if draw(st.booleans()):
        signed = plain.objective != "cfs" and draw(st.booleans())
        if signed:
            changes["quality"] = -np.abs(plain.quality)
        costs = draw(st.lists(st.integers(-3 if signed else 0, 9), min_size=n, max_size=n))
        changes |= {"costs": costs, "budget": draw(st.integers(0, 5 * k))}
    if draw(st.booleans()):
        changes["min_quality"] = draw(st.integers(-5, 25)) * (k if plain.objective == "mrmr" else 1)
    if plain.objective in ("univariate", "fcbf") and draw(st.booleans()):
        changes["k_min"] = draw(st.integers(1, k))
        if changes["k_min"] < k and draw(st.booleans()):
            changes |= {"shared_weight": draw(st.integers(1, 6)), "size_weight": draw(st.integers(0, 3))}
            changes |= {"shared_by_smaller": draw(st.booleans()), "shared_constant": draw(st.integers(-4, 0))}
    return plain.replace(**changes)


@st.composite
def groups_of(draw, n, k):
    members = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4, unique=True))
    at_most = draw(st.integers(0, len(members)))
    return Group(
        tuple(members),
        at_least=draw(st.integers(0, min(at_most, k, 1))),
        at_most=at_most,
        all_or_none=draw(st.booleans()),
    )


def checked(problem: Instance, answer: BackendAnswer) -> BackendAnswer:
    """Return an answer whose sets, bound and stated objective can all be true."""
    check_claim("backend", problem, answer.status, answer.sets or (), answer.bound, answer.stated)
    return answer


def answer_of(backend: Backend, problem: Instance, **options) -> BackendAnswer:
    """Run a backend in this process and check everything that can be checked without an oracle."""
    reported, bounds = [], []
    control = Control(
        formulation=options.pop("formulation", backend.formulations[0]),
        report_sets=reported.append,
        report_bound=bounds.append,
        **options,
    )
    answer = checked(problem, backend.solve(problem, control))
    for sets in reported:
        check_claim(backend.name, problem, "FEASIBLE", sets, None)
    if answer.sets is not None:
        assert all(bound >= total(problem, answer.sets) for bound in bounds)
    return answer


def assert_agrees(backend: Backend, problem: Instance, **options) -> None:
    expected = BruteForce().solve(problem, Control())
    answer = answer_of(backend, problem, **options)
    assert answer.status == expected.status
    assert answer.bound == expected.bound


PLAIN = Instance(quality=[1], n_sets=1, k=1, max_shared=1)
RULES = (
    *("conflicts", "previous", "forced", "forbidden", "groups", "costs", "budget", "min_quality"),
    *("shared_price", "k_min", "shared_weight", "size_weight", "shared_constant", "shared_by_smaller"),
)


def without_rules(problem):
    """Return the problem with one size and a limit on what sets share: features differ in quality only."""
    return problem.replace(**{name: getattr(PLAIN, name) for name in RULES})


def asked(instance, search="sum", by="dice"):
    """Return a problem as users ask about it."""
    problem = Problem.of_instance(instance, search)
    problem.dissimilarity = Dissimilarity(0.5, by=by)
    return problem
