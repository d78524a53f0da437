"""The score of paper 001 against its own order of solutions, and the tables that it is for."""

from itertools import chain, combinations

import pytest

from pyfsel import InputError
from pyfsel.bench.instances import Request, generated
from pyfsel.bench.instances.solution_score import solution_score

KNOWN = {"relevant": [0, 1, 2, 3], "irrelevant": [4, 5, 6, 7], "copies": {8: 0, 9: 0, 10: 1, 11: 2}}


def score(features):
    return solution_score(features, **KNOWN).score


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ([0, 1, 2], 0.863636),
        ([0, 1, 2, 3, 4], 0.931818),
        ([0, 1, 2, 3, 8], 0.954545),
        ([0, 1, 2, 3, 8, 9, 10, 11], 0.818182),
        (range(12), 0.545455),
        ([], 0.272727),
        ([2, 11], 0.409091),
        ([0, 8], 0.5),
    ],
)
def test_values_to_six_digits(features, expected):
    assert score(features) == pytest.approx(expected, abs=1e-6)


def test_one_is_for_correct_solutions_only_and_zero_for_all_irrelevant_features_only():
    sets = list(chain.from_iterable(combinations(range(12), size) for size in range(13)))
    scores = [score(s) for s in sets]
    best = [s for s, value in zip(sets, scores, strict=True) if value > 1 - 1e-12]
    correct = {tuple(sorted((a, b, c, 3))) for a in (0, 8, 9) for b in (1, 10) for c in (2, 11)}
    assert len(correct) == 12
    assert set(best) == correct
    assert [s for s, value in zip(sets, scores, strict=True) if value < 1e-12] == [(4, 5, 6, 7)]
    assert max(scores) <= 1 + 1e-12


def test_weights_by_epsilon_and_without_a_kind():
    parts = solution_score([0, 4, 5, 8], **KNOWN, epsilon=0.5)
    assert parts.score == pytest.approx(0.75 * 0.25 + 0.1875 * 0.5 + 0.0625 * 0.5)
    alone = solution_score([0], relevant=[0, 1])
    assert (alone.score, alone.relevance, alone.irrelevance, alone.redundancy) == (0.5, 0.5, 1, 0)
    assert solution_score(["a"], ["a"], ["b"]).score == pytest.approx(1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": [0, 99]}, "features: 99 is neither"),
        ({"features": [0, 0]}, "must be different features"),
        ({"relevant": []}, "relevant: is empty"),
        ({"copies": {8: 4}}, "copies: 8 is of 4. It must be of a relevant feature"),
        ({"copies": [8]}, "copies=.*must be a mapping"),
        ({"irrelevant": [3]}, "no feature in common"),
        ({"epsilon": 0}, "epsilon=0"),
    ],
)
def test_bad_arguments(changes, message):
    with pytest.raises(InputError, match=message):
        solution_score(**{"features": [0], **KNOWN, **changes})


def test_both_classes_are_there():
    """A sample of two rows of disjunction mostly has one class; it is drawn again."""
    for seed in range(10):
        made = generated("disjunction", Request(n_features=10, n_rows=2, difficulty=0), seed)
        assert sorted(made.table["target"].tolist()) == [0, 1]
    with pytest.raises(InputError, match="n_rows=1: has one class only"):
        generated("parity", Request(n_rows=1), 0)
