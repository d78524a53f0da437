"""Small instances as plain data, and their optima by trying everything, for tests of certificates."""

import questions_oracle as oracle
from fuzzing.domain import whole_domain_problem

from pyfsel import InputError
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


def solutions(data):
    """Return all solutions with their objectives, best first."""
    truth = oracle.Truth(Instance.from_dict(data))
    merge = sum if truth.problem.aggregate == "sum" else min
    families = (list(map(list, family)) for family in truth.families)
    return sorted(zip(map(merge, truth.family_values), families, strict=True), reverse=True)
