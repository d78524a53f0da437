"""Answers to the questions by trying everything, from the definitions; shares no code with the package."""

from fractions import Fraction
from functools import cached_property
from itertools import combinations

import networkx as nx
from conformance import are_dissimilar, pool_of, quality_of, with_relatives


class Truth:
    """What is true of a problem, found by trying everything; kept, as many backends are asked the same.

    Sets are numbered in the order of `pool`; `fitting[i]` has a bit for each set that may stand beside set i.
    """

    def __init__(self, problem):
        self.problem = problem

    @cached_property
    def pool(self):
        return pool_of(self.problem)

    @cached_property
    def pool_values(self):
        return values(self.problem, self.pool)

    @cached_property
    def fitting(self):
        whole = [set(members) for members in self.pool]
        return [
            sum(1 << i for i, other in enumerate(whole) if are_dissimilar(self.problem, one, other))
            for one in whole
        ]

    @cached_property
    def families(self):
        """All solutions, each once, as ascending tuples of sets; equal sets where they are allowed."""
        found = []

        def extend(chosen, candidates, n_more):
            if n_more == 0:
                found.append(tuple(sorted(self.pool[i] for i in chosen)))
                return
            while candidates:
                i = (candidates & -candidates).bit_length() - 1
                extend((*chosen, i), candidates & self.fitting[i], n_more - 1)
                candidates &= candidates - 1

        extend((), (1 << len(self.pool)) - 1, self.problem.n_sets)
        return found

    @cached_property
    def family_values(self):
        number = dict(zip(self.pool, self.pool_values, strict=True))
        return [[number[members] for members in family] for family in self.families]

    @cached_property
    def optimum(self):
        """The best integer objective, None if there is no solution."""
        together = sum if self.problem.aggregate == "sum" else min
        return max(map(together, self.family_values), default=None)

    @cached_property
    def optimal_families(self):
        return self.families_from(self.optimum)

    def families_from(self, least):
        together = sum if self.problem.aggregate == "sum" else min
        pairs = zip(self.families, self.family_values, strict=True)
        return {family for family, numbers in pairs if together(numbers) >= least}

    @cached_property
    def best_sum(self):
        return max(map(sum, self.family_values), default=None)

    @cached_property
    def min_then_sum(self):
        """The best smallest value and the best sum with it, None without a solution."""
        return max(((min(v), sum(v)) for v in self.family_values), default=None)

    @cached_property
    def least_costs(self):
        """The least sum of the costs of the sets, and the least largest cost; None without a solution.

        Without costs a feature costs 1.
        """
        costs = [1] * self.problem.n_features if self.problem.costs is None else self.problem.costs.tolist()
        of_set = {members: sum(costs[j] for j in members) for members in self.pool}
        found = [[of_set[members] for members in family] for family in self.families]
        return (min(map(sum, found)), min(map(max, found))) if found else None

    def best_beside(self, chosen):
        """Return the best value of one set that is dissimilar to these, None if there is none."""
        earlier = [with_relatives(self.problem, set(members)) for members in chosen]
        return max(
            (
                value
                for members, value in zip(self.pool, self.pool_values, strict=True)
                if all(are_dissimilar(self.problem, other, set(members)) for other in earlier)
            ),
            default=None,
        )

    @cached_property
    def largest_number(self):
        """How many different sets of the pool can be dissimilar to each other: a largest clique."""
        graph = nx.empty_graph(len(self.pool))
        graph.add_edges_from((i, j) for i, j in combinations(graph, 2) if self.fitting[i] >> j & 1)
        return nx.max_weight_clique(graph, None)[1]


def families(problem):
    return Truth(problem).families


def values(problem, family):
    return [quality_of(problem, members) for members in family]


def without_overlap_limits(problem):
    return problem.replace(max_shared=problem.k, shared_weight=None, size_weight=None)


def best_single_value(problem):
    """Return the best value of a set, whatever others and a least quality ask for; None if there is none."""
    alone = without_overlap_limits(problem).replace(n_sets=1, previous=(), min_quality=None)
    return max((quality_of(problem, members) for members in pool_of(alone)), default=None)


def least_value(problem, loss):
    """Return the least value of a set that loses at most a share of the best, and reaches `min_quality`."""
    best = best_single_value(problem)
    lowest = best - int(Fraction(loss).limit_denominator(10**6) * abs(best))
    return lowest if problem.min_quality is None else max(lowest, problem.min_quality)


def dissimilarity(one, other, name):
    shared, sizes = len({*one} & {*other}), len(one) + len(other)
    return 1 - (Fraction(2 * shared, sizes) if name == "dice" else Fraction(shared, sizes - shared))


def least_dissimilarity(family, previous, name):
    pairs = [*combinations(family, 2), *((a, b) for a in family for b in previous)]
    return min((dissimilarity(a, b, name) for a, b in pairs), default=Fraction(1))


def largest_dissimilarity(problem, name):
    """Return the largest least dissimilarity of solutions of any overlap, None if there are none."""
    free = without_overlap_limits(problem)
    return max((least_dissimilarity(f, problem.previous, name) for f in families(free)), default=None)


def largest_number(problem):
    return Truth(problem).largest_number


def optimal_families(problem, loss=0):
    """Return the optimum, and the families that lose at most a share of it."""
    truth = Truth(problem)
    if truth.optimum is None:
        return None, set()
    return truth.optimum, truth.families_from(truth.optimum - int(Fraction(str(loss)) * abs(truth.optimum)))
