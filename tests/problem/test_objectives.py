"""What others ask of an objective: its flags agree with its values, and a new one is one class."""

from itertools import combinations, permutations

import numpy as np
import pytest
from small_problems import PROBLEM

from pyfsel import InputError
from pyfsel.backends import get_backend
from pyfsel.problem import known_objectives
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.make import make_instance
from pyfsel.problem.objectives import Numbers, Univariate
from pyfsel.problem.rules import Constraints
from pyfsel.problem.values import is_interchangeable
from pyfsel.reductions.preselection import preselect
from pyfsel.results.control import Control
from pyfsel.solving.solve import solve

QUALITY = np.array([5, -3, 0, 8, 2])
REDUNDANCY = np.array([[0, 1, 4, 2, 0], [1, 0, 3, 0, 2], [4, 3, 0, 1, 1], [2, 0, 1, 0, 5], [0, 2, 1, 5, 0]])


@pytest.mark.parametrize("objective", [o for o in OBJECTIVES.values() if not o.is_fraction])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_sums_and_pairs_are_weighted_as_they_say(objective, size):
    sets = np.array(list(combinations(range(5), size)))
    per_feature, per_pair = objective.weights(size)
    assert (per_pair == 0) == objective.is_sum == (not objective.has_pairs)
    expected = [
        per_feature * QUALITY[list(members)].sum()
        - per_pair * sum(REDUNDANCY[i, j] for i, j in combinations(members, 2))
        for members in sets
    ]
    assert objective.evaluate(Numbers(QUALITY, REDUNDANCY), sets).tolist() == expected


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_one_size_means_that_values_are_multiplied_by_what_depends_on_the_size(objective):
    assert objective.has_one_size == (objective.factor(3) != objective.factor(2))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_mrmr_is_mean_relevance_minus_mean_redundancy_of_pairs(k):
    """Paper 000, Eq. 13, without self-redundancy, which is over k(k − 1) as in Eq. 14."""
    q, r = QUALITY / 10, REDUNDANCY / 10
    for members in combinations(range(5), k):
        others = set(range(5)) - set(members)
        problem = make_instance(q, r, objective="mrmr", k=k, constraints=Constraints(forbidden=others))
        redundancy = sum(r[i, j] for i, j in permutations(members, 2)) / (k * (k - 1)) if k > 1 else 0
        (quality,) = solve(problem, backend="brute-force").qualities
        assert quality == pytest.approx(q[list(members)].sum() / k - redundancy)


@pytest.mark.parametrize("names", [("objective_per_feature", "objective_per_pair"), ("relevance_weight",)])
def test_weights_in_a_file_are_those_of_the_objective(names):
    apart = {"n_sets": 1, "k": 3, "max_shared": 3, "pairs": REDUNDANCY}
    data = Instance(quality=QUALITY, objective="jmi", **apart).to_dict()
    if names[0] == "relevance_weight":
        same = {"quality": "quality", "n_sets": "n_sets", "objective": "objective"}
        renamed = {"pairs": "redundancy", "k": "set_size", "max_shared": "max_overlap"}
        data = {old: data[new] for new, old in (same | renamed).items()}
    right = dict(zip(names, (2, 1), strict=False))
    assert Instance.from_dict(data | right).objective == "jmi"
    with pytest.raises(InputError, match="objective_per_feature=3: objective='jmi' has 2"):
        Instance.from_dict(data | right | {names[0]: 3})


class Renamed(Univariate):
    """An objective of somebody else."""

    name = "renamed"


def test_a_new_objective_is_one_class(monkeypatch):
    monkeypatch.setitem(known_objectives.OBJECTIVES, "renamed", Renamed())
    problem = PROBLEM.replace(objective="renamed")
    assert is_interchangeable(problem)
    assert is_interchangeable(problem.replace(objective="fcbf"))
    assert preselect(problem).problem.n_features == 6
    for backend in ("cpsat", "packing"):
        answer = get_backend(backend).solve(problem, Control())
        assert answer.sets is not None
        assert answer.bound == 48
