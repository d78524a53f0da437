"""Small instances as plain data with their optima, for tests of certificates, and weights of pairs."""

import numpy as np
import questions_oracle as oracle
from fuzzing.domain import whole_domain_problem

from pyfsel import InputError
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.problem.instance import Instance

NOT_CERTIFIED = {"shared_weight": None, "size_weight": None, "shared_price": 0, "relatives": ()}


def random_instance(rng, objective=None):
    """Return the data of an instance that certificates can be about: of this objective, or of any."""
    while True:
        drawn = whole_domain_problem(rng, more=("mrmr", "cfs", "cfs"))
        changes = {"n_sets": rng.choice([1, 1, 1, 2, 2, 3]), "aggregate": rng.choice(["sum", "min"])}
        if drawn.objective == "cfs":
            changes["n_sets"] = 1
        try:
            problem = drawn.replace(**NOT_CERTIFIED, **changes, search="simultaneous")
        except InputError:
            continue
        if objective in (None, problem.objective):
            return problem.to_dict()


def random_pairs(rng, least=2, most=11):
    """Return weights of any sign and size, ties, conflicts, previous sets with limits, forced features."""
    n = int(rng.integers(least, most))
    k = int(rng.integers(1, min(n, 10) + 1))
    spread = int(rng.choice([0, 1, 3, 20, 10**6, 10**13]))
    linear = rng.integers(rng.choice([-spread, 0]), spread + 1, n)
    pairwise = np.triu(rng.integers(rng.choice([-spread, 0]), spread + 1, (n, n)), 1)
    conflicts = np.triu(rng.random((n, n)) < rng.choice([0, 0, 0.1]), 1)
    previous = rng.random((int(rng.choice([0, 0, 1, 3])), n)) < 0.5
    limits = rng.integers(0, k + 1, len(previous))
    forced = rng.choice(n, int(rng.choice([0, 0, 1, rng.integers(0, k + 1)])), replace=False)
    rules = conflicts | conflicts.T, previous, limits, tuple(forced.tolist())
    return PairInstance(linear, pairwise + pairwise.T, k, *rules)


def solutions(data):
    """Return all solutions with their objectives, best first."""
    truth = oracle.Truth(Instance.from_dict(data))
    merge = sum if truth.problem.aggregate == "sum" else min
    families = (list(map(list, family)) for family in truth.families)
    return sorted(zip(map(merge, truth.family_values), families, strict=True), reverse=True)
