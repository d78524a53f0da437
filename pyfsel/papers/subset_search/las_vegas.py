"""LVF and LVI: random sets, the smallest that reach the threshold (paper 001, Alg. 1 and 2).

Where the paper's pseudocode is taken otherwise: it draws from the smallest set found so far, so a set of
the same size can only be that one, and the list of equally small sets never grows; here sets are drawn from
all features (``draw="shrinking"`` is the paper's). LVI tests on the rows that it has left out only, so
these and the others may contradict each other; here it tests on all rows (``check="rest"`` is the paper's).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.papers.subset_search.criterion import CriterionOfRows
from pyfsel.papers.subset_search.run import Goal, Run
from pyfsel.problem.checks import integer_in, one_of, share
from pyfsel.problem.objectives import FeatureSet

DRAWS = ("all", "shrinking", "size")
CHECKS = ("all", "rest")
MOST_TRIES = 1000


def lvf(run: Run, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Draw random sets and keep the smallest ones that reach the threshold (Las Vegas Filter, LVF).

    Parameters
    ----------
    run : Run
    max_tries : int
        Sets to draw. A given set of s features among n is drawn with probability 2⁻ⁿ: beyond 25 features the
        smallest ones are hardly met.
    draw : {"all", "shrinking", "size"}
        Each feature with probability ½, among all or among those of a smallest set so far; or first a size of
        at most the smallest so far.
    """
    integer_in("max_tries", max_tries, 1, None)
    one_of("draw", draw, DRAWS)
    run.offer(run.everything)
    for _ in range(max_tries):
        smallest = next(iter(run.best))
        features = _drawn(run, smallest, draw)
        if len(features) <= len(smallest) and run.reaches(features):
            run.offer(features)
    return False


def _drawn(run: Run, smallest: FeatureSet, draw: str) -> FeatureSet:
    if draw == "size":
        size = int(run.rng.integers(0, len(smallest) + 1))
        chosen = run.rng.choice(run.by_name, size, replace=False)
    else:
        chosen = run.by_name[run.rng.random(run.n_features) < 0.5]
        if draw == "shrinking":
            chosen = np.intersect1d(chosen, smallest)
    return tuple(sorted(chosen.tolist()))


def lvi(
    run: Run,
    max_tries: int = MOST_TRIES,
    draw: str = "all",
    portion: float = 0.1,
    check: str = "all",
) -> bool:
    """Let LVF search on some of the rows, and add rows that show it to be wrong (Las Vegas Incremental).

    The rows added are those, not yet in the sample, that agree with a row of another class. There is always
    one if the test fails: otherwise all inconsistent rows of the set would be in the sample, in whole groups,
    and so their number there that on all rows; it is at most what is allowed in the sample, which is no more
    than is allowed on all rows.

    Parameters
    ----------
    run : Run
        Its criterion counts rows.
    max_tries, draw
        As for `lvf`, in each round.
    portion : float
        Share of the rows to begin with.
    check : {"all", "rest"}
        Test a set on all rows, or on those outside of the sample only.
    """
    one_of("check", check, CHECKS)
    criterion = run.criterion
    assert isinstance(criterion, CriterionOfRows)
    run.offer(run.everything)
    n_rows = criterion.n_rows
    sample = np.zeros(n_rows, dtype=bool)
    first = max(1, round(share("portion", portion) * n_rows))
    sample[run.rng.choice(n_rows, first, replace=False)] = True
    while True:
        features = _on_sample(run, criterion, sample, max_tries, draw)
        rest = ~sample
        wrong = criterion.bad_groups(features) & rest
        if check == "rest" and rest.any():
            passes = _passes_on(run, criterion, rest, features)
        else:
            passes = run.reaches(features)
        if passes or not wrong.any():
            run.answer(features)
            return False
        sample |= wrong


def _on_sample(
    run: Run, criterion: CriterionOfRows, sample: NDArray[np.bool_], max_tries: int, draw: str
) -> FeatureSet:
    """Return a smallest set that LVF finds on a sample.

    Allowed are as many bad rows as all features have there, or the share that is allowed on the whole table.
    """
    part = criterion.on_rows(sample)
    least = min(part.keys([run.everything])[0], -(int(-run.threshold) * part.n_rows // criterion.n_rows))
    inner = run.within(part, Goal(range(run.n_features + 1), least))
    try:
        lvf(inner, max_tries, draw)
    finally:
        run.count(inner)
    return next(iter(inner.best))


def _passes_on(run: Run, criterion: CriterionOfRows, rest: NDArray[np.bool_], features: FeatureSet) -> bool:
    part = criterion.on_rows(rest)
    return part.keys([features])[0] * criterion.n_rows >= run.threshold * part.n_rows
