"""The problem: validation, quantising, JSON."""

import json
import pickle
from itertools import combinations, permutations

import numpy as np
import pytest

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints

Q = [0.5, 0.3, 0.2, 0.1]


def test_conflicts_may_be_an_array():
    pairs = np.array([[2, 0], [1, 2], [0, 2]])
    problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1, conflicts=pairs)
    assert problem.conflicts.tolist() == [[0, 2], [1, 2]]
    assert problem.replace(n_sets=2).conflicts is problem.conflicts
    assert pickle.loads(pickle.dumps(problem)) == problem
    with pytest.raises(InputError, match=r"conflicts: \[0, 2\] must be two different features, from 0 to 1"):
        problem.replace(quality=[3, 2], feature_names=())
    for wrong in ([[0, 3]], [[-1, 0]], [[1, 1]], [[0, 1, 2]], [[0.0, 1.0]]):
        with pytest.raises(InputError, match="conflicts"):
            problem.replace(conflicts=np.array(wrong))


@pytest.mark.parametrize(("i", "j"), [*permutations(range(3), 2)])
def test_equality_is_a_conflict_in_each_order(i, j):
    """What X_j tells of X_i is compared with what X_i tells of the target, and with nothing else."""
    q, pair = np.array([0.5, 0.2, 0.4]), sorted((i, j))
    for told, conflicts in ((q[i], [pair]), (np.nextafter(q[i], 0), []), (1.0, [pair])):
        r = np.zeros((3, 3))
        r[j, i] = told
        assert make_instance(q, r, objective="fcbf", k=1).conflicts.tolist() == conflicts


def test_both_texts_of_fcbf_allow_the_same_sets():
    """Paper 003, Eq. 11, is strict and speaks of sets; a feature of no quality lets it forbid all of them."""

    def allowed_by_equation_11(q, r, members):
        pairs = permutations(range(len(q)), 2)
        return all((i in members) * (j in members) * r[i, j] < q[i] for i, j in pairs)

    rng, counts = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(20):
        q, r = rng.integers(1, 6, 5), np.triu(rng.integers(0, 4, (5, 5)), 1)
        r += r.T
        conflicts = make_instance(q, r, objective="fcbf", k=3).conflicts
        for members in (s for size in range(6) for s in combinations(range(5), size)):
            allowed = not any({*pair} <= {*members} for pair in conflicts)
            assert allowed == allowed_by_equation_11(q, r, members)
            counts[allowed] += 1
    assert min(counts.values()) > 100
    q[0] = 0
    assert not allowed_by_equation_11(q, r, ())


WRONG = [None, 5, "x", 1.5, True, [], [[]], {}, {"set": 3}, [None], ["x"], [[1, 2], [3]], 10**30, [10**30, 1]]


def made_or_refused(make, *data, **fields):
    """Return what is made, or how it is refused."""
    try:
        return make(*data, **fields)
    except InputError as error:
        return str(error)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("name", sorted(make_instance(Q, k=2).to_dict()))
def test_whatever_stands_in_a_file_is_read_or_refused(name):
    data = make_instance(Q, k=2, constraints=Constraints(previous=[[0, 1]]), dissimilarity=0.5).to_dict()
    for content in WRONG:
        outcome = made_or_refused(Instance.from_json, json.dumps(data | {name: content}))
        if isinstance(outcome, Instance):
            assert outcome.n_features == 4
        else:
            assert "\n" not in outcome


@pytest.mark.parametrize(
    "changes",
    [
        {"n_sets": 5},
        {"n_sets": 2**60},
        {"k": 1},
        {"k": 4, "max_shared": 4, "previous": ()},
        {"objective": "univariate"},
        {"pairs": None},
        {"quality": [1, 2, 3]},
        {"quality": [2**53] * 4},
        {"quality": [6, 5, 4, 3], "n_sets": 2},
        {"scale": 0},
        {"conflicts": [(0, 9)]},
        {"forced": (3,), "forbidden": (3,)},
        {"feature_names": ("a", "b")},
        {"feature_names": tuple("abcd"), "copies": ((1, "b too"),)},
        {"previous": ((0, 1), (1, 2, 3))},
        {"exact_pairs": np.zeros((3, 3))},
        {"nothing": 1},
    ],
    ids=str,
)
def test_a_changed_problem_is_as_if_built_anew(changes):
    matrix = np.array([[0, 3, 1, 0], [3, 0, 2, 1], [1, 2, 0, 0], [0, 1, 0, 0]])
    data = {
        "quality": [5, 4, 3, 2],
        "n_sets": 2,
        "k": 2,
        "max_shared": 1,
        "objective": "mrmr",
        "pairs": matrix,
        "previous": ((0, 1),),
    }
    problem = Instance(**data)
    anew = made_or_refused(Instance, **{**data, **changes})
    changed = made_or_refused(problem.replace, **changes)
    assert changed == anew
    if not isinstance(anew, Instance):
        return
    assert changed.largest_total == anew.largest_total
    assert problem == Instance(**data)
    if "quality" not in changes and "pairs" not in changes and "objective" not in changes:
        assert changed.pairs is problem.pairs
