"""Questions of a problem: one kind of answer, held against all families of sets."""

from itertools import combinations, combinations_with_replacement

import pytest
from sklearn.datasets import load_wine

from pyfsel import Status, explore
from pyfsel.interface.problem import Problem
from pyfsel.interface.scores import measure
from pyfsel.interface.solving import Progress, solve, solvers
from pyfsel.problem.rules import Constraints

QUALITY = [9.5, 8, 7, 3, 2, 1]
SETS = list(combinations(range(6), 3))


def quality(members):
    return sum(QUALITY[j] for j in members)


def shared(family):
    return max((len({*one} & {*other}) for one, other in combinations(family, 2)), default=0)


def problem(**changes):
    asked = {"k": 3, "n_sets": 2, "dissimilarity": "shared:1", "names": list("abcdef")}
    return Problem(QUALITY, **(asked | changes))


@pytest.mark.parametrize("n_sets", [1, 2, 3])
@pytest.mark.parametrize(("search", "worth"), [("sum", sum), ("min", min)])
def test_sets_together_have_the_best_value_of_all_families(search, worth, n_sets):
    answer = solve(problem(search=search, n_sets=n_sets))
    best = max(
        worth(map(quality, family))
        for family in combinations_with_replacement(SETS, n_sets)
        if shared(family) <= 1
    )
    assert answer.low == pytest.approx(best)
    assert answer.high == pytest.approx(best, abs=1e-4)
    assert (answer.status, answer.scope, answer.proved) == (Status.OPTIMAL, "joint", True)


def test_a_sequential_search_proves_each_set_and_nothing_of_their_sum():
    answer = solve(problem(n_sets=3))
    known = []
    for one in answer:
        best = max(quality(members) for members in SETS if shared([*known, members]) <= 1)
        assert one.quality == pytest.approx(best)
        assert one.high == pytest.approx(best, abs=1e-4)
        assert one.shared == tuple(len({*one.indices} & {*other}) for other in known)
        known.append(one.indices)
    assert (answer.scope, answer.low, answer.high) == ("each", None, None)
    assert answer[0].names == tuple(answer[0]) == ("a", "b", "c")


def test_fewer_sets_than_requested_are_a_status_of_their_own():
    answer = solve(problem(n_sets=9, dissimilarity=1))
    assert (answer.status, len(answer)) == (Status.FEWER, 2)
    assert "2 of 9 feature sets of 3" in str(answer)


def test_a_sweep_has_a_row_for_each_problem():
    answer = explore.sweep(problem(), n_sets=[2, 3], dissimilarity=[0.3, 1])
    assert answer.to_frame()[["n_sets", "dissimilarity"]].to_numpy().tolist() == [
        [2, 0.3],
        [2, 1],
        [3, 0.3],
        [3, 1],
    ]
    assert (answer.proved, answer.scope) == (True, "each")
    assert explore.sweep(problem(search="sum")).scope == "joint"


def test_progress_reports_values_and_bounds():
    seen = []
    answer = solve(problem(search="sum", n_sets=3), "cpsat", on_progress=seen.append)
    assert seen
    assert all(isinstance(one, Progress) for one in seen)
    assert max(one.low for one in seen if one.low is not None) == pytest.approx(answer.low)


def test_scores_are_measured_once_and_asked_often():
    scores = measure(*load_wine(return_X_y=True, as_frame=True), name="wine")
    assert scores.n_rows == 178
    assert scores.to_frame().columns.tolist() == ["quality", "p_value", "standard_error"]
    answer = solve(Problem(scores, k=3, n_sets=2))
    assert "from 13 features and 178 rows of wine" in answer.headline
    assert answer[0].quality == pytest.approx(scores.to_frame()["quality"].nlargest(3).sum())
    assert answer.unit == scores.unit == "nats of information beyond chance"
    least = Problem(scores, k=3, constraints=Constraints(min_quality="90%")).instance.min_quality
    assert least == pytest.approx(0.9 * answer[0].quality * Problem(scores, k=3).instance.scale, rel=1e-3)


def test_solvers_are_listed_with_reasons_for_a_problem():
    table = solvers(problem(search="min"))
    assert table.loc["cpsat", "why_not"] == ""
    assert table["why_not"].map(bool).any()
