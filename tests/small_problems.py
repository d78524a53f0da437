"""Small random problems for property-based tests, and what a backend's claim about one must satisfy."""

import dataclasses
from itertools import combinations
from random import Random

import numpy as np
from fuzzing.domain import whole_domain_problem
from hypothesis import strategies as st

from pyfsel.backends.base import Backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.interface.problem import Problem
from pyfsel.measures import from_table
from pyfsel.problem.instance import Instance
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.problem.values import total
from pyfsel.results.backend_answer import BackendAnswer, check_claim
from pyfsel.results.control import Control

READING = ("task", "missing", "dates", "sample_weight", "row_groups")

PROBLEM = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
"""Its best sum is 48."""
BEST = ((0, 1), (0, 2), (1, 2))
EXAMPLE = Instance(quality=[9, 8, 8, 7, 3, 1], n_sets=3, k=2, max_shared=1)


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


PLAIN = Instance(quality=[1], n_sets=1, k=1, max_shared=1)
RULES = (
    *("conflicts", "previous", "forced", "forbidden", "groups", "costs", "budget", "min_quality"),
    *(
        "shared_price",
        "sum_weight",
        "min_weight",
        "k_min",
        "shared_weight",
        "size_weight",
        "shared_constant",
        "shared_by_smaller",
    ),
)
OF_USUAL = ("previous", "conflicts")
SUMS = ("univariate", "fcbf", "mrmr")


def problem_with(random, rules=OF_USUAL, **shape):
    """Return a problem of the whole domain with these rules only, and sizes for pairs."""
    problem = whole_domain_problem(random, **shape)
    kept = {*rules, *(() if problem.pairs is None else ("k_min",))}
    changes = {name: getattr(PLAIN, name) for name in RULES if name not in kept}
    changes["aggregate"] = random.choice(("sum", "min"))
    if "k_min" not in rules:
        changes["previous"] = [one for one in problem.previous if len(one) == problem.k]
    if problem.objective != "fcbf" and random.random() < 0.4:
        pairs = list(combinations(range(problem.n_features), 2))
        changes["conflicts"] = random.sample(pairs, random.randint(1, min(6, len(pairs))))
    return problem.replace(**changes)


def problems(objectives=SUMS, most_features=7, most_sets=3, rules=OF_USUAL):
    """Return a strategy of problems with these rules."""
    shape = {"objectives": objectives, "most_features": most_features, "most_sets": most_sets}
    return st.integers(0, 2**32).map(lambda seed: problem_with(Random(seed), rules, **shape))


def constrained_problems(objectives=SUMS, most_features=7):
    """Return a strategy of problems with all rules for single sets, often several of them."""
    return problems(objectives, most_features, 2, {*RULES} - {"shared_price"})


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


def without_rules(problem):
    """Return the problem with one size and a limit on what sets share: features differ in quality only."""
    return problem.replace(**{name: getattr(PLAIN, name) for name in RULES})


def asked(instance, search="sum", by="dice"):
    """Return a problem as users ask about it."""
    problem = Problem.of_instance(instance, search)
    problem.dissimilarity = Dissimilarity(0.5, by=by)
    return problem
