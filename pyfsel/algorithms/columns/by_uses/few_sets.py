"""A search for compatible sets among few, by the features that are needed and what each set loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.bits import as_words, count_bits
from pyfsel.algorithms.columns.by_uses.ranges import UseRanges
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FewSets(NamedTuple):
    """Sets by increasing loss, and what limits the solutions among them.

    Attributes
    ----------
    n_sets, max_overlap, spare : int
        See `UseRanges`; of `spare` it is only used that no pair of sets shares less by more than that.
    members : array of shape (m, set_size)
    words : array of shape (m, ⌈n/64⌉)
        The same sets as bits.
    values : array of shape (m,)
    losses : array of shape (m,)
        What a solution loses by each set against the bound.
    bound : int
        On the sum of the values.
    least, most : arrays of shape (n,)
    """

    n_sets: int
    max_overlap: int
    spare: int
    members: NDArray[np.int32]
    words: NDArray[np.uint64]
    values: NDArray[np.int64]
    losses: NDArray[np.int64]
    bound: int
    least: NDArray[np.int64]
    most: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        members: NDArray[np.int32],
        values: NDArray[np.int64],
        losses: NDArray[np.int64],
        bound: int,
        ranges: UseRanges,
    ) -> FewSets:
        """Return the sets in the form that the compiled search wants."""
        order = np.argsort(losses, kind="stable")
        members = members[order]
        return cls(
            ranges.n_sets,
            ranges.max_overlap,
            ranges.spare,
            members,
            as_words(members, len(ranges.least)),
            values[order],
            losses[order],
            bound,
            ranges.least,
            ranges.most,
        )

    def best(self, goal: int, smallest: bool, most_checks: int) -> tuple[NDArray[np.int32] | None, bool]:
        """Return compatible sets with the largest sum that reaches the goal, and whether that is proved.

        With `smallest` any compatible sets will do whose values sum up to the goal.

        Returns
        -------
        array of shape (n_sets, set_size) or None, and bool
            False if there were more comparisons of sets than `most_checks`.
        """
        found = np.full(self.n_sets, -1, dtype=np.int32)
        done = _search(self, goal, smallest, most_checks, found)
        return (None if found[0] < 0 else self.members[found]), bool(done)


@compiled
def _search(sets: FewSets, goal: int, smallest: bool, most_checks: int, found: NDArray[np.int32]) -> bool:
    """Write the best sets to `found`; return whether they are proved to be the best."""
    n_sets, n = sets.n_sets, len(sets.least)
    lists = np.empty((n_sets, len(sets.values)), dtype=np.int32)
    sizes = np.zeros(n_sets, dtype=np.int64)
    branches = np.zeros(n_sets, dtype=np.int64)
    positions = np.zeros(n_sets, dtype=np.int64)
    lost = np.zeros(n_sets + 1, dtype=np.int64)
    totals = np.zeros(n_sets + 1, dtype=np.int64)
    uses = np.zeros((n_sets + 1, n), dtype=np.int64)
    chosen = np.zeros(n_sets, dtype=np.int32)
    must = np.zeros(sets.words.shape[1], dtype=np.uint64)
    must_not = np.zeros(sets.words.shape[1], dtype=np.uint64)
    lists[0] = np.arange(len(sets.values))
    sizes[0] = len(sets.values)
    branches[0] = _put_branches_first(sets, uses[0], lists[0])
    depth, checks = 0, 0
    while depth >= 0:
        left = n_sets - depth
        if positions[depth] >= branches[depth] or positions[depth] + left > sizes[depth]:
            depth -= 1
            continue
        one = lists[depth, positions[depth]]
        positions[depth] += 1
        lost[depth + 1] = lost[depth] + sets.losses[one]
        if lost[depth + 1] > sets.bound - goal:
            continue
        chosen[depth] = one
        totals[depth + 1] = totals[depth] + sets.values[one]
        if left == 1:
            if totals[depth + 1] >= goal:
                found[:] = chosen
                if smallest:
                    return True
                goal = totals[depth + 1] + 1
            continue
        uses[depth + 1] = uses[depth]
        for p in range(sets.members.shape[1]):
            uses[depth + 1, sets.members[one, p]] += 1
        if not _decide(sets, uses[depth + 1], left - 1, must, must_not):
            continue
        size = 0
        for place in range(positions[depth], sizes[depth]):
            other = lists[depth, place]
            enough = lost[depth + 1] + sets.losses[other] <= sets.bound - goal
            if enough and _goes_with(sets, one, other, must, must_not):
                lists[depth + 1, size] = other
                size += 1
        checks += sizes[depth] - positions[depth]
        if checks > most_checks:
            return False
        if size >= left - 1:
            depth += 1
            sizes[depth] = size
            positions[depth] = 0
            branches[depth] = _put_branches_first(sets, uses[depth], lists[depth, :size])
    return True


@compiled
def _put_branches_first(sets: FewSets, uses: NDArray[np.int64], listed: NDArray[np.int32]) -> int:
    """Move the sets with a feature that is still needed to the front; return how many these are.

    It is the needed feature that the fewest of them hold. Without one, any set can come next; with one that
    too few of them hold, none.
    """
    holders = np.zeros(len(uses), dtype=np.int64)
    for one in listed:
        for p in range(sets.members.shape[1]):
            holders[sets.members[one, p]] += 1
    needed = -1
    for j in range(len(uses)):
        lacking = sets.least[j] - uses[j]
        if holders[j] < lacking:
            return 0
        if lacking > 0 and (needed < 0 or holders[j] < holders[needed]):
            needed = j
    if needed < 0:
        return len(listed)
    later = np.ones(len(listed), dtype=np.int64)
    for place in range(len(listed)):
        for p in range(sets.members.shape[1]):
            if sets.members[listed[place], p] == needed:
                later[place] = 0
    listed[:] = listed[np.argsort(later, kind="mergesort")]
    return int(holders[needed])


@compiled
def _decide(
    sets: FewSets,
    uses: NDArray[np.int64],
    left: int,
    must: NDArray[np.uint64],
    must_not: NDArray[np.uint64],
) -> bool:
    """Write the features that all sets to come must hold, and must not; False if there is no way on."""
    must[:] = 0
    must_not[:] = 0
    for j in range(len(uses)):
        lacking = sets.least[j] - uses[j]
        if uses[j] > sets.most[j] or lacking > left:
            return False
        bit = np.uint64(1) << np.uint64(j % 64)
        if lacking == left:
            must[j // 64] |= bit
        if uses[j] == sets.most[j]:
            must_not[j // 64] |= bit
    return True


@compiled
def _goes_with(
    sets: FewSets, one: int, other: int, must: NDArray[np.uint64], must_not: NDArray[np.uint64]
) -> bool:
    shared = np.uint64(0)
    for word in range(sets.words.shape[1]):
        held = sets.words[other, word]
        if held & must_not[word] != 0 or held & must[word] != must[word]:
            return False
        shared += count_bits(held & sets.words[one, word])
    spare = sets.max_overlap - np.int64(shared)
    return bool(spare >= 0 and spare <= sets.spare)
