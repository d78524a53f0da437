"""Results: what they derive, refuse, save and load."""

import json
from datetime import timedelta

import numpy as np
import pytest
from faulty_backends import Says, together
from small_problems import BEST, PROBLEM

from pyfsel import Answer, InputError, Status
from pyfsel.errors import FalseClaimError
from pyfsel.problem.make import make_instance
from pyfsel.results.backend_answer import BackendAnswer, SequentialStep, StopReason
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve


def result_of(**changes):
    fields = {
        "problem": PROBLEM,
        "sets": BEST,
        "status": Status.OPTIMAL,
        "integer_bound": 48,
        "backend": "someone",
        "search": "simultaneous",
        "runtime": 0.5,
        "stop_reason": StopReason.FINISHED,
    }
    return Result(**(fields | changes))


def test_derived_values():
    result = result_of(status=Status.FEASIBLE, integer_bound=60)
    assert (result.objective, result.bound, result.integer_objective) == (48, 60, 48)
    assert (result.gap, result_of().gap, result.qualities) == (12 / 48, 0, [17, 16, 15])


def test_without_sets():
    result = result_of(sets=(), status=Status.INFEASIBLE, integer_bound=None)
    assert (result.objective, result.bound, result.gap, result.qualities) == (None, None, None, [])
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))).to_dict() == result.to_dict()
    undecided = result_of(sets=(), status=Status.NOT_SOLVED, integer_bound=60)
    assert (undecided.bound, undecided.gap) == (60, None)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_bound_is_valid_for_the_floats(aggregate):
    """The float bound is at least every float objective, though the integers are rounded."""
    random = np.random.default_rng(1)
    for _ in range(8):
        q = random.random(6) / 3
        problem = make_instance(q, k=2, n_sets=3, dissimilarity="shared:1", aggregate=aggregate, scale=10)
        result = solve(problem, "brute-force", search="simultaneous")
        assert result.status is Status.OPTIMAL
        exact = solve(
            problem.replace(quality=np.rint(q * 1e9).astype(int), exact_quality=None),
            "brute-force",
            search="simultaneous",
        )
        true_optimum = exact.integer_objective / 1e9
        assert result.objective <= true_optimum + 1e-8
        assert true_optimum <= result.bound + 1e-8
        assert result.bound - result.objective <= 2 * 2 * (3 if aggregate == "sum" else 1) / (2 * 10) + 1e-9


@pytest.mark.parametrize(
    ("changes", "evidence"),
    [
        ({"sets": ((0, 1), (0, 2), (0, 2))}, "share 2 features"),
        ({"sets": BEST[:2]}, "2 sets given"),
        ({"sets": ()}, "OPTIMAL was claimed without sets"),
        ({"status": Status.INFEASIBLE}, "INFEASIBLE was claimed together with sets"),
        ({"status": Status.NOT_SOLVED}, "NOT_SOLVED was claimed together with sets"),
        ({"integer_bound": 47}, "bound 47 is below the objective 48"),
        ({"integer_bound": 49}, "OPTIMAL was claimed with bound 49"),
        (
            {"steps": (SequentialStep(Status.OPTIMAL, (0, 5), 10, 10, StopReason.FINISHED, 0.1, "x"),)},
            "the steps found",
        ),
    ],
)
def test_false_results_cannot_be_built(changes, evidence):
    with pytest.raises(FalseClaimError, match=evidence):
        result_of(**changes)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda d: d["feature_sets"][0].update(indices=[0, 99]), FalseClaimError),
        (lambda d: d["feature_sets"][0].update(indices=[0, 1.5]), InputError),
        (lambda d: d.update(integer_bound="many"), InputError),
        (lambda d: d.update(status="MAYBE"), InputError),
        (lambda d: d.update(problem=[]), InputError),
        (lambda d: d["problem"].update(quality=[1, 2]), InputError),
        (lambda d: d["problem"].update(max_shared=0), FalseClaimError),
        (lambda d: d.pop("search"), InputError),
    ],
)
def test_a_changed_file_is_refused(change, error):
    data = result_of().to_dict()
    change(data)
    with pytest.raises(error):
        Result.from_dict(data)


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b"3", b"\xff\xfe\x00", b"{}"])
def test_a_file_of_something_else_is_refused(tmp_path, content):
    path = tmp_path / "answer.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        Answer.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        Answer.load(tmp_path / "missing.json")


def test_statistics_of_any_type_become_plain_json():
    statistics = {
        "nodes": np.int64(5),
        "flag": np.bool_(True),
        "gap": np.float32(0.5),
        "time": timedelta(seconds=1.5),
        "values": np.array([1, 2]),
        "nested": {1: (np.int8(1), None)},
        "status": Status.OPTIMAL,
    }
    says = Says(BackendAnswer(Status.OPTIMAL, tuple(np.array(BEST)), np.int64(48), statistics=statistics))
    result = together(says)
    saved = json.dumps(result.to_dict())
    assert Result.from_dict(json.loads(saved)).statistics == {
        "nodes": 5,
        "flag": True,
        "gap": 0.5,
        "time": 1.5,
        "values": [1, 2],
        "nested": {"1": [1, None]},
        "status": "OPTIMAL",
    }
    assert "Infinity" not in saved
