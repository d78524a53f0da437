"""Sets one after another, each improved by swaps: a sequential search without proofs, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import shared_limit
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import objective_of
from pyfsel.reductions.conflicts import conflict_matrix

RANDOM_STARTS = 4
# Work is counted in entries of the arrays of all moves, so the same steps are made on every machine.
MOST_WORK = 50_000_000
LEAST_WORK_OF_A_MOVE = 20_000  # what calling NumPy takes, whatever the sizes
MOST_WORK_OF_A_MOVE = 5_000_000
SEED = 0
NO_LIMIT = 2**60
NOT_ALLOWED = 2**62  # more than any constraint can be broken by


def swap_sequence(problem: Instance, expired: Callable[[], bool] = lambda: False) -> Iterator[FeatureSet]:
    """Find one set after another (paper 000, Definition 3), each by local search and not proved best.

    From nothing, from the set before it and from a few random sets, the best swap, addition or removal of a
    feature is made until none helps. What breaks fewer constraints is better, then what has the larger value,
    so that all constraints on sets are served; a set that breaks one is not returned. The same problem gives
    the same sets, after a bounded number of steps.

    Parameters
    ----------
    problem : Instance
        With any objective of several sets: these are linear in features and pairs of features.
    expired : callable
        Asked before every start; the search ends when it returns True.

    Yields
    ------
    set
        Until there are ``n_sets``, or no start leads to a further one.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> list(swap_sequence(problem))
    [(0, 1), (0, 2), (1, 2)]
    """
    if too_large(problem):
        return
    search = _SwapSearch(problem)
    rng = np.random.default_rng(SEED)
    free = np.flatnonzero(search.is_free)
    latest: FeatureSet = problem.forced
    for _ in range(problem.n_sets):
        n_random = problem.k - len(problem.forced)
        randoms = [
            (*problem.forced, *rng.permutation(free)[:n_random].tolist()) for _ in range(RANDOM_STARTS)
        ]
        found = [search.climbed(start) for start in (problem.forced, latest, *randoms) if not expired()]
        best = max((one for one in found if one.breaches == 0), key=lambda one: one.value, default=None)
        if best is None or (problem.min_quality is not None and best.value < problem.min_quality):
            return
        latest = best.members
        search.add_previous(latest)
        yield latest


def too_large(problem: Instance) -> bool:
    """Return whether the moves from one set are more than fit into little memory and time."""
    n_rows = problem.n_sets + len(problem.previous) + sum(len(group.features) for group in problem.groups)
    return n_rows * (problem.k + 1) * problem.n_features > MOST_WORK_OF_A_MOVE


class _Local(NamedTuple):
    """A set that no single move improves, by how much it breaks constraints, and its value."""

    members: FeatureSet
    breaches: int
    value: int


class _SwapSearch:
    """Moves of single features in one set, for given previous sets.

    Constraints are rows ``low ≤ coefficients · inside ≤ high``; the overlap with a previous set is one,
    whose `high` may depend on the size of the set.
    """

    def __init__(self, problem: Instance) -> None:
        n = problem.n_features
        self.problem = problem
        self.per_feature, self.per_pair = objective_of(problem).weights(problem.k)
        self.is_free = np.ones(n, dtype=bool)
        self.is_free[[*problem.forced, *problem.forbidden]] = False
        rows = [row for row in side_rows(problem) if row.name not in ("forced", "forbidden")]
        self.rows = np.zeros((len(rows), n), dtype=np.int64)
        for numbers, row in zip(self.rows, rows, strict=True):
            numbers[list(row.features)] = row.coefficients
        self.low = np.array([-NO_LIMIT if row.low is None else row.low for row in rows], dtype=np.int64)
        self.high = np.array([NO_LIMIT if row.high is None else row.high for row in rows], dtype=np.int64)
        self.previous_sizes: list[int] = []
        self.work = 0
        self.conflicts = conflict_matrix(problem) if problem.conflicts else None
        for members in problem.previous:
            self.add_previous(members)

    def add_previous(self, members: FeatureSet) -> None:
        """Limit the overlap with one more set."""
        row = np.zeros((1, self.problem.n_features), dtype=np.int64)
        row[0, list(members)] = 1
        self.rows = np.vstack([self.rows, row])
        self.previous_sizes.append(len(members))

    def climbed(self, start: Iterable[int]) -> _Local:
        """Return the set that the best moves lead to from one with all forced features and none forbidden."""
        inside = np.zeros(self.problem.n_features, dtype=bool)
        inside[list(start)] = True
        breaches, value = self._state(inside)
        while self.work < MOST_WORK:
            leaving, entering = np.flatnonzero(inside & self.is_free), np.flatnonzero(~inside & self.is_free)
            size = int(inside.sum())
            new_breaches, gains = self._moves(inside, size, leaving, entering)
            least = int(new_breaches.min())
            ranked = np.where(new_breaches == least, gains, -NOT_ALLOWED)
            row, column = np.unravel_index(ranked.argmax(), ranked.shape)
            gain = int(ranked[row, column])
            grows_to_size = size < self.problem.sizes[0]
            if least >= NOT_ALLOWED or not (grows_to_size or (-least, gain) > (-breaches, 0)):
                break
            breaches, value = least, value + gain
            if row < len(leaving):
                inside[leaving[row]] = False
            if column < len(entering):
                inside[entering[column]] = True
        members = tuple(np.flatnonzero(inside).tolist())
        return _Local(members, breaches if len(members) in self.problem.sizes else NOT_ALLOWED, value)

    def _state(self, inside: NDArray[np.bool_]) -> tuple[int, int]:
        """Return by how much a set breaks constraints, and its value."""
        sums = self.rows @ inside
        broken = int(self._broken(sums[:, None, None], int(inside.sum())).sum())
        members = np.flatnonzero(inside)
        if self.conflicts is not None:
            broken += int(self.conflicts[np.ix_(members, members)].sum()) // 2
        value = self.per_feature * int(self.problem.quality[members].sum())
        if self.per_pair:
            value -= self.per_pair * int(self._redundancy[np.ix_(members, members)].sum()) // 2
        return broken, value

    def _moves(
        self, inside: NDArray[np.bool_], size: int, leaving: NDArray[np.intp], entering: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what the set would break after each move, and what its value would gain.

        Both have the shape (leaving + 1, entering + 1): the last row is to add only, the last column to
        remove only. What leads to a size that is not allowed is `NOT_ALLOWED`.
        """
        members = np.flatnonzero(inside)
        gain = self.per_feature * self.problem.quality
        if self.per_pair:
            gain = gain - self.per_pair * self._redundancy[members].sum(axis=0)
        gains = _differences(gain[None], leaving, entering)[0]
        if self.per_pair:
            gains[:-1, :-1] += self.per_pair * self._redundancy[np.ix_(leaving, entering)]
        sums = (self.rows @ inside)[:, None, None] + _differences(self.rows, leaving, entering)
        self.work += LEAST_WORK_OF_A_MOVE + sums.size
        broken = self._broken(sums, size)
        if self.conflicts is not None:
            inner = int(self.conflicts[np.ix_(members, members)].sum()) // 2
            broken += inner + _differences(self.conflicts[members].sum(axis=0)[None], leaving, entering)[0]
            broken[:-1, :-1] -= self.conflicts[np.ix_(leaving, entering)]
        smallest, largest = self.problem.sizes[0], self.problem.sizes[-1]
        if size < smallest:
            broken[:-1] = NOT_ALLOWED
        if size <= smallest:
            broken[:, -1] = NOT_ALLOWED
        if size == largest:
            broken[-1] = NOT_ALLOWED
        broken[-1, -1] = NOT_ALLOWED
        return broken, gains

    def _broken(self, sums: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return by how much rows with these sums, shape (rows, …, …), are broken.

        With more than one sum per row the last of each axis are those of one feature more and one less.
        """
        broken = np.maximum(sums - self._highs(size)[:, None, None], 0)
        if self.problem.shared_weight is not None and sums.shape[1:] != (1, 1):
            broken[:, -1] = np.maximum(sums[:, -1] - self._highs(size + 1)[:, None], 0)
            broken[:, :, -1] = np.maximum(sums[:, :, -1] - self._highs(size - 1)[:, None], 0)
        too_low = self.low[:, None, None] - sums[: len(self.low)]
        broken[: len(self.low)] += np.maximum(too_low, 0)
        total: NDArray[np.int64] = broken.sum(axis=0)
        return total

    def _highs(self, size: int) -> NDArray[np.int64]:
        limits = [shared_limit(self.problem, size, other) for other in self.previous_sizes]
        most = np.array([-1 if limit is None else limit for limit in limits], dtype=np.int64)
        return np.concatenate([self.high, most])

    @property
    def _redundancy(self) -> NDArray[np.int64]:
        assert self.problem.redundancy is not None
        return self.problem.redundancy


def _differences(
    numbers: NDArray[np.int64], leaving: NDArray[np.intp], entering: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return what each move changes in sums of numbers of features, shape (sums, n); see `_moves`."""
    nothing = np.zeros((len(numbers), 1), dtype=np.int64)
    less = np.hstack([numbers[:, leaving], nothing])
    more = np.hstack([numbers[:, entering], nothing])
    return more[:, None, :] - less[:, :, None]
