"""The quadratic problem of one step, in integers that a solver can represent."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import GraphScore
from pyfsel.problem.values import takes_steps

STEP_LIMIT = 2**50  # doubles count up to 2^53: three bits are left for sums on the way


@dataclass(frozen=True)
class CFSStep:
    """The question whether a set has at least a given value, as a problem with the graph score as objective.

    The weights are divided by `divisor` and rounded up, so no set of value `target` is lost: its score
    is not negative.

    Parameters
    ----------
    problem : Instance
        With the constraints of the CFS problem.
    target : int
    divisor : int
        1 if the weights are exact.
    least_denominator : int
        No set has a smaller D.

    Examples
    --------
    >>> cfs = Instance(
    ...     quality=[60, 50, 40], pairs=[[0, 90, 0], [90, 0, 0], [0, 0, 0]], scale=100,
    ...     n_sets=1, k=2, max_shared=2, objective="cfs",
    ... )
    >>> from pyfsel.problem.values import value
    >>> from pyfsel.solving.solve import solve
    >>> best = solve(cfs, "brute-force").sets[0]
    >>> value(cfs, best)
    70
    >>> [value(CFSStep.of(cfs, target).problem, best) >= 0 for target in (70, 71)]
    [True, False]
    """

    problem: Instance
    target: int
    divisor: int
    least_denominator: int

    @classmethod
    def of(cls, problem: Instance, target: int, limit: int = STEP_LIMIT) -> CFSStep:
        """Return the step for a target.

        Parameters
        ----------
        problem : Instance
            With objective "cfs" and one set.
        target : int
        limit : int
            Largest absolute score that a set may reach.
        """
        scale, n = int(problem.scale), problem.n_features
        quality = problem.quality.astype(object)
        linear = scale * quality * quality - target * target * scale
        pairs = 2 * target * target * problem.pairs.astype(object) - 2 * scale * np.outer(quality, quality)
        np.fill_diagonal(pairs, 0)
        largest = max(abs(number) for number in (*linear.tolist(), *pairs.ravel().tolist()))
        divisor = max(1, -(-largest // _largest_weight(n, limit)))
        step = problem.replace(
            objective=GraphScore.name,
            quality=(-(-linear // divisor)).astype(np.int64),
            pairs=(pairs // divisor).astype(np.int64),
            scale=1.0,
            exact_quality=None,
            exact_pairs=None,
            min_quality=None,
        )
        return cls(step, target, divisor, scale * problem.sizes[0])

    def bound(self, score: int) -> int:
        """Return an upper bound on the value of the sets, given one on their scores."""
        if score < 0:
            return self.target - 1
        return isqrt(self.target**2 + score * self.divisor // self.least_denominator)


def _largest_weight(n: int, limit: int) -> int:
    """Return how large a weight may be such that n features and all their pairs stay within a limit.

    One less, as rounding up can add one.
    """
    return max(1, limit // (n * (n + 1) // 2) - 1)


def too_coarse(problem: Instance, limit: int) -> str | None:
    """Return why weights within a limit cannot distinguish sets of different values, or None.

    A rule of thumb, which refuses early what would end unproved: rounding the weights raises the score of a
    set of k features by up to k(k + 1)/2 × divisor. The score of one whose value is exactly t, with the
    target t + 1, is −(2t + 1)·D, below −2t × scale × k; t is estimated by the largest quality. A value
    between t and t + 1 leaves less room: then the last step proves nothing, and the search says so.
    """
    scale, quality = int(problem.scale), int(problem.quality.max())
    most = quality * (isqrt(problem.k - 1) + 1)  # A ≤ k·quality and D ≥ scale·k: at most √k times it
    pairs = 2 * max(scale * quality**2, most**2 * int(problem.pairs.max()))
    divisor = max(scale * most**2, pairs) // _largest_weight(problem.n_features, limit)
    if divisor * (problem.k + 1) <= 4 * quality * scale:
        return None
    return f"its integers end at {limit}; use a smaller scale than {problem.scale:g}"


def as_graph_score(problem: Instance, limit: int = STEP_LIMIT) -> Instance:
    """Return the problem of a step in place of a CFS problem, to ask how large its model is; others as is."""
    if not takes_steps(problem):
        return problem
    return CFSStep.of(problem, int(problem.quality.max()) + 1, limit).problem
