"""Small instances as plain data, and their optima by trying everything, for tests of certificates."""

from itertools import combinations
from math import isqrt

from fuzzing.domain import whole_domain_problem

from pyfsel import InputError

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


def value_of(data, members):
    k, relevance = len(members), sum(data["quality"][j] for j in members)
    if data["objective"] in ("univariate", "fcbf"):
        return relevance
    pairs = sum(data["pairs"][i][j] for i, j in combinations(members, 2))
    if data["objective"] == "cfs":
        scale = int(data["scale"])
        return isqrt(scale * relevance * relevance // (scale * k + 2 * pairs))
    if data["objective"] in ("mrmr", "jmi"):
        return max(1, k - 1) * relevance - (2 if data["objective"] == "mrmr" else 1) * pairs
    return relevance - pairs


def may_share(data, one, other):
    return len({*one} & {*other}) <= data["max_shared"]


def is_allowed(data, members):
    inside = set(members)
    groups = zip(
        data.get("groups", []),
        data.get("group_at_least", []),
        data.get("group_at_most", []),
        data.get("group_all_or_none", []),
        strict=True,
    )
    return (
        all(may_share(data, members, s["set"]) for s in data.get("previous", []))
        and not any(inside.issuperset(pair) for pair in data.get("conflicts", []))
        and inside.issuperset(data.get("forced", []))
        and inside.isdisjoint(data.get("forbidden", []))
        and all(
            low <= len(inside & {*s["set"]}) <= high
            and (not whole or len(inside & {*s["set"]}) in (0, len(s["set"])))
            for s, low, high, whole in groups
        )
        and ("budget" not in data or sum(data["costs"][j] for j in members) <= data["budget"])
        and ("min_quality" not in data or value_of(data, members) >= data["min_quality"])
    )


def solutions(data):
    """Return all solutions with their objectives, best first."""
    n, k = data["n_features"], data["k"]
    sizes = range(data.get("k_min", k), k + 1)
    sets = [s for size in sizes for s in combinations(range(n), size) if is_allowed(data, s)]
    worth = {s: value_of(data, s) for s in sets}
    merge = sum if data["search"] == "sum" else min
    chosen_so_far = [((), sets)]
    for _ in range(data["n_sets"]):
        chosen_so_far = [
            ((*chosen, s), [t for t in left[i:] if may_share(data, s, t)])
            for chosen, left in chosen_so_far
            for i, s in enumerate(left)
        ]
    found = [(merge(worth[s] for s in chosen), list(map(list, chosen))) for chosen, _ in chosen_so_far]
    return sorted(found, reverse=True)
