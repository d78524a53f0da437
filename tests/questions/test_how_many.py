"""How many sets, and how many families of them: known tables, brute force, and what is told."""

import json
from itertools import combinations
from math import comb, prod

import pytest

from pyfsel import InputError, Status, how_many
from pyfsel.cli.app import main
from pyfsel.questions import how_many as module
from pyfsel.questions.how_many import count_families

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
    answer = how_many(n, w, max_overlap=w - d // 2)
    assert (answer.n_sets, answer.status) == (CODES[n, d, w], Status.OPTIMAL)


def all_families(n, k, n_sets, max_overlap):
    sets = [frozenset(members) for members in combinations(range(n), k)]
    return sum(
        all(len(one & other) <= max_overlap for one, other in combinations(family, 2))
        for family in combinations(sets, n_sets)
    )


@pytest.mark.parametrize("n_sets", [1, 2, 3, 4])
@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 2), (6, 3), (5, 4)])
def test_families_are_counted_as_by_listing(n, k, n_sets, monkeypatch):
    expected = [all_families(n, k, n_sets, overlap) for overlap in range(k)]
    assert [count_families(n, k, n_sets, overlap) for overlap in range(k)] == expected
    monkeypatch.setattr(module, "MOST_SETS", 20)  # as with many features: by shared parts
    monkeypatch.setattr(module, "_beside_one", lambda *asked: None)
    assert [count_families(n, k, n_sets, overlap) for overlap in range(k)] == expected


def test_known_numbers_of_families():
    assert count_families(7, 3, 7, 1) == 30  # Fano planes
    assert count_families(8, 4, 14, 2) == 30  # Steiner quadruple systems
    assert count_families(12, 3, 4, 0) == 15400  # partitions into triples
    assert count_families(60, 10, 2, 9) == comb(comb(60, 10), 2)
    assert count_families(2000, 2, 1000, 0) == prod(range(1, 2000, 2))  # no list of pairs of sets
    assert count_families(30, 5, 9, 2) is None


def test_a_number_of_alternatives_ends_the_search_and_is_counted():
    some = how_many(9, 3, n_alternatives=1, max_overlap=1)
    assert (some.n_sets, some.bound, some.family_size, some.message) == (2, 12, 2, "")
    assert some.n_families == all_families(9, 3, 2, 1)
    assert how_many(9, 4, n_alternatives=5, max_overlap=1).n_families == 0
    assert how_many(9, 4, n_alternatives=1, tau=1).n_families == comb(9, 4) * comb(5, 4) // 2


def test_bad_arguments_are_named():
    for arguments, said in (
        ({"n_features": 0, "k": 1, "max_overlap": 0}, "n_features=0"),
        ({"n_features": 4, "k": 5, "max_overlap": 0}, "k=5"),
        ({"n_features": 4, "k": 2, "max_overlap": 2}, "equal sets"),
        ({"n_features": 4, "k": 2, "max_overlap": 1, "n_alternatives": -1}, "n_alternatives=-1"),
    ):
        with pytest.raises(InputError, match=said):
            how_many(**arguments)


def test_command(capsys):
    assert main(["ask", "how-many", "7", "-k", "3", "--max-overlap", "1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[name] for name in ("n_sets", "bound", "family_size", "n_families")] == [7, 7, 7, 30]
    assert main(["ask", "how-many", "25", "-k", "1", "--tau", "1"]) == 0
    told = capsys.readouterr().out
    assert [text in told for text in ("25 sets, and no more exist", "1 of 25 sets", "5 more")] == [True] * 3
