"""Alternatives by any search: what is allowed, searches of one's own, decision trees, stepwise searches."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from pyfsel import Group, InputError
from pyfsel.measures.tables.table import prepare
from pyfsel.papers.own_search import AllowedSets, alternatives_by, embedded
from pyfsel.papers.subset.best_subset import select_subset, stepwise_search
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.verify import violations

MORE = (
    {"max_shared": 1, "previous": [(0, 1, 2), (2, 3, 4)]},
    {"max_shared": 0, "previous": [(0, 1, 2)]},
    {"max_shared": 0, "previous": [(0, 1, 2), (3, 4, 5)]},
    {"max_shared": 2, "previous": [(1, 3, 5)], "conflicts": [(0, 2)], "forced": [4]},
    {"max_shared": 2, "groups": [Group((0, 1, 2), at_most=1)], "costs": [1, 2, 3, 4, 5, 6], "budget": 9},
)


def problem(**more):
    return Instance(quality=[0] * 6, n_sets=1, k=3, **more)


@pytest.fixture(scope="module")
def table(wine):
    return prepare(*wine)


@pytest.mark.parametrize("more", MORE)
def test_what_is_allowed_and_on_the_way_is_that_of_all_sets(more):
    asked = problem(**more)
    allowed = AllowedSets(asked)
    good = [set(s) for s in combinations(range(6), 3) if not violations(asked, [s])]
    for size in range(7):
        for some in map(set, combinations(range(6), size)):
            assert (some in allowed) == (some in good)
            assert allowed.is_on_the_way(some) == any(some <= s or (size > 3 and s <= some) for s in good)
            near = allowed.nearest(some)
            least = min((len(some ^ s) for s in good), default=None)
            assert (None if near is None else len(some ^ set(near))) == least


def finds_what_is_allowed(search, n_features, k):
    """Look for k half-different sets of k features by a search."""
    asked = make_instance([0] * n_features, k=k, n_sets=k, dissimilarity=0.5)
    found = list(alternatives_by(asked, search))
    assert len(found) == k
    assert not violations(asked, found)
    return asked, found


def test_any_search_is_called_back_with_what_is_allowed():
    """A random climb that goes from one allowed set to a near one, as a genetic search would."""
    rng = np.random.default_rng(2)
    worth = rng.integers(0, 9, 12)

    def climb(allowed):
        best = allowed.nearest(rng.permutation(12)[:4].tolist())
        for _ in range(30):
            other = allowed.nearest([*rng.permutation(best)[:3].tolist(), int(rng.integers(12))])
            best = max(best, other, key=lambda members: worth[list(members)].sum())
        return best

    finds_what_is_allowed(climb, 12, 4)


def test_a_search_ends_itself_or_where_nothing_is_left_and_is_checked():
    asked = make_instance([0] * 5, k=2, n_sets=5, dissimilarity=1)
    assert len(list(alternatives_by(asked, lambda allowed: allowed.nearest(())))) == 2
    assert list(alternatives_by(asked, lambda allowed: None)) == []
    again = alternatives_by(asked, lambda allowed: [3, 1])
    assert next(again) == (1, 3)
    with pytest.raises(InputError, match=r"^search: returns \[1, 3\]; .*share 2 features"):
        next(again)
    with pytest.raises(InputError, match=r"^search=7: "):
        next(alternatives_by(asked, lambda allowed: [1, 7]))
    with pytest.raises(InputError, match=r"^price=2: must be a number from 0 to 1"):
        embedded(None, price=2)


def test_trees_avoid_earlier_features_or_pay_for_them(table):
    """Of one feature the tree is a stump: the best split of all columns that are left is its oracle."""

    def impurity(j):
        stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(table.X[:, [j]], table.y)
        return stump.tree_.impurity[1:] @ stump.tree_.weighted_n_node_samples[1:]

    ranked = sorted(range(table.n_features), key=impurity)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    names = table.feature_names
    apart = make_instance([0] * len(names), k=1, n_sets=4, dissimilarity=1, feature_names=names)
    assert list(alternatives_by(apart, embedded(table, stump))) == [(j,) for j in ranked[:4]]
    tree = DecisionTreeClassifier(random_state=0)
    half = make_instance([0] * len(names), k=4, n_sets=3, dissimilarity=0.25, feature_names=names)
    shared = []
    for price in (0, 0.9):
        sets = list(alternatives_by(half, embedded(table, tree, price=price)))
        assert not violations(half, sets)
        shared.append(sum(len({*a} & {*b}) for a, b in combinations(sets, 2)))
    assert shared[1] < shared[0]


def test_a_wrapper_with_single_exchanges_is_a_search_of_ones_own():
    """The earlier text's Figure 1: change one feature, complete the set anew, go on from what is better."""
    worth = np.random.default_rng(5).permutation(64).reshape(8, 8)

    def score(members):
        return worth[np.ix_(members, members)].sum()

    def changed(allowed, members, j):
        change = {"forbidden" if j in members else "forced": [j]}
        return AllowedSets(allowed.problem.replace(**change)).nearest(members)

    def climb(allowed):
        best, feature = allowed.nearest(()), 0
        while feature < 8:
            other = changed(allowed, best, feature)
            better = other is not None and score(other) > score(best)
            best, feature = (other, 0) if better else (best, feature + 1)
        return best

    asked, found = finds_what_is_allowed(climb, 8, 3)
    for number, members in enumerate(found):
        allowed = AllowedSets(asked.after(found[:number]))
        others = [changed(allowed, members, j) for j in range(8)]
        assert all(other is None or score(other) <= score(members) for other in others)


@pytest.mark.parametrize("method", ["forward", "backward", "floating-forward", "floating-backward"])
def test_stepwise_searches_have_alternatives(table, method):
    rules = make_instance([0] * table.n_features, k=3, n_sets=3, dissimilarity=0.6)
    sets = list(alternatives_by(rules, stepwise_search(table, method, n_bins=3, random_state=0)))
    assert len(sets) == 3
    assert not violations(rules, sets)
    best = select_subset(table, method=method, k=3, n_bins=3, random_state=0)
    assert sets[0] == best.features
