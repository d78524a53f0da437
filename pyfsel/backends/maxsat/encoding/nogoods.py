"""Triples of features that no good mRMR set contains, as hard clauses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.instance import Instance
from pyfsel.algorithms.ksubgraph.local_search import Start, swap_search
from pyfsel.problem.problem import Problem
from pyfsel.solvers.sat.formula import Formula

LARGEST_NUMBER_OF_TRIPLES = 200_000  # a clause each at most: 107 features
TRIPLE = 3


def add_nogoods(formula: Formula, problem: Problem, row: list[int]) -> None:
    """Forbid the triples of which no set reaches the value of one that a local search has found.

    For one mRMR set. That set and all better ones stay models, so that the optimum is the same. Without the
    clauses a core-guided solver has to find the same out pair by pair.
    """
    if problem.set_size < TRIPLE or comb(problem.n_features, TRIPLE) > LARGEST_NUMBER_OF_TRIPLES:
        return
    instance = Instance.of_problem(problem)
    known = swap_search(instance, Start())
    if known is None:
        return
    for i, j, others in hopeless_triples(instance, known[0]):
        for other in others.tolist():
            formula.add(-row[i], -row[j], -row[other])


def hopeless_triples(instance: Instance, value: int) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield for each pair i < j the features behind j with which all sets are worth less than `value`.

    With three features chosen, r = k − 3 are missing. Halving each pair weight between its two features, one
    of these is worth at most its linear weight, less its weights with the three, less the halves of its r − 1
    cheapest pairs; so the set is worth at most the three and the r largest such numbers (the bound on
    completions of `pyfsel.algorithms.ksubgraph`, with halves). Everything is doubled to stay in integers.
    """
    n, missing = instance.n_features, instance.set_size - TRIPLE
    linear, halves = 2 * instance.linear, instance.pairwise
    pairwise = 2 * halves
    to_others = np.sort(halves[~np.eye(n, dtype=bool)].reshape(n, n - 1), axis=1)
    worth = linear - to_others[:, : max(0, missing - 1)].sum(axis=1)
    never = np.iinfo(np.int64).min // (2 * max(1, missing))  # of which r and the rest are no overflow
    for i, j in combinations(range(n), 2):
        others = np.arange(j + 1, n)
        if len(others) == 0:
            continue
        bound = linear[i] + linear[j] - pairwise[i, j]
        bound = bound + linear[others] - pairwise[i, others] - pairwise[j, others]
        if missing:
            fill = worth - pairwise[i] - pairwise[j] - pairwise[others]
            fill[:, [i, j]] = never
            fill[np.arange(len(others)), others] = never
            bound = bound + np.partition(fill, n - missing, axis=1)[:, n - missing :].sum(axis=1)
        yield i, j, others[bound < 2 * value]
