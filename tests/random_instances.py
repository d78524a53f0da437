"""Small instances as plain data, and their optima by trying everything, for tests of certificates."""

from itertools import combinations
from math import isqrt


def random_instance(rng, objective=None):
    """Return the data of an instance: ties, zeros, both signs, side constraints, sizes, several sets."""
    n = rng.choice([3, 4, 5, 5, 6])
    pairs = ["mrmr", "mrmr", "graph_score", "cfs", "jmi", "mifs", "cife"]
    objective = objective or rng.choice(["univariate", "fcbf", *pairs])
    k = rng.randint(1, min(n, 4))
    n_sets = 1 if objective == "cfs" else rng.choice([1, 1, 1, 1, 2, 2, 2, 3])
    largest, least = rng.choice([(1, 0), (3, -3), (50, 0), (1000, -200)])
    signs = 0 if objective == "cfs" else least
    data = {
        "format": "pyfsel-problem 2",
        "n_features": n,
        "n_sets": n_sets,
        "k": k,
        "max_shared": rng.randint(0, k),
        "objective": objective,
        "search": rng.choice(["sum", "min"]),
        "scale": 10.0 if objective == "cfs" else 1.0,
        "quality": [rng.randint(signs, largest) for _ in range(n)],
    }
    if objective not in ("univariate", "fcbf"):
        rows = [[0] * n for _ in range(n)]
        for i, j in combinations(range(n), 2):
            rows[i][j] = rows[j][i] = rng.randint(signs, largest)
        data["pairs"] = rows
    if objective == "fcbf":
        data["conflicts"] = [pair for pair in combinations(range(n), 2) if rng.random() < 0.15]
        data["conflicts"] = [list(pair) for pair in data["conflicts"]]
    if objective not in ("mrmr", "jmi") and rng.random() < 0.3:
        data["k_min"] = rng.randint(1, k)
    if rng.random() < 0.3:
        size = rng.randint(data.get("k_min", k), k)
        data["previous"] = [{"set": rng.sample(range(n), size)} for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.2:
        data["costs"] = [rng.randint(0, 5) for _ in range(n)]
        data["budget"] = rng.randint(0, 4 * k)
    if rng.random() < 0.15:
        one, other = rng.sample(range(n), 2)
        data |= {"forced": [one]} if rng.random() < 0.5 else {"forbidden": [one, other][: n - k]}
    if rng.random() < 0.15:
        group = sorted(rng.sample(range(n), rng.randint(1, 3)))
        most = rng.randint(0, min(k, len(group)))
        data |= {
            "groups": [{"set": group}],
            "group_at_most": [most],
            "group_at_least": [rng.randint(0, most)],
        }
        data["group_all_or_none"] = [rng.random() < 0.4]
    if rng.random() < 0.15:
        data["min_quality"] = rng.randint(-5, 20)
    return data


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
