"""Copies that are merged: the problem over representatives, held against all columns by brute force."""

from itertools import chain, product

import numpy as np
import pytest
from conformance import optimum
from small_problems import with_rules

from pyfsel import Group, InputError
from pyfsel.interface.check import check
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import cautions_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.solving.solve import solve

Q = [5.0, 4.0, 3.0, 5.5, 2.0, 1.0]
NAMES = list("abcdef")


def merged(**changes):
    return make_instance(
        **with_rules(**{"quality": Q, "k": 2, "feature_names": NAMES, "copies": [[0, 3]], **changes})
    )


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, "bcdef"),
        ({"forced": ["a"]}, "abcef"),
        ({"forbidden": ["d"]}, "abcef"),
        ({"forbidden": ["a", "d"]}, "bcdef"),
        ({"quality": [5, 4, 3, 5, 2, 1], "costs": [2, 1, 1, 1, 1, 1]}, "bcdef"),
        ({"quality": [5, 4, 3, 5, 2, 1]}, "abcef"),
        ({"copies": [[3, 0], [1, 2]]}, "bdef"),
    ],
)
def test_representatives_are_forced_else_allowed_best_cheapest_first(changes, names):
    problem = merged(**changes)
    assert "".join(problem.feature_names) == names
    assert {name for _, name in problem.copies} == set(NAMES) - set(names)


def best_of_all_choices(quality, clusters, max_shared, group, limits):
    """Return the best sum of two sets, whichever column of a cluster stands for it."""
    touched = {*group, *(j for cluster in clusters if {*cluster} & {*group} for j in cluster)}
    asked = Instance(quality.astype(int), 2, 2, max_shared, groups=[Group(touched, *limits)])
    dropped = ({*chain(*clusters)} - {*kept} for kept in product(*clusters))
    found = [optimum(asked.replace(forbidden=forbidden)) for forbidden in dropped]
    return max((value for value in found if value is not None), default=None)


def test_for_sums_of_qualities_representatives_lose_nothing():
    rng = np.random.default_rng(0)
    for trial in range(40):
        quality = rng.integers(-3, 4, size=7).astype(float)
        columns = rng.permutation(7)
        clusters = [columns[:2].tolist(), columns[2:5].tolist()][: 1 + trial % 2]
        group, limits = rng.choice(7, 3, replace=False).tolist(), (trial % 2, 1 + trial % 2)
        overlap = int(rng.integers(0, 3))
        best = best_of_all_choices(quality, clusters, overlap, group, limits)
        asked = {"k": 2, "n_sets": 2, "dissimilarity": f"shared:{overlap}", "copies": clusters}
        try:
            problem = make_instance(quality, constraints=Constraints(groups=[Group(group, *limits)]), **asked)
        except InputError:
            continue
        assert solve(problem, "brute-force", search="simultaneous").objective == best


def test_previous_sets_groups_and_pairs_follow_the_clusters():
    problem = merged(previous=[[0, "b"]], dissimilarity=0.5, groups=[Group(["a", "d", "b"], at_most=2)])
    assert problem.previous == ((0, 2),)
    assert problem.groups[0] == Group((0, 2), 0, 2)
    pairs = np.arange(36.0).reshape(6, 6)
    mrmr = merged(pairs=pairs, objective="mrmr")
    assert mrmr.pairs_floats[0, 2] == (pairs[1, 3] + pairs[3, 1]) / 2


def test_json_and_files_of_solutions_know_the_copies(tmp_path):
    problem = merged(n_sets=2, dissimilarity=1)
    result = solve(problem, "brute-force", search="simultaneous")
    assert [one["features"] for one in result.to_dict()["feature_sets"]] == [["b", "d"], ["c", "e"]]
    said = " ".join(cautions_of(result.problem, {*chain(*result.sets)}, ()))
    assert "Near-duplicates count as one feature, the best of them: d for a." in said
    asked = Problem.of_instance(problem, "sum")
    assert check(asked, [["b", "a"], ["c", "e"]]) == []
    assert "set 0 holds a feature twice" in check(asked, [["d", "a"], ["c", "e"]])[0]


def test_features_that_are_nearly_equal_are_told():
    instance = make_instance(Q, k=2, feature_names=NAMES)
    assert "a ≈ d (like b, f)" in " ".join(cautions_of(instance, {0, 3}, ((3, 0), (0, 5), (1, 3))))


@pytest.mark.parametrize("copies", ["x", [(0,)], [(9, "x")], [(0, "a")], [(0, "x"), (1, "x")]])
def test_copies_of_a_problem_are_pairs_of_a_feature_and_a_new_name(copies):
    with pytest.raises(InputError, match="copies"):
        Instance([2, 1], n_sets=1, k=1, max_shared=1, feature_names=["a", "b"], copies=copies)
