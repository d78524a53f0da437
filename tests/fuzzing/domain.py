"""Problems over all that a 0/1 model states: each objective, aggregate, overlap rule and constraint."""

from itertools import combinations

import numpy as np
from conformance import quality_of, sizes_of

from pyfsel import Group, InputError
from pyfsel.problem.dissimilarity import DISSIMILARITIES, overlap_rule
from pyfsel.problem.fields import LARGEST_TOTAL
from pyfsel.problem.instance import Instance

OBJECTIVES = ("univariate", "univariate", "fcbf", "mrmr", "jmi", "mifs", "cife", "graph_score")
ONE_SIZE = ("mrmr", "jmi")
WEIGHTS = ((1, 1), (2, 3), (1, 10**4), (5, 1))


SMALL, ANY = (1,), (1, 1, 1000, 10**10)


def whole_domain_problem(random, more=(), scales=SMALL, big=False, **shape):
    """Return a problem drawn with a `random.Random`.

    Parameters
    ----------
    more : sequence of str
        Further objectives.
    scales : sequence of int
        What numbers up to 100 are multiplied by.
    big : bool
        Whether numbers are as large as they may be.
    **shape
        `objectives` in place of all, and the maximum numbers `most_features` and `most_sets`.
    """
    while True:
        try:
            problem = _drawn(random, scales, more, **shape)
            problem = _enlarged(random, problem) if big else problem
            return _with_least_quality(random, problem) if random.random() < 0.25 else problem
        except InputError:
            continue


def _drawn(random, scales, more, objectives=OBJECTIVES, most_features=7, most_sets=3):
    n, k = random.randint(4, most_features), random.randint(1, 4)
    objective = random.choice((*objectives, *more))
    single, is_share = objective in ("cfs", "r2", "facility_location"), objective in ("cfs", "r2")
    top = 100 if is_share else random.choice((5, 20, 100)) * random.choice(scales)
    low = 0 if is_share else random.choice((0, -top // 4, -top))
    fields = {
        "quality": [random.randint(low, top) for _ in range(n)],
        "n_sets": 1 if single else random.choice((1, 2, 2, most_sets)),
        "k": k,
        "max_shared": random.randint(0, k),
        "objective": objective,
        "aggregate": random.choice(("sum", "sum", "min", "weighted", "difference")),
        "scale": 100 if is_share else 1,
    }
    if fields["aggregate"] == "weighted":
        fields["sum_weight"], fields["min_weight"] = random.choice(WEIGHTS)
    if objective == "fcbf":
        fields["conflicts"] = random.sample(list(combinations(range(n), 2)), random.randint(1, 6))
    elif objective != "univariate":
        fields["pairs"] = symmetric(n, [random.randint(low, top) for _ in range(n * (n - 1) // 2)])
    if k > 1 and objective not in ONE_SIZE and random.random() < 0.4:
        fields["k_min"] = random.randint(1, k - 1)
        if random.random() < 0.6:
            tau = random.choice((0.2, 0.3, 0.5, 0.6, 0.8))
            fields |= overlap_rule(tau, random.choice(list(DISSIMILARITIES)), n).fields()
    return _with_rules(random, Instance(**fields))


def _with_rules(random, problem):
    n, k = problem.n_features, problem.k
    found = {}
    if random.random() < 0.25:
        found["forced"] = [random.randrange(n)]
    if random.random() < 0.2:
        found["forbidden"] = [random.randrange(n)]
    if random.random() < 0.3:
        found["groups"] = [random_group(random, n, k) for _ in range(random.randint(1, 2))]
    if random.random() < 0.3:
        unit = random.choice((1, 10**6))
        found["costs"] = [random.randint(0, 5) * unit for _ in range(n)]
        found["budget"] = random.randint(4, 12) * unit
    if random.random() < 0.3:
        found["previous"] = [random_set(random, problem) for _ in range(random.randint(1, 2))]
    if problem.aggregate == "sum" and problem.objective != "cfs" and random.random() < 0.3:
        found["shared_price"] = random.randint(1, 3)
    return problem.replace(**found)


def _enlarged(random, problem):
    """Return the problem with numbers as large as they may be, and odd."""
    if problem.objective == "cfs":
        return problem
    times = (LARGEST_TOTAL - 1) // max(1, problem.largest_total)

    def odd(numbers):
        return numbers * times - np.sign(numbers) * random.randint(0, min(times - 1, 1000))

    changes = {"quality": odd(problem.quality), "shared_price": problem.shared_price * times}
    if problem.pairs is not None:
        changes["pairs"] = odd(problem.pairs)
    return problem.replace(**changes)


def _with_least_quality(random, problem):
    drawn = [quality_of(problem, tuple(random_set(random, problem))) for _ in range(3)]
    return problem.replace(min_quality=sorted(drawn)[1])


def symmetric(n, above):
    """Return a matrix of zero diagonal by the numbers above it."""
    matrix = [[0] * n for _ in range(n)]
    for (i, j), number in zip(combinations(range(n), 2), above, strict=True):
        matrix[i][j] = matrix[j][i] = number
    return matrix


def random_set(random, problem):
    """Return features of a size that the problem allows."""
    return sorted(random.sample(range(problem.n_features), random.choice(sizes_of(problem))))


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
