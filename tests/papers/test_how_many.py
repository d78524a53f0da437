"""How many sets, and how many families of them: known tables, brute force, and what is told."""

from collections import Counter
from itertools import combinations
from math import comb, prod

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from pyfsel import Answer, InputError, Status
from pyfsel.papers import best_masks, consistent_sets
from pyfsel.papers import counting as module
from pyfsel.papers.counting import count_families, how_many

SEARCHES = "sequential", "sum", "min_then_sum"
CODES = {
    (6, 4, 3): 4,
    (7, 4, 3): 7,
    (9, 4, 3): 12,
    (10, 4, 3): 13,
    (8, 4, 4): 14,
    (9, 4, 4): 18,
    (10, 4, 4): 30,
    (8, 6, 4): 2,
    (9, 6, 4): 3,
    (10, 6, 4): 5,
    (13, 6, 4): 13,
    (10, 6, 5): 6,
    (11, 6, 5): 11,
}
"""A(n, d, w) of Brouwer, Shearer, Sloane and Smith (1990)."""


@pytest.mark.parametrize(("n", "d", "w"), CODES)
def test_numbers_of_sets_are_those_of_constant_weight_codes(n, d, w):
    answer = how_many(n, w, dissimilarity=f"shared:{w - d // 2}")
    assert (answer.low, answer.status) == (CODES[n, d, w], Status.OPTIMAL)


def all_families(n, k, n_sets, max_shared):
    return [
        family
        for family in combinations(combinations(range(n), k), n_sets)
        if all(len({*one} & {*other}) <= max_shared for one, other in combinations(family, 2))
    ]


@pytest.mark.parametrize("n_sets", [1, 2, 3, 4])
@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 2), (6, 3), (5, 4)])
def test_families_are_counted_as_by_listing(n, k, n_sets, monkeypatch):
    expected = [len(all_families(n, k, n_sets, overlap)) for overlap in range(k)]
    assert [count_families(n, k, n_sets, overlap) for overlap in range(k)] == expected
    monkeypatch.setattr(module, "MOST_SETS", 20)  # as with many features: by shared parts
    monkeypatch.setattr(module, "_count_with_first", lambda *asked: None)
    assert [count_families(n, k, n_sets, overlap) for overlap in range(k)] == expected


def test_known_numbers_of_families():
    assert count_families(7, 3, 7, 1) == 30  # Fano planes
    assert count_families(8, 4, 14, 2) == 30  # Steiner quadruple systems
    assert count_families(12, 3, 4, 0) == 15400  # partitions into triples
    assert count_families(60, 10, 2, 9) == comb(comb(60, 10), 2)
    assert count_families(2000, 2, 1000, 0) == prod(range(1, 2000, 2))  # no list of pairs of sets
    assert count_families(30, 5, 9, 2) is None


def chi_square_of(drawn, n_outcomes):
    """Return χ² of draws that should be uniform, in standard deviations above its mean."""
    squares = sum(n * n for n in Counter(drawn).values())
    chi_square = squares * n_outcomes / len(drawn) - len(drawn)
    return (chi_square - (n_outcomes - 1)) / (2 * n_outcomes) ** 0.5


@pytest.mark.parametrize("asked", [(6, 3, 3, 1), (6, 2, 2, 0), (5, 2, 2, 1)])
def test_families_are_drawn_uniformly(asked):
    n, k, n_sets, overlap = asked
    families = all_families(*asked)
    how = {"n_sets": n_sets, "dissimilarity": f"shared:{overlap}", "n_draws": 20 * len(families)}
    drawn = how_many(n, k, **how, random_state=7).details
    assert "tries, of which" in drawn["drawn_by"]
    assert set(drawn["families"]) <= set(families)
    assert abs(chi_square_of(drawn["families"], len(families))) < 4
    assert how_many(n, k, **how, random_state=7).details["families"] == drawn["families"]


@pytest.mark.parametrize(("shared", "n_drawn"), [(2, 3), (1, 0)])
def test_families_that_are_too_many_to_count_are_tried(shared, n_drawn, monkeypatch):
    monkeypatch.setattr(module, "MOST_TRIES", 100)
    found = how_many(30, 5, n_sets=9, dissimilarity=f"shared:{shared}", n_draws=3).details
    assert (found["n_families"], len(found["families"])) == (None, n_drawn)


def test_a_number_of_sets_ends_the_search_and_is_counted():
    some = how_many(9, 3, n_sets=2, dissimilarity="shared:1")
    assert (some.low, some.high, some.details["family_size"], some.stop_reason) == (2, 12, 2, "finished")
    assert some.details["n_families"] == len(all_families(9, 3, 2, 1))
    for n_sets, rule, number in ((6, "shared:1", 0), (2, 1, comb(9, 4) * comb(5, 4) // 2)):
        assert how_many(9, 4, n_sets=n_sets, dissimilarity=rule).details["n_families"] == number


def test_more_draws_than_memory_holds_are_refused():
    with pytest.raises(InputError, match=r"families of 10 sets of 300\. Try 1666"):
        how_many(900, 300, dissimilarity="shared:299", n_sets=10, n_draws=1700)


def test_answers_are_saved_so_that_they_are_read_again_or_not_at_all(tmp_path):
    X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])
    answers = [
        how_many(7, 3, dissimilarity="shared:1"),
        how_many(7, 3, n_sets=2, n_draws=2, dissimilarity="shared:1"),
        *(best_masks(LinearRegression().fit(X, X[:, 1]), X, X[:, 1], search=one) for one in SEARCHES),
    ]
    for answer in answers:
        answer.save(tmp_path / "saved.json")
        assert Answer.load(tmp_path / "saved.json").to_dict() == answer.to_dict()
    consistent = consistent_sets(X, X[:, 0] ^ X[:, 1])
    with pytest.raises(InputError, match="save: is not for consistent sets"):
        consistent.save(tmp_path / "other.json")
    assert "format" not in consistent.to_dict()
    assert not (tmp_path / "other.json").exists()


def test_command(run):
    command = "papers how_many 7 -k 3 -d shared:1 --n-sets 7 --n-draws 2 --random-state 5 --format json"
    found = run(command, 0).data
    counted = [found["details"][name] for name in ("family_size", "n_families")]
    assert [found["low"], found["high"], *counted] == [7, 7, 7, 30]
    told = run("papers how_many 25 -k 1 -d 1", 0).out
    assert told.startswith("25 dissimilar sets of 1 of 25 features; families of 25 sets: 1\n")
    assert "26 such sets do not exist" in told
