"""Errors of measured sets: true deviations, luck of selection, rivals counted one by one."""

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from small_problems import problem_from_table

from pyfsel import explore
from pyfsel.interface.answer import answer_of
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import all_cautions, sampling_error
from pyfsel.measures import quality
from pyfsel.measures.standard_errors import INFLUENCES, errors_of
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.evidence import Evidence
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.results import sampling
from pyfsel.results.result import Result
from pyfsel.results.sampling import Sampling
from pyfsel.solving.solve import solve

STRENGTHS = (1.5, 1.2, 1.0, 0.8, 0.6, 0.4)


def drawn(rng, n, regression=False):
    """Six columns that hang together, of decreasing strength, the last one of three values."""
    y = rng.integers(0, 2, n)
    X = y[:, None] * np.array(STRENGTHS) + rng.normal(size=(n, 6)) + 0.7 * rng.normal(size=(n, 1))
    X[:, 5] = np.clip(np.rint(X[:, 5]), 0, 2)
    return prepare(X, y + 0.3 * rng.normal(size=n) if regression else y)


@pytest.mark.parametrize("measure", sorted(INFLUENCES.keys() - {"signed_pearson"}))
@pytest.mark.parametrize("regression", [False, True])
def test_errors_are_those_between_samples(measure, regression):
    """The ratio to the deviation between 100 samples, known itself to 7 in 100, of columns and of a sum."""
    rng = np.random.default_rng(0)
    tables = [drawn(rng, 400, regression) for _ in range(100)]
    found = np.array([quality(table, measure=measure) for table in tables])
    told = [errors_of(table, measure, seed) for seed, table in enumerate(tables[:10])]
    single = np.mean([errors for errors, _ in told], axis=0)
    assert (np.abs(np.log(single[:5] / found[:, :5].std(axis=0))) < np.log(1.4)).all()
    sums = np.mean([together[:, :3].sum(axis=1).std() for _, together in told])
    assert 1 / 1.4 < sums / found[:, :3].sum(axis=1).std() < 1.4
    alone = np.sqrt((single[:3] ** 2).sum())
    assert sums > 1.1 * alone
    spread = np.mean([together.std(axis=0) / errors for errors, together in told], axis=0)
    np.testing.assert_allclose(spread, 1, atol=0.06)


def test_weights_and_groups_in_errors():
    table = drawn(np.random.default_rng(1), 200)
    plain, _ = errors_of(table, "information")
    same, _ = errors_of(replace(table, weights=np.full(200, 3.0)), "information")
    np.testing.assert_allclose(same, plain)
    kept = np.arange(200) < 150
    fewer = replace(table, X=table.X[kept], y=table.y[kept])
    weighted, _ = errors_of(replace(table, weights=kept * 2.0), "pearson")
    np.testing.assert_allclose(weighted, errors_of(fewer, "pearson")[0])
    assert (errors_of(replace(table, weights=kept * 2.0), "information")[0] > plain).mean() > 0.5
    twice = replace(table, X=np.repeat(table.X, 2, axis=0), y=np.repeat(table.y, 2))
    rows = replace(twice, groups=np.repeat(np.arange(200), 2))
    by_group, together = errors_of(rows, "mutual_info_binned")
    np.testing.assert_allclose(by_group, np.sqrt(2) * errors_of(twice, "mutual_info_binned")[0], rtol=1e-6)
    assert together.shape == (200, 6)


def test_a_correlation_of_zero_has_an_error():
    """Of independent columns of two equally frequent values it is 1/√n."""
    table = prepare(np.array([[0.0], [1.0], [0.0], [1.0]] * 5), np.array([0, 0, 1, 1] * 5))
    assert errors_of(table, "pearson")[0] == pytest.approx([1 / np.sqrt(20)])


def test_measures_of_unknown_influence_have_no_errors():
    table = drawn(np.random.default_rng(2), 100)
    for measure in ("mutual_info", "relief", "f_statistic", np.ones(6)):
        assert errors_of(table, measure) is None
    problem = problem_from_table(table, k=2, measure="f_statistic")
    result = solve(problem)
    assert result.sampling is None
    assert sampling_error(result, Problem.of_instance(problem, "sequential")) == ""
    assert result.to_dict()["problem"]["measured_errors"] == []
    assert Instance.from_dict(problem.to_dict()) == problem


def test_luck_is_taken_off():
    """Of 30 equally good columns the three that look best look better than they are, by the luck told."""
    rng, apart = np.random.default_rng(3), []
    for _ in range(15):
        y = rng.integers(0, 2, 300)
        table = prepare(0.7 * y[:, None] + rng.normal(size=(300, 30)), y)
        q = quality(table)
        problem, best = problem_from_table(table, k=3), np.argsort(-q)[:3]
        found = Sampling.of(problem, [tuple(best.tolist())])
        apart.append((q[best].sum() - 3 * q.mean(), found.luck, found.margins[0]))
    true_luck, told, margin = np.mean(apart, axis=0)
    assert 0.6 * true_luck < told < 1.2 * true_luck
    assert true_luck > 0.5 * margin


@pytest.mark.parametrize("most", [2000, 30])
@pytest.mark.parametrize("seed", range(6))
def test_rivals_are_counted_as_one_by_one(seed, most, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_COMPARED", most)
    rng = np.random.default_rng(seed)
    n, k, forbidden = 9, int(rng.integers(1, 5)), [int(rng.integers(9))] if seed % 2 else []
    q = np.round(rng.exponential(size=n), 1)
    errors = rng.normal(size=(200, n)) @ (rng.normal(size=(n, n)) * 0.2)
    problem = make_instance(q, k=k, constraints=Constraints(forbidden=forbidden)).replace(
        evidence=Evidence(replicates=errors)
    )
    result = solve(problem)
    best = result.sets[0]
    allowed = [j for j in range(n) if j not in forbidden]
    rivals = 0
    for members in itertools.combinations(allowed, k):
        apart = errors[:, list(best)].sum(axis=1) - errors[:, list(members)].sum(axis=1)
        is_near = q[list(best)].sum() - q[list(members)].sum() <= 1.96 * np.sqrt((apart**2).mean())
        rivals += is_near and members != best
    found = result.sampling
    assert found.all_compared or most == 30
    assert found.rivals == rivals if found.all_compared else (found.rivals or 0) <= rivals
    assert found.luck >= 0
    margin = 1.96 * np.sqrt((errors[:, list(best)].sum(axis=1) ** 2).mean())
    assert found.margins == pytest.approx([margin])


@pytest.mark.parametrize(("n", "k", "rivals"), [(3, 3, None), (200, 40, "at least 860 other sets")])
def test_of_one_set_there_are_no_rivals_and_of_very_many_some_are_counted(n, k, rivals):
    errors = np.random.default_rng(7).normal(size=(200, n))
    problem = make_instance(np.ones(n), k=k).replace(evidence=Evidence(replicates=errors))
    said = sampling_error(solve(problem), Problem.of_instance(problem, "sequential"))
    assert (rivals or "interval)") in said
    assert ("significantly" in said) == (rivals is not None)


def test_answers_say_it_and_their_files_have_it():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y + 0.5 * rng.normal(size=200), y + rng.normal(size=200), rng.normal(size=(200, 2))])
    instance = problem_from_table(X, y, k=3, n_sets=2, dissimilarity="shared:2")
    answer = answer_of(solve(instance), Problem.of_instance(instance, "sequential"))
    text = " ".join(str(answer).split())
    assert "ERROR Set 0 has " in text
    assert "(95% interval); " in text
    assert "CHECK 2 of these features (marked *) are not significant" in text
    assert "x2*" in text.partition("OPTIMAL")[0]
    assert dict(answer.details["facts"])["selection"].startswith("selection bias of set 0: ")
    assert [one.error for one in answer] == pytest.approx(list(answer.source.sampling.margins))
    data = json.loads(json.dumps(answer.to_dict()))
    assert [one["error"] for one in data["sets"]] == [one.error for one in answer]
    assert Result.from_dict({**data["found"], "problem": data["problem"]}).sampling is None
    for question in (explore.ties, explore.most_sets, explore.most_dissimilar, explore.atlas):
        one = question is explore.ties
        given = Problem.of_instance(instance.replace(n_sets=1 if one else 2), "sum")
        table, _, cautions = str(question(given)).partition("OPTIMAL")
        marked = set(re.findall(r"(\w+)\*", table))
        counted = re.findall(r"(\d+) of these features \(marked", cautions)
        assert counted == [str(len(marked))] * bool(marked)


@pytest.mark.parametrize(
    ("changes", "are_left_out", "said"),
    [
        ({}, False, "1 of these features (marked *) is not significant"),
        ({"forbidden": [1]}, True, "Not significant and left out: 1 of the 3 features"),
        ({"forbidden": [2]}, True, "1 of these features (marked *)"),
    ],
)
def test_what_is_not_significant_is_a_caution(changes, are_left_out, said):
    evidence = Evidence([0.001, 0.7, 0.001], are_left_out=are_left_out)
    given = {"n_sets": 1, "k": 2, "max_shared": 2, "evidence": evidence} | changes
    instance = Instance([3, 2, 1], **given)
    cautions = all_cautions(Problem.of_instance(instance, "sum"), solve(instance))
    assert [caution for caution in cautions if caution.startswith(said)]
    assert len(cautions) == 1
