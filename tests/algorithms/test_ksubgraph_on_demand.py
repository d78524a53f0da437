"""Heavy chains with rows of redundancies on demand against the search that has them all in memory."""

from dataclasses import replace

import numpy as np
import pytest
from random_instances import random_pairs

from pyfsel.algorithms.ksubgraph import local_search, rows_on_demand
from pyfsel.algorithms.ksubgraph.all_heavy import best_set, enumerate_instance
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.problem import redundancies
from pyfsel.problem.redundancies import LazyRedundancy

NO_PAIRS = np.zeros((0, 0), bool)


class Known(LazyRedundancy):
    """A matrix in memory as if it were not."""

    def __init__(self, numbers):
        super().__init__(np.arange(len(numbers)), int(numbers.max(initial=1)))
        self.numbers = numbers

    def _between(self, columns, others):
        return self.numbers[np.ix_(columns, others)]


def random_instance(rng):
    """Return an instance like those in memory, of redundancies from 0 and without conflicts."""
    one = random_pairs(rng, most=15)
    known = Known(np.abs(one.pairwise).clip(max=2**31 - 1))
    linear = max(1, one.k - 1) * one.linear
    return replace(one, linear=linear, pairwise=known, per_pair=int(rng.integers(1, 4)), conflicts=NO_PAIRS)


def in_memory(instance):
    pairwise = instance.per_pair * instance.pairwise.numbers
    return replace(instance, pairwise=pairwise, per_pair=1, conflicts=np.zeros(pairwise.shape, bool))


@pytest.mark.parametrize("room", [2**28, 50])
def test_agrees_with_all_redundancies_in_memory(room, monkeypatch):
    """Also where hardly any row can be kept, and few beginnings are extended at once."""
    monkeypatch.setattr(redundancies, "BYTES_OF_ROWS", room)
    rng = np.random.default_rng(room)
    for _ in range(75):
        monkeypatch.setattr(rows_on_demand, "ROWS_AT_ONCE", int(rng.integers(1, 9)))
        monkeypatch.setattr(rows_on_demand, "ENTRIES_AT_ONCE", int(rng.integers(1, 200)))
        monkeypatch.setattr(local_search, "MOST_FEATURES", int(rng.integers(1, 30)))
        instance, bounds = random_instance(rng), []
        known = in_memory(instance)
        found = best_set(instance, Start(n_random=int(rng.integers(0, 3))), on_bound=bounds.append)
        wanted = best_set(known)
        assert found.finished
        assert found.value == wanted.value == found.bound
        if found.value is None:
            continue
        checks = iter([False] * int(rng.integers(0, 5)))
        stopped = best_set(instance, Start(n_random=0), expired=lambda c=checks: next(c, True))
        assert stopped.bound is None or stopped.bound >= found.value
        assert min(bounds, default=found.value) >= found.value
        assert known.values(np.array([found.features]))[0] == found.value
        threshold = found.value - int(rng.integers(0, instance.pairwise.largest + 2))
        some, all_of_them = (enumerate_instance(one, threshold, 10**5) for one in (instance, known))
        assert some.complete
        assert np.array_equal(some.sets, all_of_them.sets)
        assert np.array_equal(some.values, all_of_them.values)


def test_few_rows_are_measured_where_few_features_matter():
    rng = np.random.default_rng(0)
    linear = 3 * np.concatenate([np.full(20, 1000), rng.integers(0, 100, 380)])
    upper = np.triu(rng.integers(0, 900, (400, 400)), 1)
    previous, limits = np.zeros((0, 400), bool), np.zeros(0, int)
    instance = PairInstance(linear, Known(upper + upper.T), 4, NO_PAIRS, previous, limits, per_pair=2)
    found = best_set(instance, Start(n_random=4, first=(0, 1, 2, 3)))
    assert found.value == best_set(in_memory(instance)).value
    fresh = replace(instance, pairwise=Known(upper + upper.T))
    search = rows_on_demand.OnDemandSearch(fresh, found.value, True, lambda: False, lambda *_: None)
    assert search.search()
    assert 0 < fresh.pairwise.measured < 400**2 / 10
