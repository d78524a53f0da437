"""Branch and bound over the sets that are allowed on their own, for any integer weights of the features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.columns.allowed import FoundSets, Wanted
from pyfsel.algorithms.columns.subsets import GroupedSubsets, no_subsets
from pyfsel.algorithms.ksubgraph.instance import membership
from pyfsel.core.binding import Bools, Ints, ShortInts, Struct, Words, in_core
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality
from pyfsel.reductions.conflicts import clique_partition, conflict_matrix
from pyfsel.results.control import OutOfTimeError

MOST_IMPROVING = 256  # the last ones, which are the heaviest: new columns of one round
MOST_AT_A_TIME = 4096  # rows of `found`, which is emptied when it is full
MOST_WORK = 5_000_000  # looks at a feature in one call, after which the clock is asked
N_CHOSEN, N_FOUND, THRESHOLD, CLOCK = range(4)


class SingleSets(NamedTuple):
    """What a set must satisfy by itself; see `pyfsel.algorithms.columns.allowed.AllowedSets`.

    Attributes
    ----------
    set_size, max_overlap, unit, lowest : int
    quality : array of shape (n,)
    together : array of bool, shape (n, n)
        Whether two features may be in one set.
    clique : array of shape (n,)
        A partition of the features: no set holds two features of one part.
    previous : array of bool, shape (p, n)
        Sets with each of which a set shares at most `max_overlap` features.
    expired : callable
        When it returns True, a search ends with `OutOfTimeError`.
    """

    set_size: int
    max_overlap: int
    unit: int
    lowest: int
    quality: NDArray[np.int64]
    together: NDArray[np.bool_]
    clique: NDArray[np.int64]
    previous: NDArray[np.bool_]
    expired: Callable[[], bool]

    @property
    def takes_subset_prices(self) -> bool:
        return True

    def value_of(self, members: FeatureSet) -> int:
        return int(self.quality[list(members)].sum())

    def beside(self, others: Sequence[FeatureSet]) -> SingleSets:
        if self.max_overlap >= self.set_size or not others:
            return self
        inside = membership(others, len(self.quality))
        return self._replace(previous=np.vstack([self.previous, inside]))

    def heavy(self, wanted: Wanted, limit: int) -> FoundSets:
        search = SingleSearch.of(self, wanted, MOST_AT_A_TIME)
        parts, n_found, is_done = [search.found[:0].copy()], 0, False
        while not is_done and n_found <= limit:
            is_done = self._go_on(search)
            parts.append(search.found[: search.state[N_FOUND]].copy())
            n_found += int(search.state[N_FOUND])
            search.state[N_FOUND] = 0
        return _without_rest(np.concatenate(parts)[: limit + 1])

    def improving(self, wanted: Wanted) -> FoundSets:
        """Return heavier and heavier sets, the last ones met."""
        wanted = Wanted(wanted.weight, wanted.threshold, wanted.subsets)
        search = SingleSearch.of(self, wanted, MOST_IMPROVING, improve=True)
        while not self._go_on(search):
            pass
        count, found = int(search.state[N_FOUND]), search.found
        if count > len(found):  # it was overwritten from the front: the oldest set goes first again
            return _without_rest(np.roll(found, -(count % len(found)), axis=0))
        return _without_rest(found[:count])

    def _go_on(self, search: SingleSearch) -> bool:
        if self.expired():
            raise OutOfTimeError
        return find_sets(search, MOST_WORK)


class SingleSearch(Struct):
    """A search by branching: features are taken by decreasing weight, and left when no end goes far enough.

    With `improve`, each set found raises the least weight above its own, and the oldest sets are overwritten.
    """

    state: Annotated[Ints, "4"]
    """Numbers of chosen features (−1 at the end) and of sets found, the least weight of a set, a clock."""
    together: Annotated[Bools, "n", "n"]
    previous: Annotated[Bools, "n_previous", "n"]
    """`together` and `previous` are those of `SingleSets`."""
    feature: Annotated[Ints, "n"]
    weight: Annotated[Ints, "n"]
    quality: Annotated[Ints, "n"]
    clique: Annotated[Ints, "n"]
    """From `feature` to `clique` by decreasing weight: features are given by that place from here on."""
    best_first: Annotated[Ints, "n"]
    """The places by decreasing quality."""
    subsets: GroupedSubsets
    candidates: Annotated[ShortInts, "k + 1", "n"]
    is_candidate: Annotated[Bools, "k + 1", "n"]
    """`candidates` may still come, by the number of chosen ones; `is_candidate` says it of all features."""
    sizes: Annotated[Ints, "k + 1"]
    positions: Annotated[Ints, "k + 1"]
    """`sizes` says how many candidates there are, `positions` which is the next to be chosen."""
    weights: Annotated[Ints, "k + 1"]
    qualities: Annotated[Ints, "k + 1"]
    """`weights` and `qualities` of the chosen features; what subsets cost is paid at once."""
    shared: Annotated[Ints, "k + 1", "n_previous"]
    held: Annotated[Words, "k + 1", "n_words"]
    """The chosen features as bits."""
    chosen: Annotated[ShortInts, "k"]
    seen: Annotated[Ints, "n"]
    """When each part of the features was last met."""
    found: Annotated[ShortInts, "most", "k"]
    max_overlap: int
    least_quality: int
    most_quality: int
    improve: bool

    @classmethod
    def of(cls, sets: SingleSets, wanted: Wanted, most: int, *, improve: bool = False) -> SingleSearch:
        """Return a search for the wanted sets, with room for so many of them."""
        weight = wanted.weight
        n, k = len(weight), sets.set_size
        priced = no_subsets(n, sets.max_overlap + 1) if wanted.subsets is None else wanted.subsets
        grouped = priced.by_member()
        feature = np.argsort(-weight, kind="stable")
        place = np.empty(n, dtype=np.int64)
        place[feature] = np.arange(n)
        search = cls.with_room(
            {"k": k, "n_words": grouped.words.shape[1], "most": most},
            state=np.array([0, 0, wanted.threshold, 0]),
            together=sets.together,
            previous=sets.previous,
            feature=feature,
            weight=weight[feature],
            quality=sets.quality[feature],
            clique=sets.clique[feature],
            best_first=place[np.argsort(-sets.quality, kind="stable")],
            subsets=grouped,
            max_overlap=sets.max_overlap,
            least_quality=wanted.least_value,
            most_quality=wanted.most_value,
            improve=improve,
        )
        begin_sets(search)
        return search


@in_core
def begin_sets(search: SingleSearch) -> None:
    """Take all features that no previous set forbids as candidates for the first one of a set."""


@in_core
def find_sets(search: SingleSearch, most_work: int) -> bool:
    """Go on until there was some work, or there is no room for more sets; return whether it is done.

    Work is counted in looks at a feature.
    """


def single_sets(problem: Problem, expired: Callable[[], bool] = lambda: False) -> SingleSets:
    """Return what each set of a problem must satisfy by itself; searches end when time is up."""
    conflict = conflict_matrix(problem)
    base = SingleSets(
        set_size=problem.set_size,
        max_overlap=problem.max_overlap,
        unit=max(1, int(np.abs(problem.quality).max())),
        lowest=int(np.sort(problem.quality)[: problem.set_size].sum()),
        quality=np.ascontiguousarray(problem.quality),
        together=~conflict,
        clique=clique_partition(conflict, by_quality(problem)),
        previous=np.zeros((0, problem.n_features), dtype=bool),
        expired=expired,
    )
    return base.beside(problem.previous_sets)


def _without_rest(members: NDArray[np.int32]) -> FoundSets:
    return FoundSets(members, np.zeros(len(members), dtype=np.int64))
