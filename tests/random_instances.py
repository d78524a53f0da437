"""Small instances as plain data, and their optima by trying everything, for tests of certificates."""

from itertools import combinations

import conformance
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
    problem = Instance.from_dict(data)
    alone = problem.replace(n_sets=1, aggregate="sum")
    sets = [
        s
        for size in conformance.sizes_of(problem)
        for s in combinations(range(problem.n_features), size)
        if conformance.is_solution(alone, [s])
    ]
    worth = {s: conformance.quality_of(problem, s) for s in sets}
    merge = sum if problem.aggregate == "sum" else min
    chosen_so_far = [((), sets)]
    for _ in range(problem.n_sets):
        chosen_so_far = [
            ((*chosen, s), [t for t in left[i:] if conformance.are_dissimilar(problem, {*s}, {*t})])
            for chosen, left in chosen_so_far
            for i, s in enumerate(left)
        ]
    found = [(merge(worth[s] for s in chosen), list(map(list, chosen))) for chosen, _ in chosen_so_far]
    return sorted(found, reverse=True)
