"""Random calls of the two resumable searches, on larger instances than all sets can be listed of.

Chains alone and the tree of the relaxation in turns with them: two ways to the same optimum, in pieces of
random size, with conflicts, previous sets, ties and both signs. `PYFSEL_FUZZ_TRIALS` asks for more of them,
as `bash tests/run.sh --sanitize` does.
"""

import os

import numpy as np
import pytest
from random_instances import random_pairs

from pyfsel.algorithms.ksubgraph import chains, concave_bound
from pyfsel.algorithms.ksubgraph.all_heavy import best_set, enumerate_instance
from pyfsel.algorithms.ksubgraph.local_search import Start

TRIALS = int(os.environ.get("PYFSEL_FUZZ_TRIALS", "3"))


def best_in_pieces(instance, rng, monkeypatch, relaxed):
    """Return the value of the best set, and what is met on the way, without a start."""
    monkeypatch.setattr(chains, "ENTRIES_BEFORE_RELAXATION", 0 if relaxed else 10**18)
    monkeypatch.setattr(chains, "ENTRIES_PER_CUBE_BEFORE_RELAXATION", 0)
    monkeypatch.setattr(chains, "WORK_ON_RELAXATION_PER_ENTRY", 10**6)
    monkeypatch.setattr(chains, "WORK_ON_CHAINS", 2 ** int(rng.integers(4, 24)))
    monkeypatch.setattr(chains, "WORK_ON_RELAXATION", 2 ** int(rng.integers(8, 27)))
    monkeypatch.setattr(concave_bound, "WORK_AT_ONCE", 2 ** int(rng.integers(4, 27)))
    calls, most = 0, int(rng.integers(3_000, 30_000))

    def expired():
        nonlocal calls
        calls += 1
        return calls > most

    return best_set(instance, Start(n_random=0), expired=expired)


@pytest.mark.parametrize("seed", range(4))
def test_chains_and_the_tree_agree(seed, monkeypatch):
    for trial in range(TRIALS):
        rng = np.random.default_rng([seed, trial])
        instance = random_pairs(rng, 12, 60)
        alone, in_turns = (best_in_pieces(instance, rng, monkeypatch, relaxed) for relaxed in (False, True))
        if alone.finished and in_turns.finished:
            assert alone.value == in_turns.value
        for found, other in ((alone, in_turns), (in_turns, alone)):
            assert found.value is None or other.bound is None or found.value <= other.bound
        if alone.finished and alone.value is not None:
            listed = enumerate_instance(instance, alone.value, 10_000)
            assert set(listed.values.tolist()) == {alone.value}
            assert not listed.complete or list(alone.features) in listed.sets.tolist()
