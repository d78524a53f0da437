"""One set as a quadratic model in 0/1 variables, as text that annealers and others read."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Ints
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of


def unsupported(problem: Instance) -> str | None:
    """Return why a problem has no such model, or None."""
    objective = objective_of(problem)
    if objective.is_fraction or problem.lazy_pairs is not None:
        return f"has sums and pairs in memory, not objective {problem.objective}"
    if problem.n_sets > 1 or problem.previous or problem.has_conflicts:
        return "is for one set, without conflicts or previous sets"
    if set(problem.side_constraints) - {"size_range"}:
        return f"has no {', '.join(problem.side_constraints)}"
    if problem.has_size_range and (problem.sizes[0] > 1 or problem.sizes[-1] < problem.n_features):
        return f"has sets of one size, or of any, not of {problem.sizes_text} features"
    return None


def penalised(problem: Instance) -> tuple[Ints, Ints, int]:
    """Return the energy of features, of pairs, and a constant, of which a wrong size has more than it gains.

    The energy of a set is minus its value, and a penalty times the square of how far its size is off. A
    feature more or less changes the value by less than the penalty.

    Raises
    ------
    InputError
        If it is not for one set that nothing but its size limits, or no set of one or two features has a
        positive value: the empty set, which is none of them, has 0.
    """
    if why := unsupported(problem):
        raise InputError(f"a quadratic model {why}")
    per_feature, per_pair = objective_of(problem).weights(problem.k)
    linear, pairs = -per_feature * problem.quality, np.zeros((problem.n_features,) * 2, np.int64)
    if problem.pairs is not None:
        pairs = per_pair * np.triu(problem.pairs, 1)
    if problem.has_size_range:
        if (linear[:, None] + linear + pairs).min() >= 0:
            raise InputError(
                "a quadratic model of sets of any size has the empty set; no feature or pair is better"
            )
        return linear, pairs, 0
    around = np.abs(pairs + pairs.T).sum(axis=0)
    penalty = int((np.abs(linear) + around).max()) + 1
    linear = linear + penalty * (1 - 2 * problem.k)
    return linear, pairs + 2 * penalty * np.triu(np.ones_like(pairs), 1), penalty * problem.k**2


def qubo_text(problem: Instance) -> str:
    """Return the problem in the format of qbsolv: minimise, the size by a penalty."""
    linear, pairs, constant = penalised(problem)
    couplers = [f"{i} {j} {pairs[i, j]}" for i, j in np.argwhere(pairs)]
    n = problem.n_features
    lines = [
        f"c energy + {constant} = - value of the set; variables are features from 0",
        f"p qubo 0 {n} {n} {len(couplers)}",
        *(f"{j} {j} {weight}" for j, weight in enumerate(linear.tolist())),
        *couplers,
    ]
    return "\n".join(lines) + "\n"
