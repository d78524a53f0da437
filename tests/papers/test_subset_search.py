"""The classic searches of paper 001: oracles that were computed by hand, and exhaustive search."""

from collections import Counter
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import all_sets, tables

from pyfsel import InputError
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.papers.subset.best_subset import SubsetSearch
from pyfsel.papers.subset.criteria import ConsistencyCriterion, Criterion, EntropyCriterion
from pyfsel.papers.subset.search_state import SubsetRun
from pyfsel.papers.subset.searches import METHODS, prefixes
from pyfsel.papers.subset.weights import cut_weights
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Limits

NESTED = {
    "": 0, "a": 5, "b": 4, "c": 4, "d": 1, "ab": 6, "ac": 6, "bc": 9, "ad": 5.5, "bd": 4.5, "cd": 4.5,
    "abc": 9.5, "abd": 6.5, "acd": 6.5, "bcd": 12, "abcd": 12.5,
}  # fmt: skip


class Given(Criterion):
    """A criterion given by its values."""

    batch_size = 2

    def __init__(self, values, names):
        self.values = values
        self.feature_names = tuple(names)

    def keys(self, sets):
        return [self.values["".join(self.feature_names[j] for j in s)] for s in sets]


def search_subsets(criterion, method, limits=None, **options):
    return SubsetSearch(method, criterion, **options).by(criterion, limits)


def consistency(X, y):
    return ConsistencyCriterion(consistency_problem(X, y))


def parity(n, n_copies=0):
    """The full table of parity, with copies of its columns."""
    X = np.array([[i >> j & 1 for j in range(n)] for i in range(2**n)])
    return np.hstack([X, X[:, :n_copies]]), X.sum(axis=1) % 2


def smallest(criterion):
    """All smallest sets with the key of all features, by exhaustive search, and how many sets have it."""
    sets = all_sets(len(criterion.feature_names))
    keys = criterion.keys(sets)
    reaching = [s for s, key in zip(sets, keys, strict=True) if key == keys[-1]]
    return [s for s in reaching if len(s) == len(reaching[0])], len(reaching)


def test_inconsistency_of_parity():
    criterion = consistency(*parity(4))
    by_size = {size: set(criterion.keys(list(combinations(range(4), size)))) for size in range(5)}
    assert by_size == {0: {-8}, 1: {-8}, 2: {-8}, 3: {-8}, 4: {0}}
    assert criterion.value(-8) == pytest.approx(2 / 3)


EIGHT_ROWS = consistency(
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]],
    [0, 0, 1, 1, 1, 0, 0, 0],
)


def test_eight_rows_by_hand():
    sets = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert EIGHT_ROWS.keys(sets) == [-3, -3, -3, -2, -1, -2, -1, -1]
    result = search_subsets(EIGHT_ROWS, "abb")
    assert (result.sets, result.is_proved) == (((0, 1), (1, 2)), True)
    assert result.n_evaluations == 1 + 4  # all features, and the four sets that the paper's ABB tests
    assert result.value == pytest.approx(8 / 9)


def test_threshold_is_compared_exactly():
    """J that was computed from a number of rows allows this number, and the next larger float one less."""
    for key in range(-8, 1):
        value = EIGHT_ROWS.value(key)
        assert EIGHT_ROWS.least_key(value) == key
        assert EIGHT_ROWS.least_key(value + 1e-6) == key + 1
    assert {EIGHT_ROWS.least_key(value) for value in (-1, 0, 1e-320, 0.5)} == {-8}


@settings(max_examples=30)
@given(table=tables())
def test_abb_finds_all_smallest_sets_and_the_others_are_not_below(table):
    criterion = consistency(*table)
    expected, n_consistent = smallest(criterion)
    result = search_subsets(criterion, "abb")
    assert list(result.sets) == expected
    assert result.is_proved
    assert result.n_evaluations >= n_consistent
    size = len(expected[0])
    lvf = search_subsets(criterion, "lvf", max_tries=20)
    qbb = search_subsets(criterion, "qbb", max_tries=20)
    assert size <= len(qbb.features) <= len(lvf.features)
    least = criterion.keys(expected)[0]
    for method in METHODS:
        found = search_subsets(criterion, method, limits=Limits(random_state=1))
        assert found.reached
        assert found.is_proved == (method == "abb")
        assert min(criterion.keys(found.sets)) >= least
        assert {len(s) for s in found.sets} == {len(found.features)}
        assert len(found.features) >= size
        assert found.n_evaluations <= 2 ** len(criterion.feature_names) or method == "lvi"


def test_forward_selection_falls_into_the_trap_that_floating_avoids():
    criterion = Given(NESTED, "abcd")
    forward = search_subsets(criterion, "forward", k=3)
    assert (forward.sets, forward.value) == (((0, 1, 2),), 9.5)
    floating = search_subsets(criterion, "floating-forward", k=3)
    assert (floating.sets, floating.value) == (((1, 2, 3),), 12)
    assert [len(v.features) for v in floating.trace] == [0, 1, 2, 3, 2, 3]
    assert search_subsets(criterion, "backward", k=3).features == (1, 2, 3)
    assert search_subsets(criterion, "backward", k=2).features == (1, 2)
    first = search_subsets(criterion, "floating-forward", k=3, ties="lowest")
    assert [v.features for v in first.trace] == [(), (0,), (0, 1), (0, 1, 2), (1, 2), (1, 2, 3)]


def test_a_threshold_that_nothing_reaches_gives_the_best_set_and_says_so():
    criterion = Given(NESTED, "abcd")
    for method in ("forward", "floating-forward", "backward", "floating-backward", "lvf"):
        result = search_subsets(criterion, method, threshold=13)
        assert not result.reached
        assert result.features == (0, 1, 2, 3)
    assert search_subsets(EIGHT_ROWS, "abb", threshold=1).features == (0, 1, 2)
    assert search_subsets(criterion, "forward", threshold=9).features == (0, 1, 2)
    assert search_subsets(criterion, "floating-forward", threshold=9).features == (1, 2)


def test_qbb_may_miss_the_smallest_set():
    rng = np.random.default_rng(0)
    missed = 0
    for seed in range(8):
        X = rng.integers(0, 2, (40, 12))
        criterion = consistency(X, X[:, 0] ^ (X[:, 1] & X[:, 2]))
        size = len(search_subsets(criterion, "abb").features)
        qbb = search_subsets(criterion, "qbb", max_tries=3, limits=Limits(random_state=seed))
        missed += len(qbb.features) > size
    assert 0 < missed < 8


@pytest.mark.parametrize("method", METHODS)
def test_permuted_columns_give_the_permuted_answer(method):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (30, 6))
    y = X[:, 0] ^ X[:, 1]
    shuffled = rng.permutation(6)
    found = []
    for order in (np.arange(6), shuffled):
        criterion = consistency(X[:, order], y)
        criterion.feature_names = tuple("abcdef"[j] for j in order)
        result = search_subsets(criterion, method, limits=Limits(random_state=5))
        found.append({frozenset(result.names_of(s)) for s in result.sets})
    if method != "lvi":  # draws rows too, which are sorted by their values
        assert found[0] == found[1]
    assert {"a", "b"} in found[0]


def test_limits_and_interrupts_keep_the_best_set_and_the_trace():
    criterion = consistency(*parity(4, n_copies=4))
    few = search_subsets(criterion, "forward", max_evaluations=12)
    assert (few.stop_reason, few.n_evaluations, few.reached) == (StopReason.EVALUATION_LIMIT, 12, False)
    assert [len(v.features) for v in few.trace] == [0, 1]
    for method in ("lvf", "lvi", "qbb"):
        assert search_subsets(criterion, method, max_evaluations=2).n_evaluations == 2
    late = search_subsets(criterion, "abb", limits=Limits.starting_now(None).within(0.0))
    assert (late.stop_reason, late.is_proved) == (StopReason.TIME_LIMIT, False)
    calls = count()

    class Interrupted(ConsistencyCriterion):
        def keys(self, sets):
            if next(calls) == 4:
                raise KeyboardInterrupt
            return super().keys(sets)

    stopped = search_subsets(Interrupted(criterion.problem), "backward")
    assert stopped.stop_reason is StopReason.INTERRUPTED
    assert stopped.reached
    assert len(stopped.features) in (6, 7)
    assert stopped.features == stopped.trace[-1].features


def test_entropy_by_hand():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 1])
    criterion = EntropyCriterion(consistency_problem(X, y))
    keys = criterion.keys([(), (0,), (0, 1)])
    assert keys == pytest.approx([-(0.25 * np.log(4) + 0.75 * np.log(4 / 3)), -0.5 * np.log(2), 0])
    assert search_subsets(criterion, "backward").sets == ((0, 1),)


FIVE = (0.02, 0.05, 0.1, 0.4, 0.5)


@pytest.mark.parametrize(
    ("weights", "kept"),
    [
        (FIVE, (3, 4)),
        (np.arange(10) / 10, (5, 6, 7, 8, 9)),
        ((1, 0, 1, 0), (0, 2)),
        ((3, 3, 3), (0, 1, 2)),
        ((-1, -1, -1), (0, 1, 2)),
        ((2,), (0,)),
        ((0,) * 7 + (9,), (7,)),
        ((0,) * 7 + (-9,), (0, 1, 2, 3, 4, 5, 6)),
    ],
)
def test_cut_of_weights(weights, kept):
    """By the letter, the paper's own expression is 0.2, 0.375, 0.5, 0.167 and 0, largest at the third."""
    assert cut_weights(weights) == kept
    assert cut_weights(FIVE, cut="literal") == (2, 3, 4)


def test_prefixes_of_a_ranking():
    criterion = consistency(*parity(3, n_copies=2))
    weights = [3, 2, 1, 0, 0.5]
    for goal, expected in [((range(6), 0), (0, 1, 2)), ((range(3),), ())]:
        result = SubsetRun(criterion, *goal).execute("ranking", lambda run: prefixes(run, weights))
        assert result.features == expected


@pytest.mark.parametrize(("method", "needed"), [("abb", "never falls"), ("qbb", "never"), ("lvi", "counts")])
def test_a_method_says_what_its_criterion_lacks(method, needed):
    with pytest.raises(InputError, match=f"method='{method}': needs a criterion that {needed}"):
        search_subsets(Given(NESTED, "abcd"), method)


@st.composite
def criteria(draw):
    """Values of all sets of some features, many of them tied, and neither monotone nor submodular."""
    names = "abcdef"[: draw(st.integers(1, 6))]
    sets = ["".join(names[j] for j in s) for s in all_sets(len(names))]
    numbers = draw(st.lists(st.integers(0, 9), min_size=len(sets), max_size=len(sets)))
    return dict(zip(sets, numbers, strict=True)), names


@settings(max_examples=80)
@given(given=criteria(), is_forward=st.booleans(), data=st.data())
def test_floating_searches_go_where_their_rule_says(given, is_forward, data):
    """Pudil's rule on sets of names: a best step ahead, then back while that beats all of its size before."""
    values, names = given
    size = data.draw(st.integers(1, len(names)))
    method = "floating-forward" if is_forward else "floating-backward"
    found = search_subsets(Given(values, names), method, k=size, ties="lowest")

    def best(chosen, is_adding):
        """The first best set with one name more or less, in the order of the names."""
        changed = [n for n in names if (n not in chosen) == is_adding]
        sets = ["".join(sorted({*chosen} ^ {name})) for name in changed]
        return max(sets, key=values.__getitem__)

    now = "" if is_forward else names
    walk, record = [now], {len(now): values[now]}
    while len(now) != size:
        now = best(now, is_forward)
        walk.append(now)
        record[len(now)] = max(values[now], record.get(len(now), -1))
        while (len(now) if is_forward else len(names) - len(now)) > 2:
            before = best(now, not is_forward)
            if values[before] <= record[len(before)]:
                break
            now = before
            walk.append(now)
            record[len(now)] = values[now]
    assert ["".join(names[j] for j in visit.features) for visit in found.trace] == walk
    assert [visit.value for visit in found.trace] == [values[s] for s in walk]


@pytest.mark.parametrize("draw", ["all", "shrinking"])
@settings(max_examples=40)
@given(given=criteria(), seed=st.integers(0, 99))
def test_las_vegas_filter_keeps_the_best_of_what_it_draws(draw, given, seed):
    """The same draws again: each improvement is in the trace, and nothing else."""
    values, names = given
    found = search_subsets(
        Given(values, names), "lvf", max_tries=30, draw=draw, limits=Limits(random_state=seed)
    )
    rng, order = np.random.default_rng(seed), list(names)
    best, trace = {names}, [names]
    for _ in range(30):
        smallest = trace[-1]
        drawn = np.flatnonzero(rng.random(len(order)) < 0.5)
        features = "".join(sorted(order[j] for j in drawn if draw != "shrinking" or order[j] in smallest))
        if values[features] < values[names] or len(features) > len(smallest):
            continue
        if len(features) < len(smallest):
            best, trace = {features}, [*trace, features]
        best.add(features)
    assert ["".join(names[j] for j in visit.features) for visit in found.trace] == trace
    assert {"".join(names[j] for j in s) for s in found.sets} == best


@pytest.mark.parametrize("check", ["all", "rest"])
@settings(max_examples=40)
@given(table=tables(), portion=st.sampled_from([0.1, 0.4, 1]), data=st.data())
def test_las_vegas_incremental_goes_where_its_rule_says(check, table, portion, data):
    """The same draws again: sets that a growing sample calls best, until one holds on the rows asked for."""
    X, y = table
    most, seed = data.draw(st.integers(0, len(y) // 2)), data.draw(st.integers(0, 99))
    value = len(y) / (len(y) + most)
    found = search_subsets(
        consistency(X, y), "lvi", threshold=value, max_tries=6, portion=portion, check=check,
        limits=Limits(random_state=seed),
    )  # fmt: skip
    order = np.lexsort((y, *X.T[::-1]))
    X, y = X[order], y[order]

    def groups(features, rows):
        """The given rows in groups of those that agree in the features."""
        cells = {}
        for i in rows:
            cells.setdefault(tuple(X[i, list(features)]), []).append(i)
        return cells.values()

    def bad(features, rows):
        """How many of the given rows have another class than most of their group."""
        return sum(len(g) - max(Counter(y[g].tolist()).values()) for g in groups(features, rows))

    rng, everything, whole = np.random.default_rng(seed), tuple(range(X.shape[1])), range(len(y))
    sample = {*rng.choice(len(y), max(1, round(portion * len(y))), replace=False).tolist()}
    n_evaluated, on_all = 0, {everything}
    while True:
        allowed = max(bad(everything, sample), most * len(sample) // len(y))
        answer, on_sample = everything, {everything}
        for _ in range(6):
            drawn = tuple(np.flatnonzero(rng.random(X.shape[1]) < 0.5).tolist())
            if len(drawn) <= len(answer):
                on_sample.add(drawn)
                if len(drawn) < len(answer) and bad(drawn, sample) <= allowed:
                    answer = drawn
        n_evaluated += len(on_sample)
        left_out = [i for i in whole if i not in sample]
        if check == "rest" and left_out:
            holds = bad(answer, left_out) * len(y) <= most * len(left_out)
        else:
            on_all.add(answer)
            holds = bad(answer, whole) <= most
        wrong = {i for g in groups(answer, whole) if len({*y[g].tolist()}) > 1 for i in g} - sample
        if holds or not wrong:
            break
        sample |= wrong
    on_all.add(answer)
    walk = [(1, everything), (n_evaluated + len(on_all), answer)]
    assert [(visit.n_evaluations, visit.features) for visit in found.trace] == walk
    assert [visit.value for visit in found.trace] == [len(y) / (len(y) + bad(s, whole)) for _, s in walk]
