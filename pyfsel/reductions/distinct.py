"""Any distinct sets will do: single sets in order of their quality (paper 000, Appendix A.5.1)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import by_quality
from pyfsel.reductions.preselection import is_interchangeable


def only_distinct(problem: Instance) -> str | None:
    """Return why the problem does not just ask for distinct sets of univariate quality, or None.

    Two sets of one size are different if and only if they share at most one feature less than that. The i-th
    best of any such sets is at most the i-th best set of all, so the best distinct sets are optimal for
    the sum of the qualities and for the smallest one.
    """
    if not is_interchangeable(problem):
        return "needs the univariate objective without conflicts"
    if any(len(previous) > problem.k for previous in problem.previous):
        return "needs previous sets without relatives"
    if problem.max_shared != problem.k - 1:
        return f"needs max_shared={problem.k - 1}, one less than the size, not {problem.max_shared}"
    return None


def best_distinct_sets(problem: Instance) -> Iterator[FeatureSet]:
    """Yield the sets of a problem by decreasing quality, without its previous sets.

    Examples
    --------
    >>> problem = Instance(
    ...     quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1, previous=[(0, 1)]
    ... )
    >>> list(best_distinct_sets(problem))
    [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    order = by_quality(problem)
    previous = set(problem.previous)
    for ranks in subsets_by_value(problem.quality[order].tolist(), problem.k):
        members = tuple(sorted(order[r] for r in ranks))
        if members not in previous:
            yield members


def subsets_by_value(values: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield all subsets of one size by decreasing sum, as positions in the decreasing `values`.

    A subset comes after those from which it differs by one step of one member to the next better value, of
    which the best subset has none.
    """
    first = tuple(range(size))
    heap = [(-sum(values[:size]), first)]
    seen = {first}
    while heap:
        negative, members = heapq.heappop(heap)
        yield members
        for p, j in enumerate(members):
            end = members[p + 1] if p + 1 < size else len(values)
            if j + 1 < end:
                following = (*members[:p], j + 1, *members[p + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (negative + values[j] - values[j + 1], following))
