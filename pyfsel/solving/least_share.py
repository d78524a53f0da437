"""A minimum quality as a proportion of the best set's: find the best set first."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from pyfsel.errors import InputError, NoSetsError, warn
from pyfsel.problem.checks import share as checked_share
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status
from pyfsel.results.result import unless_interrupted
from pyfsel.solving.solve import solve

LONGEST_DENOMINATOR = 10**6
"""Of proportions: 0.1 is a tenth, not the float next to it."""


def split_share(min_quality: Any) -> tuple[Any, float | None]:
    """Return a minimum quality that is a number, and one that is a proportion of the best set's.

    Raises
    ------
    InputError
        If the share is not from 0 to 100%.

    Examples
    --------
    >>> split_share("90%"), split_share(0.3)
    ((None, 0.9), (0.3, None))
    """
    if not isinstance(min_quality, str) or "%" not in min_quality:
        return min_quality, None
    percent = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", min_quality)
    if percent is None or float(percent[1]) > 100:
        raise InputError(f"min_quality={min_quality!r}: must be from 0% to 100%, of the best set")
    return None, float(percent[1]) / 100


def with_least_share(problem: Instance, share: float, **solving: Any) -> Instance:
    """Return a problem whose sets have at least this share of the best set's quality.

    The best set is one that satisfies the problem's constraints on single sets; previous sets do not count.
    The integer value of a set is compared with the value of the best set, so the rounding loss of both is the
    error. For a negative quality the loss is subtracted: 90% of −10 is −11. If the best set is
    not proved in time, it is the best one found.

    Parameters
    ----------
    problem : Instance
    share : float
        From 0 to 1.
    **solving
        As for `pyfsel.solve`, for the search for the best set.

    Raises
    ------
    NoSetsError
        If no set was found in time.

    Warns
    -----
    UserWarning
        If the best set found was not proved in time.

    Examples
    --------
    >>> problem = Instance([10, 9, 8], n_sets=2, k=1, max_shared=0)
    >>> with_least_share(problem, 0.9).min_quality
    9
    """
    best = unless_interrupted(solve(single_set(problem), **solving))
    if best.status is Status.INFEASIBLE:
        return problem.replace(min_quality=0)  # no set exists, of whatever quality
    if best.integer_objective is None:
        raise NoSetsError(
            f"min_quality={100 * share:g}%: the best set was not found in time, so its share is unknown. "
            "Give a number, or more time.",
            best,
        )
    if best.status is not Status.OPTIMAL:
        warn(f"min_quality={100 * share:g}%: is of the best set found, which is not proved. Give a number")
    return problem.replace(min_quality=value_after_loss(best.integer_objective, 1 - share))


def value_after_loss(best: int, loss: object) -> int:
    """Return the least integer value that loses at most a share of the best one.

    Parameters
    ----------
    best : int
    loss : float
        From 0 to 1; taken as a fraction, so 0.1 is a tenth.

    Examples
    --------
    >>> value_after_loss(105, 0.05), value_after_loss(-100, 0.1)
    (100, -110)
    >>> value_after_loss(100, 0.07), value_after_loss(-100, 0.07), value_after_loss(10, 0.29)
    (93, -107, 8)
    """
    lost = Fraction(checked_share("loss", loss)).limit_denominator(LONGEST_DENOMINATOR)
    return best - int(lost * abs(best))


def single_set(problem: Instance) -> Instance:
    """Return the problem of one set that need not be dissimilar to anything."""
    return problem.replace(
        n_sets=1,
        max_shared=problem.k,
        previous=(),
        shared_weight=None,
        size_weight=None,
    )
