"""Random problems from the whole domain: answers of all backends, against brute force."""

from itertools import islice
from random import Random

import pytest
import questions_oracle as oracle
from fuzzing.problems import random_problem
from fuzzing.trials import ASKED, ContradictionError, Trial, random_trials, source
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.errors import FalseClaimError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer

SHARE = 0.3
SEEDS = st.integers(0, 2**32)


def share(name):
    return 0 if name.startswith("minizinc:") else SHARE


@settings(max_examples=25, phases=[Phase.generate])
@given(seed=SEEDS)
def test_every_answer_is_true(seed):
    random = Random(seed)
    problem = random_problem(random, 6)
    truth = oracle.Truth(problem)
    for trial in random_trials(random, problem, share):
        try:
            trial.outcome(truth)
        except ContradictionError as error:
            raise AssertionError(source(trial, str(error))) from error


def test_the_generator_draws_from_the_whole_domain():
    drawn = Random(1)
    problems = [random_problem(drawn) for _ in range(1000)]
    for holds in (
        lambda p: p.quality.min() < 0 < p.quality.max(),
        lambda p: not p.quality.any(),
        lambda p: p.quality.max() >= 10**15,
        lambda p: p.pairs is not None and p.pairs.min() < 0,
        lambda p: p.k == p.n_features > 1,
        lambda p: p.k == 1,
        lambda p: p.max_shared == p.k and p.n_sets > 1,
        lambda p: p.has_conflicts and p.previous,
        lambda p: p.shared_weight is not None and p.previous,
        lambda p: p.budget is not None and p.budget > abs(p.costs).sum(),
        lambda p: p.budget is not None and p.budget < p.costs.min(),
        lambda p: p.min_quality is not None and p.min_quality < -p.largest_total,
        lambda p: p.min_quality is not None and p.min_quality > p.largest_total,
        lambda p: any(g.all_or_none and g.at_least for g in p.groups),
        lambda p: len(p.side_constraints) >= 5,
        lambda p: not p.is_exact,
        lambda p: p.objective == "cfs" and p.n_sets > 1,
        lambda p: oracle.Truth(p).optimum is None,
    ):
        assert len(list(islice(filter(holds, problems), 5))) == 5


def test_every_formulation_and_every_question_is_drawn():
    """Of 1000 problems at most."""
    drawn, installed = Random(2), [backend for backend in registry().values() if backend.missing() is None]
    left = {*ASKED, *((b.name, formulation) for b in installed for formulation in b.formulations)}
    for _ in range(1000):
        for trial in random_trials(drawn, random_problem(drawn, 5), lambda name: 1):
            left -= {trial.question}
            left -= {(trial.backend, trial.formulation)} if trial.question == "solve" else set()
        if not left:
            return
    raise AssertionError(left)


class Liar(Backend):
    """Says of two or more sets with a budget that there are none."""

    name = "liar"
    summary = "test"
    isolated = False
    side_constraints = BruteForce.side_constraints
    objectives = BruteForce.objectives

    def solve(self, problem, control):
        if problem.n_sets > 1 and problem.budget is not None:
            return BackendAnswer(Status.INFEASIBLE)
        return BruteForce().solve(problem, control)


def test_a_contradiction_is_printed_as_python_that_repeats_it(monkeypatch):
    monkeypatch.setitem(registry(), "liar", Liar())
    problem = Instance([5, 1, 3, 2], n_sets=2, k=1, max_shared=0, costs=[4, 2, 9, 1], budget=12)
    trial = Trial("solve", problem, "liar", "strengthened", {"search": "simultaneous"}, reduced=False)
    with pytest.raises(ContradictionError, match="INFEASIBLE was claimed, but") as found:
        trial.outcome()
    with pytest.raises(FalseClaimError, match="INFEASIBLE was claimed, but"):
        exec(source(trial, str(found.value)), {})
