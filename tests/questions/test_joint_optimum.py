"""One solution with the best sum and the best minimum: where the benchmark's brute force finds none."""

import joint_optimum
import pytest
from small_problems import asked

from pyfsel import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.solving import solve
from pyfsel.problem.make import make_instance


@pytest.mark.parametrize(
    ("quality", "n_sets"),
    [((5, 4, 2, 2, 2, 2, 0), 3), ((3, 3, 3, 3, 1, 1, 0), 4), ((4, 4, 3, 2, 2, 1, 0), 3)],
)
def test_brute_force_and_the_question_agree(quality, n_sets, tmp_path):
    member, allowed = joint_optimum.families(len(quality), 3, n_sets, 1)
    values = joint_optimum.best_values(quality, member, allowed)
    problem = make_instance(quality, k=3, n_sets=n_sets, dissimilarity="shared:1", aggregate="min")
    answer = solve(asked(problem, "min_then_sum"), "cpsat")
    assert (answer.low, answer.details["sum_alone"], answer.details["sum"]) == values
    assert answer.details["costs_nothing"] == (values[1] == values[2])
    answer.save(tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "false.json").write_text(text.replace('"low": ', '"low": 1'))
    with pytest.raises(InputError, match="low is stated as 1"):
        Answer.load(tmp_path / "false.json")


def test_no_smaller_example_than_the_one_shown():
    assert joint_optimum.compare(6, 3, 3, 1, 4).apart == []
    assert joint_optimum.compare(7, 3, 3, 1, 4).apart == []
    assert (5, 4, 2, 2, 2, 2, 0) in joint_optimum.compare(7, 3, 3, 1, 5).apart
