"""Backward elimination to the end, and where to stop on its way (paper 002, Alg. 1 to 3).

The order of elimination depends neither on a size nor on a slack: one path answers them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pyfsel.errors import InputError
from pyfsel.papers.subset.criteria import Criterion
from pyfsel.papers.subset.search_state import SubsetResult, SubsetRun
from pyfsel.papers.subset.searches import stepwise
from pyfsel.problem.checks import finite_number, integer_in, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits


@dataclass(frozen=True)
class EliminationPath:
    """Features in the order of their elimination, and the losses on the way.

    Parameters
    ----------
    n_features : int
    order : tuple of int
        The least useful feature first; shorter than `n_features` if a limit ended it.
    losses : tuple of float
        Minus the criterion with all features, after the first elimination, and so on.

    Examples
    --------
    >>> path = EliminationPath(3, order=(2, 1, 0), losses=(1.0, 1.0, 1.04, 9.0))
    >>> path.by_slack(0.01), path.by_slack(0.05), path.fixed_length(1)
    ((0, 1), (0,), (0,))
    """

    n_features: int
    order: tuple[int, ...]
    losses: tuple[float, ...]

    def after(self, n_eliminated: int) -> FeatureSet:
        """Return what is left after some eliminations."""
        gone = set(self.order[:n_eliminated])
        return tuple(j for j in range(self.n_features) if j not in gone)

    def fixed_length(self, k: int) -> FeatureSet:
        """Return the set of k features (FLBMO, Algorithm 3).

        Raises
        ------
        InputError
            If k is not from 0 to `n_features`, or the path was ended before.
        """
        fewest = self.n_features - len(self.order)
        return self.after(self.n_features - integer_in("k", k, fewest, self.n_features))

    def by_slack(self, slack: float, first: str = "tested") -> FeatureSet:
        """Return the set before the first elimination that costs too much (GBMO, Algorithm 2).

        At least one feature is left.

        Parameters
        ----------
        slack : float
            μ, not negative: an elimination is accepted if the loss after it is at most (1 + μ) times the loss
            before it, which may drift by that factor at every step, as the paper has it.
        first : {"tested", "free"}
            Whether the first elimination is tested as well; the paper always accepts it.
        """
        check_slack(slack, first)
        most = min(self.n_features - 1, len(self.order))
        too_much = (
            step
            for step, (before, after) in enumerate(pairwise(self.losses[: most + 1]))
            if after > before * (1 + slack) and (step or first == "tested")
        )
        return self.after(next(too_much, most))


def check_slack(slack: float = 0, first: str = "tested") -> None:
    """Raise `InputError` unless `EliminationPath.by_slack` allows these."""
    if finite_number("slack", slack) < 0:
        raise InputError(f"slack={slack!r}: must be at least 0")
    one_of("first", first, ("tested", "free"))


def elimination_path(
    criterion: Criterion, limits: Limits | None = None, max_evaluations: int | None = None
) -> tuple[EliminationPath, SubsetResult]:
    """Eliminate the least useful feature, of equal ones the first, until none is left (SLUF, Algorithm 1).

    Returns
    -------
    path : EliminationPath
    result : SubsetResult
        The run: its trace, evaluations and why it ended.
    """
    run = SubsetRun(criterion, range(1), None, limits or Limits(), max_evaluations, ties="lowest")
    result = run.execute("elimination", lambda run: stepwise(run, is_forward=False))
    steps = pairwise(visit.features for visit in result.trace)
    order = tuple(next(iter({*larger}.difference(smaller))) for larger, smaller in steps)
    losses = tuple(0.0 - visit.value for visit in result.trace)
    return EliminationPath(len(criterion.feature_names), order, losses), result
