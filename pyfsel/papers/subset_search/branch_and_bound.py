"""ABB and QBB: all sets that reach the threshold, from large to small (paper 001, Alg. 6 and 7).

ABB is exact because the criterion is monotone: a set that reaches the threshold has all its supersets reach
it, so it is met on the way down. The search goes size by size. A set is worth a test only if all sets with
one feature more have passed theirs, that is, if it was generated once by each feature outside of it: the same
as being no subset of a set that failed, which the paper looks up in a list.
"""

from __future__ import annotations

from collections import Counter

from pyfsel.papers.subset_search.las_vegas import MOST_TRIES, lvf
from pyfsel.papers.subset_search.run import Run
from pyfsel.problem.objectives import FeatureSet


def abb(run: Run) -> bool:
    """Find all smallest sets that reach the threshold (Automatic Branch and Bound); they are proved.

    There are at least 2^(n − smallest size) sets to test: give it limits.
    """
    _all_smaller(run, run.everything)
    return run.is_reached


def qbb(run: Run, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Let LVF find small sets and look for the smallest ones inside of them (Quick Branch and Bound).

    Not exact: the smallest sets need not lie inside of those that LVF finds.
    """
    lvf(run, max_tries, draw)
    for features in list(run.best):
        _all_smaller(run, features)
    return False


def _all_smaller(run: Run, start: FeatureSet) -> None:
    if not run.reaches(start):
        return
    run.offer(start)
    level = [start]
    while level:
        generated = Counter(
            features[:i] + features[i + 1 :] for features in level for i in range(len(features))
        )
        n_outside = len(start) - len(level[0]) + 1
        level = []
        for features, times in generated.items():
            if times == n_outside and run.reaches(features):
                run.offer(features)
                level.append(features)
