"""An oracle for instances beyond brute force: all sets by NumPy, the choice among them as a packing model.

Shares no code with `pyfsel.algorithms.packing`: the sets come from `itertools`, their values from formulas of
this file, and CP-SAT chooses under the condition that no (max_shared + 1)-subset of features lies in two
chosen sets.
"""

from itertools import chain, combinations

import numpy as np
from ortools.sat.python import cp_model


def all_sets(n, k):
    flat = np.fromiter(chain.from_iterable(combinations(range(n), k)), dtype=np.int16)
    return flat.reshape(-1, k)


def values_of(problem, sets):
    quality, k = problem.quality, problem.k
    if problem.objective != "mrmr":
        return sum(quality[sets[:, i]] for i in range(k))
    relevance = max(1, k - 1) * sum(quality[sets[:, i]] for i in range(k))
    pairs = [problem.pairs[sets[:, i], sets[:, j]] for i, j in combinations(range(k), 2)]
    return relevance - 2 * sum(pairs)


def allowed_sets(problem):
    """Return the sets that are feasible on their own, best first, and their values."""
    sets = all_sets(problem.n_features, problem.k)
    member = np.zeros((len(sets), problem.n_features), dtype=np.int8)
    np.put_along_axis(member, sets.astype(int), 1, axis=1)
    keep = np.ones(len(sets), dtype=bool)
    for i, j in problem.conflicts:
        keep &= member[:, i] + member[:, j] < 2
    for previous in problem.previous:
        keep &= member[:, list(previous)].sum(axis=1) <= problem.max_shared
    sets = sets[keep]
    values = values_of(problem, sets)
    order = np.argsort(-values, kind="stable")
    return sets[order], values[order]


def greedy(problem, sets):
    """Return the positions of sets that are each best beside those before."""
    free = np.ones(len(sets), dtype=bool)
    chosen = []
    while free.any() and len(chosen) < problem.n_sets:
        chosen.append(int(free.argmax()))
        free &= np.isin(sets, sets[chosen[-1]]).sum(axis=1) <= problem.max_shared
    return chosen


def optimum(problem):
    """Return the largest integer objective, or None if infeasible; max_shared below k only."""
    assert problem.max_shared < problem.k
    sets, values = allowed_sets(problem)
    start = greedy(problem, sets)
    if len(start) == problem.n_sets:
        reached = values[start]
        least = reached.min()
        if problem.aggregate == "sum":
            least = reached.sum() - (problem.n_sets - 1) * values[0]
        sets, values = sets[values >= least], values[values >= least]
    return _packed(problem, sets.tolist(), values.tolist())


def _packed(problem, sets, values):
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in sets]
    model.add(sum(chosen) == problem.n_sets)
    holders = {}
    for var, members in zip(chosen, sets, strict=True):
        for part in combinations(members, problem.max_shared + 1):
            holders.setdefault(part, []).append(var)
    for group in holders.values():
        model.add_at_most_one(group)
    if problem.aggregate == "sum":
        model.maximize(sum(v * var for v, var in zip(values, chosen, strict=True)))
    else:
        largest = max(map(abs, values), default=0)
        worst = model.new_int_var(-largest, largest, "")
        for v, var in zip(values, chosen, strict=True):
            model.add(worst <= v).only_enforce_if(var)
        model.maximize(worst)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return round(solver.objective_value)
