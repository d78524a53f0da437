"""Greedy searches over features in order of quality (paper 000, Section 3.5 and Appendix A.6)."""

from __future__ import annotations

from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, is_plain_univariate


def greedy_replacement(problem: Problem) -> list[FeatureSet]:
    """Keep the best features in every set and fill up with features not used before.

    Paper 000, Algorithm 2, on integers: ``max_overlap`` features stay, ``set_size − max_overlap`` change.

    Returns
    -------
    list of sets
        As many as there are unused features for; empty if the problem is not plainly univariate.

    Examples
    --------
    >>> greedy_replacement(Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1))
    [(0, 1), (0, 2), (0, 3)]
    """
    if not is_plain_univariate(problem):
        return []
    order = by_quality(problem)
    fixed, rest = order[: problem.max_overlap], order[problem.max_overlap :]
    changing = problem.set_size - problem.max_overlap
    if changing == 0:
        return [tuple(sorted(fixed))] * problem.n_sets
    possible = min(problem.n_sets, len(rest) // changing)
    return [tuple(sorted(fixed + rest[i * changing : (i + 1) * changing])) for i in range(possible)]


def greedy_balancing(problem: Problem) -> list[FeatureSet]:
    """Deal the features that Greedy Replacement uses to the sets so that the qualities get even.

    Paper 000, Algorithm 3: each feature, best first, goes to the set that is worst so far and not yet full.

    Returns
    -------
    list of sets
        All that the problem asks for, or none at all.

    Examples
    --------
    >>> greedy_balancing(Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=2, set_size=4, max_overlap=2))
    [(0, 1, 2, 5), (0, 1, 3, 4)]
    """
    if not is_plain_univariate(problem):
        return []
    order = by_quality(problem)
    fixed = order[: problem.max_overlap]
    changing = problem.set_size - problem.max_overlap
    dealt = order[problem.max_overlap : problem.max_overlap + changing * problem.n_sets]
    if len(dealt) < changing * problem.n_sets:
        return []
    hands: list[list[int]] = [[] for _ in range(problem.n_sets)]
    sums = [0] * problem.n_sets
    for feature in dealt:
        worst = min((i for i, hand in enumerate(hands) if len(hand) < changing), key=lambda i: (sums[i], i))
        hands[worst].append(feature)
        sums[worst] += int(problem.quality[feature])
    return [tuple(sorted(fixed + hand)) for hand in hands]
