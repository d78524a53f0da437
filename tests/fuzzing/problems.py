"""Problems for the fuzz: those of `domain`, driven to the ends of what is allowed, and others from floats."""

from itertools import combinations
from math import comb

from conformance import quality_of, sizes_of

from pyfsel import InputError
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.reductions.restriction import Restriction

from .domain import ANY, random_group, random_set, symmetric, whole_domain_problem

MOST_FAMILIES = 20_000
THRESHOLDS = ((0, 1), (1, 10), (1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (9, 10), (1, 1))
NOT_ASKED = {"shared_price": 0, "sum_weight": 1, "min_weight": 1}
"""What no question but `solve` takes."""


def random_problem(random, most_features=7):
    """Return a problem drawn with a `random.Random`; small enough for brute force."""
    while True:
        try:
            draw = _from_floats if random.random() < 0.2 else _from_integers
            return _few_families(draw(random, most_features))
        except (InputError, KeyError, IndexError):  # a rule names a feature that is left out
            continue


def _few_families(problem):
    """Return the problem with so few sets that all families of them can be listed."""
    n_single = sum(comb(problem.n_features, size) for size in sizes_of(problem))
    n_sets = problem.n_sets
    while n_sets > 1 and comb(n_single + n_sets - 1, n_sets) > MOST_FAMILIES:
        n_sets -= 1
    return problem.replace(n_sets=n_sets)


def _from_integers(random, most_features):
    more = ("univariate", "mrmr", "cfs", "cfs")
    drawn = whole_domain_problem(random, more, ANY, big=random.random() < 0.2)
    problem = drawn.replace(**NOT_ASKED, aggregate=random.choice(("sum", "min")))
    if problem.n_features > most_features or random.random() < 0.2:
        n = random.randint(problem.k, max(problem.k, min(most_features, problem.n_features)))
        some = sorted(random.sample(range(problem.n_features), n))
        problem = Restriction.to(problem, some).problem
    for end in random.sample(ENDS, random.choice((0, 1, 1, 2, 3))):
        problem = problem.replace(**end(random, problem))
    return problem


def _sizes(random, problem):
    """One feature, all of them, or sets that may share anything."""
    size = random.choice((1, problem.k, problem.n_features))
    return {"k": size, "k_min": size, "max_shared": random.choice((0, size)), "n_sets": random.randint(1, 4)}


def _qualities(random, problem):
    some = random.choice((0, 1, 10**15, -(10**6)))
    signs = (0, 1) if problem.objective == "cfs" or random.random() < 0.5 else (-1, 1)
    return {"quality": [some * random.choice(signs) for _ in range(problem.n_features)]}


def _conflicts(random, problem):
    pairs = list(combinations(range(problem.n_features), 2))
    return {"conflicts": random.sample(pairs, random.randint(0, len(pairs)))}


def _sides(random, problem):
    """Constraints of all kinds together."""
    n = problem.n_features
    changes = {"forced": [random.randrange(n)], "forbidden": [random.randrange(n)]}
    changes["groups"] = [random_group(random, n, problem.k) for _ in range(random.randint(1, 3))]
    return {**changes, **_budget(random, problem), **_least(random, problem)}


def _budget(random, problem):
    costs = [random.choice((1, 10**9)) * random.randint(-3, 9) for _ in range(problem.n_features)]
    some, total = sum(costs[j] for j in random_set(random, problem)), sum(map(abs, costs))
    ends = (some, some - 1, total, 2 * total + 7, min(costs) - 1, -total - 1, 0, 2**53, -(2**53))
    return {"costs": costs, "budget": random.choice(ends)}


def _least(random, problem):
    numbers = [quality_of(problem, tuple(random_set(random, problem))) for _ in range(3)]
    ends = (min(numbers), max(numbers), max(numbers) + 1, numbers[0] - 1, 0, -(2**53), 2**53)
    return {"min_quality": random.choice(ends)}


ENDS = (_sizes, _qualities, _conflicts, _sides, _budget, _least)


def _from_floats(random, most_features):
    """Return a problem that `make_instance` builds from floats, thresholds and decimals."""
    n = random.randint(1, most_features)
    size, overlap, n_sets = random.randint(1, n), random.randint(0, n), random.randint(1, 4)
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
        arguments["dissimilarity"] = Dissimilarity(max_shared=min(overlap, size))
    rules = {}
    if random.random() < 0.3:
        rules["costs"] = [round(random.uniform(0, 10), random.randint(0, 6)) for _ in range(n)]
        rules["budget"] = round(random.uniform(0, 12 * size), 3)
    if random.random() < 0.3:
        rules["min_quality"] = unit * random.uniform(-1, 1) * random.choice((0.1, 1, size, 100))
    return make_instance(**arguments, constraints=Constraints(**rules))
