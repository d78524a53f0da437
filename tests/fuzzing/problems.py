"""Problems from the whole domain of `Problem`: every sign, size, constraint, and their combinations."""

from itertools import combinations
from math import comb

from conformance import quality_of, sizes_of

from pyfsel import Group, InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.problem.side_constraints import LARGEST_TOTAL

MOST_FAMILIES = 20_000
THRESHOLDS = ((0, 1), (1, 10), (1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (9, 10), (1, 1))
MANY_DIGITS = 10**6
RANGES = (LARGEST_TOTAL, LARGEST_TOTAL, 2**31 - 1)
SIDES = ("forced", "forbidden", "groups", "budget", "min_quality")


def random_problem(random, most_features=8):
    """Return a problem drawn with a `random.Random`; small enough for brute force."""
    while True:
        try:
            draw = random.choices((_from_integers, _from_floats, _special), (7, 2, 1))[0]
            problem = draw(random, most_features)
        except InputError:
            continue
        return _few_families(problem)


def _few_families(problem):
    """Return the problem with so few sets that all families of them can be listed."""
    n_single = sum(comb(problem.n_features, size) for size in sizes_of(problem))
    n_sets = problem.n_sets
    while n_sets > 1 and comb(n_single + n_sets - 1, n_sets) > MOST_FAMILIES:
        n_sets -= 1
    return problem.replace(n_sets=n_sets)


def _sizes(random, most_features):
    n = min(most_features, random.choice((1, 2, 3, 4, 5, 5, 6, 6, 7, 8)))
    size = random.choice((1, n, random.randint(1, n), random.randint(1, n), (n + 1) // 2))
    overlap = random.choice((0, size, size - 1, random.randint(0, size), random.randint(0, size)))
    return n, size, overlap, random.choice((1, 1, 2, 2, 3, 4))


def _objective(random):
    return random.choice(("univariate", "univariate", "fcbf", "mrmr", "mrmr", "graph_score", "cfs"))


def _from_integers(random, most_features):
    n, size, overlap, n_sets = _sizes(random, most_features)
    objective = _objective(random)
    largest = random.choice(RANGES) // (OBJECTIVES[objective].magnitude(size, n) * n_sets)
    fields = {"n_sets": n_sets, "k": size, "max_shared": overlap, "aggregate": random.choice(("sum", "min"))}
    fields |= _scores(random, n, objective, largest)
    if objective == "cfs":
        fields["scale"] = random.choice((1, 10, 50, 1000, MANY_DIGITS))
    if objective != "mrmr" and random.random() < (0.3 if objective in ("univariate", "fcbf") else 0.6):
        fields |= _size_range(random, size)
    if random.random() < (0.8 if objective == "fcbf" else 0.2):
        fields["conflicts"] = _conflicts(random, n)
    problem = Instance(**fields)
    if random.random() < 0.3:
        count = random.randint(1, 2)
        problem = problem.replace(previous=[random_set(random, problem) for _ in range(count)])
    return _with_sides(random, problem) if random.random() < 0.6 else problem


def _special(random, most_features):
    """Return a problem of a kind that few searches take, and only without anything else."""
    if random.random() < 0.6:
        n, objective = random.randint(1, most_features), random.choice(("graph_score", "cfs"))
        fields = {**_scores(random, n, objective, MANY_DIGITS), "k_min": 1, "k": n, "max_shared": n}
        return Instance(**fields, n_sets=1)
    size, n_sets = random.choice(((1, 3), (2, 2), (2, 3), (3, 2), (1, 4), (4, 2)))
    quality = _numbers(random, size * n_sets + random.randint(0, 1), LARGEST_TOTAL // (size * n_sets))
    return Instance(quality=quality, n_sets=n_sets, k=size, max_shared=0, aggregate="min")


def _scores(random, n, objective, largest):
    """Return the objective of an instance with its qualities and pairs."""
    sign = abs if objective == "cfs" else int
    fields = {"objective": objective, "quality": [sign(v) for v in _numbers(random, n, largest)]}
    if not OBJECTIVES[objective].is_sum:
        fields["pairs"] = symmetric(n, [sign(v) for v in _numbers(random, n * (n - 1) // 2, largest)])
    return fields


def _numbers(random, count, largest):
    """Return integers up to `largest` in one of the styles in which numbers come."""
    largest = max(1, largest)
    some = random.randint(1, 20)
    span = random.choice(((-6, 20), (0, 30), (-30, -1), (-3, 3), (-100, 100), (0, 10 * MANY_DIGITS)))
    sign = random.choice((lambda: 1, lambda: random.choice((-1, 1))))
    draw = random.choice(
        (
            *[lambda: random.randint(*span)] * 6,
            *[lambda: sign() * (largest - random.randint(0, 3))] * 2,
            lambda: 0,
            lambda: sign() * some,
            lambda: random.choice((some, -some, 0)),
            lambda: sign() * random.choice((1, some)) * 10 ** random.randint(0, 15),
            lambda: random.randint(-largest, largest),
        )
    )
    return [max(-largest, min(largest, draw())) for _ in range(count)]


def symmetric(n, above):
    """Return a matrix of zero diagonal by the numbers above it."""
    matrix = [[0] * n for _ in range(n)]
    for (i, j), number in zip(combinations(range(n), 2), above, strict=True):
        matrix[i][j] = matrix[j][i] = number
    return matrix


def _size_range(random, size):
    fields = {"k_min": random.choice((1, random.randint(1, size), max(1, size - 1)))}
    if fields["k_min"] < size and random.random() < 0.6:
        fields["max_shared"] = random.choice((size, size, random.randint(0, size)))
        above, below = random.choice(THRESHOLDS)
        dice = random.random() < 0.5
        fields["shared_weight"] = 2 * below if dice else 2 * below - above
        fields["size_weight"] = below - above
        if random.random() < 0.2:
            fields |= {"shared_weight": random.randint(1, 9), "size_weight": random.randint(0, 9)}
        fields["shared_by_smaller"] = random.random() < 0.2
        fields["shared_constant"] = -random.randint(0, 9) if random.random() < 0.2 else 0
    return fields


def _conflicts(random, n):
    pairs = list(combinations(range(n), 2))
    return random.sample(pairs, random.randint(0, min(len(pairs), random.choice((2, 5, 28)))))


def random_set(random, problem):
    """Return features of a size that the problem allows."""
    return sorted(random.sample(range(problem.n_features), random.choice(sizes_of(problem))))


def _with_sides(random, problem):
    """Return the problem with one kind of side constraint, or several together."""
    chosen = random.sample(SIDES, random.choice((1, 1, 1, 2, 2, 3, 5)))
    n, size = problem.n_features, problem.k
    order = random.sample(range(n), n)
    changes = {}
    if "forced" in chosen:
        changes["forced"] = [order.pop() for _ in range(min(random.choice((1, 1, 2, size)), size))]
    if "forbidden" in chosen:
        spare = min(len(order), n - sizes_of(problem)[0])
        changes["forbidden"] = [order.pop() for _ in range(random.randint(0, min(spare, 4)))]
    if "groups" in chosen:
        changes["groups"] = [random_group(random, n, size) for _ in range(random.choice((1, 1, 2, 3)))]
    if "budget" in chosen:
        changes |= _budget(random, problem)
    problem = problem.replace(**changes)
    if "min_quality" in chosen:
        problem = problem.replace(min_quality=_least(random, problem))
    return problem


def random_group(random, n, size):
    """Return a group of some of n features: at least, at most, all or none, or any of these together."""
    members = random.sample(range(n), random.randint(1, min(n, 5)))
    count = len(members)
    kind = random.choice(("at_least", "at_most", "all_or_none", "exactly", "any"))
    if kind == "at_least":
        return Group(tuple(members), at_least=random.randint(0, min(count, size)))
    if kind == "at_most":
        return Group(tuple(members), at_most=random.randint(0, count))
    if kind == "all_or_none":
        return Group(tuple(members), all_or_none=True)
    low = random.randint(0, min(count, size))
    high = low if kind == "exactly" else random.randint(low, count)
    return Group(tuple(members), low, high, kind == "any" and random.random() < 0.5)


def _budget(random, problem):
    n = problem.n_features
    largest = random.choice(RANGES) // n
    costs = _numbers(random, n, largest)
    if random.random() < 0.6 or problem.quality.max() > 0:
        costs = [abs(cost) for cost in costs]
    some = sum(costs[j] for j in random_set(random, problem))
    total = sum(map(abs, costs))
    budget = random.choice(
        (some, some, some - 1, some + 1, total, total + 1, 2 * total + 7, -total - 1, 0, 2**53, -(2**53))
    )
    return {"costs": costs, "budget": max(-(2**53), min(2**53, budget))}


def _least(random, problem):
    values = [quality_of(problem, tuple(random_set(random, problem))) for _ in range(3)]
    low, high = min(values), max(values)
    size = max(map(abs, values))
    near = [low, high, high + 1, low - 1, values[0], values[0] - 1, 0]
    least = random.choice((*near, low - 10 * size - 7, high + 10 * size + 7, -(2**53), 2**53))
    return max(-(2**53), min(2**53, least))


def _from_floats(random, most_features):
    """Return a problem that `make_instance` builds from floats, thresholds and decimals."""
    n, size, overlap, n_sets = _sizes(random, most_features)
    objective = random.choice(("univariate", "fcbf", "mrmr", "cfs"))
    signed = -1.0 if objective != "cfs" and random.random() < 0.5 else 0.0
    unit = random.choice((1.0, 1.0, 1.0, 10.0 ** random.randint(-12, 12))) if objective != "cfs" else 1.0
    draw = random.choice(
        (
            lambda: random.uniform(signed, 1),
            lambda: random.choice((signed, 0.25, 1 / 3, 1.0)),
            lambda: round(random.uniform(signed, 1), 2),
        )
    )
    arguments = {
        "k": size,
        "objective": objective,
        "n_sets": n_sets,
        "aggregate": random.choice(("sum", "min")),
        "quality": [unit * draw() for _ in range(n)],
    }
    if objective != "univariate":
        above = [unit * draw() for _ in range(n * (n - 1) // 2)]
        arguments["pairs"] = symmetric(n, above)
    if objective != "mrmr" and random.random() < 0.3:
        arguments["k"] = (random.randint(1, size), size)
    if random.random() < 0.5:
        least = random.choice((*(a / b for a, b in THRESHOLDS), random.random()))
        arguments["dissimilarity"] = Dissimilarity(least, random.choice(("dice", "jaccard")))
    else:
        arguments["dissimilarity"] = Dissimilarity(max_shared=overlap)
    rules = {}
    if random.random() < 0.3:
        rules["costs"] = [round(random.uniform(0, 10), random.randint(0, 6)) for _ in range(n)]
        rules["budget"] = round(random.uniform(0, 12 * size), 3)
    if random.random() < 0.3:
        rules["min_quality"] = unit * random.uniform(-1, 1) * random.choice((0.1, 1, size, 100))
    if random.random() < 0.2:
        rules["groups"] = [random_group(random, n, size)]
    return make_instance(**arguments, constraints=Constraints(**rules))
