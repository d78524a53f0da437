"""Answers to the questions by trying everything, from the definitions; shares no code with the package."""

from fractions import Fraction
from itertools import combinations

from conformance import are_dissimilar, is_solution, quality_of, sizes_of


def pool_of(problem):
    """Return all sets that satisfy everything that concerns a single set and the previous ones."""
    alone = problem.replace(n_sets=1)
    return [
        members
        for size in sizes_of(problem)
        for members in combinations(range(problem.n_features), size)
        if is_solution(alone, [members])
    ]


def families(problem):
    """Return all solutions, each once, as ascending tuples of sets; equal sets where they are allowed."""
    pool = pool_of(problem)

    def extended(chosen, first):
        if len(chosen) == problem.n_sets:
            yield tuple(sorted(chosen))
            return
        for i in range(first, len(pool)):
            if all(are_dissimilar(problem, set(pool[i]), set(other)) for other in chosen):
                yield from extended((*chosen, pool[i]), i)

    return list(extended((), 0))


def values(problem, family):
    return [quality_of(problem, members) for members in family]


def without_overlap_limits(problem):
    return problem.replace(max_overlap=problem.set_size, overlap_factor=None, size_factor=None)


def best_single_value(problem):
    """Return the best value of a set, whatever others and a least quality ask for; None if there is none."""
    alone = without_overlap_limits(problem).replace(n_sets=1, previous_sets=(), min_quality=None)
    return max((quality_of(problem, members) for members in pool_of(alone)), default=None)


def dissimilarity(one, other, name):
    shared, sizes = len({*one} & {*other}), len(one) + len(other)
    return 1 - (Fraction(2 * shared, sizes) if name == "dice" else Fraction(shared, sizes - shared))


def least_dissimilarity(family, previous, name):
    pairs = [*combinations(family, 2), *((a, b) for a in family for b in previous)]
    return min((dissimilarity(a, b, name) for a, b in pairs), default=Fraction(1))


def largest_dissimilarity(problem, name):
    """Return the largest least dissimilarity of solutions of any overlap, None if there are none."""
    free = without_overlap_limits(problem)
    return max((least_dissimilarity(f, problem.previous_sets, name) for f in families(free)), default=None)


def largest_number(problem):
    """Return how many different sets of the pool can be dissimilar to each other."""
    pool = pool_of(problem)

    def most(candidates):
        return max(
            (
                1 + most([c for c in candidates[i + 1 :] if are_dissimilar(problem, set(one), set(c))])
                for i, one in enumerate(candidates)
            ),
            default=0,
        )

    return most(pool)


def min_then_sum(problem):
    """Return the best smallest value and the best sum with it, None without a solution."""
    found = [values(problem, family) for family in families(problem)]
    return max(((min(v), sum(v)) for v in found), default=None)


def optimal_families(problem):
    together = sum if problem.aggregate == "sum" else min
    listed = families(problem)
    best = max((together(values(problem, f)) for f in listed), default=None)
    return best, {f for f in listed if together(values(problem, f)) == best}
