"""The enumeration of heavy chains, many beginnings at a time, until all sets above a threshold are met."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import Instance
from pyfsel.algorithms.ksubgraph.local_search import swap_search
from pyfsel.algorithms.ksubgraph.loops import LOW, Asked, Beginnings, extend, grow, highest
from pyfsel.algorithms.ksubgraph.run import Run
from pyfsel.algorithms.ksubgraph.split import better_split, halves, hopeless_pairs, reaches
from pyfsel.algorithms.machine_code import can_load, is_compiled, is_compiling
from pyfsel.solvers.versions import is_installed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.algorithms.ksubgraph.compiled_chains import CompiledChains, Pairs
    from pyfsel.algorithms.ksubgraph.relaxation import Relaxation

ENTRIES_AT_ONCE = 2**17
ENTRIES_BEFORE_COMPILING = 2 * 10**7
WORK_ON_CHAINS = 10**7
SETS_AT_ONCE = 1000
PAIRS_AT_ONCE = 1000
WORK_ON_SPLIT = 1_500_000
SPLIT_STEPS = 20
MOST_ROUNDS = 20
LEAST_PROGRESS = 0.97
MOST_TO_SPLIT = 400
SHARE_TO_KEEP = 0.9
ENTRIES_BEFORE_RELAXATION = 5 * 10**6
WORK_ON_RELAXATION = 10**8
WORK_ON_RELAXATION_PER_ENTRY = 4
ENTRIES_BEFORE_MORE = 10**9
MORE_WORK_PER_ENTRY = 36
LARGEST_SHARE_OF_GAP = 0.16
ENTRIES_PER_CUBE_BEFORE_RELAXATION = 5
MOST_TO_RELAX = 1000
PAIR = 2


T = TypeVar("T", np.int64, np.bool_)


class Children(NamedTuple):
    """Beginnings that are still to be extended: row and feature of each, and how far it can reach."""

    parents: Beginnings
    rows: NDArray[np.int64]
    features: NDArray[np.int64]


@dataclass
class ChainSearch(Run[Instance]):
    """A run with all weights in memory."""

    _entries_left: int = field(default=0, init=False)
    _compiled: CompiledChains | None = field(default=None, init=False)
    _parts: NDArray[np.int64] | None = field(default=None, init=False)
    _root_weight: int = field(default=0, init=False)
    _relaxation: Relaxation | None = field(default=None, init=False)

    def search(self) -> bool:
        """Return whether everything was searched."""
        self._kept = np.flatnonzero(self.instance.allowed)
        if len(self._kept) < self.instance.set_size:
            return True
        if self.instance.set_size == 1:
            self._take_single_features()
            return True
        self._edges = self.instance.edges
        if not self._prepare():
            self.root_bound = self.lowest - 1
            return True
        for _ in self._search_pairs():
            if self.expired():
                return False
            while self._is_turn_of_relaxation():
                if self._search_by_relaxation():
                    return True
                if self.expired():
                    return False
        return True

    @property
    def effort(self) -> int:
        done = 0 if self._relaxation is None else self._relaxation.work
        return self.work + done // WORK_ON_RELAXATION_PER_ENTRY

    @property
    def _target(self) -> int:
        """The least weight of a set that is looked for."""
        return self._edges.least_weight(self.lowest)

    def _take_single_features(self) -> None:
        self._accept(self._kept[:, None], self.instance.linear[self._kept])

    def _prepare(self) -> bool:
        """Split the weights, leave out features and pairs that no set holds; return whether one is left."""
        k = self.instance.set_size
        self._weights = self._among_kept(self._edges.weights)
        self._apart = self._among_kept(self.instance.conflicts).copy()
        np.fill_diagonal(self._apart, val=True)
        self._keep(np.ones(len(self._kept), np.bool_))
        self._reaches = reaches(self._weights, k)
        bounds = self._bounds_with_each()
        if bounds.max() >= self._target and len(self._kept) <= MOST_TO_SPLIT:
            bounds = self._split()
        if bounds.max() < self._target:
            return False
        self._root_weight = int(bounds.max())
        self._report_weight(self._root_weight)
        if len(self._kept) > MOST_TO_SPLIT and (bounds >= self._target).mean() < SHARE_TO_KEEP:
            self._keep(bounds >= self._target)
            self._reaches = reaches(self._weights, k)
        self.root_bound = self.bound
        return True

    def _split(self) -> NDArray[np.int64]:
        """Improve the split, and with it leave out features and pairs, in turns; return bounds as below."""
        k, parts = self.instance.set_size, halves(self._weights)
        rounds = min(MOST_ROUNDS, WORK_ON_SPLIT // (SPLIT_STEPS * parts.size))
        gap = np.inf
        while True:
            self._reaches = reaches(parts, k, self._apart)
            bounds = self._bounds_with_each()
            good = bounds >= self._target
            if good.sum() < k:
                return np.full(1, LOW)
            if not good.all():
                self._keep(good)
                parts = parts[np.ix_(good, good)]
                continue
            hopeless = hopeless_pairs(parts, self._apart, self._reaches[k], k, self._target)
            fewer = (hopeless & ~self._apart).any()
            if fewer:
                self._apart |= hopeless
            before, gap = gap, int(bounds.max()) - self._target
            if rounds <= 0 or not (fewer or gap < LEAST_PROGRESS * before):
                self._reaches = reaches(parts, k, self._apart)
                self._parts = parts
                return bounds
            rounds -= 1
            parts = better_split(parts, self._apart, k, self._target, SPLIT_STEPS)

    def _keep(self, good: NDArray[np.bool_]) -> None:
        """Keep some of the features that are left."""
        if not good.all():
            self._kept = self._kept[good]
            some = np.ix_(good, good)
            self._weights, self._apart = self._weights[some], self._apart[some]
        self._previous = self.instance.previous[:, self._kept]
        self._divide()

    def _among_kept(self, pairs: NDArray[T]) -> NDArray[T]:
        return pairs if len(self._kept) == len(pairs) else pairs[np.ix_(self._kept, self._kept)]

    def _divide(self) -> None:
        """Divide the features into parts: those without a limit, and those of previous sets."""
        parts = self.instance.parts
        own = parts[self._kept] if len(parts) else np.full(len(self._kept), -1)
        self._limiting = np.unique(own[own >= 0])
        places = np.searchsorted(self._limiting, own) + 1
        places[own < 0] = 0
        self._part = places
        self._columns = np.argsort(places, kind="stable")
        self._starts = np.searchsorted(places[self._columns], np.arange(len(self._limiting) + 2))

    def _room(self, overlap: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many more features of each part sets may hold that share so many with the previous."""
        free = np.full((len(overlap), 1), self.instance.set_size)
        return np.hstack([free, (self.instance.limits - overlap)[:, self._limiting]])

    def _bounds_with_each(self) -> NDArray[np.int64]:
        """Return for each feature a bound on the weight of the sets that hold it."""
        values = self._reaches[-1]
        nothing = np.zeros((1, len(self._previous)), np.int64)
        total, least = highest(values[None, :], self._room(nothing), self._asked(0))
        return np.minimum(total, total - least + values) if least > LOW else np.full(len(values), LOW)

    def _asked(self, m: int) -> Asked:
        missing = self.instance.set_size - m
        reach = self._reaches[missing]
        return Asked(self._target, self._needed(m + 1), missing, reach, self._columns, self._starts)

    def _needed(self, m: int) -> int:
        """Return the least weight of m features of a chain."""
        k = self.instance.set_size
        return -(-self._target * m * (m - 1) // (k * (k - 1)))

    def _thresholds(self) -> NDArray[np.int64]:
        return np.array([self._needed(m) for m in range(self.instance.set_size + 1)])

    def _search_pairs(self) -> Iterator[None]:
        """Extend all heavy pairs, those that may reach farthest first; yield now and then."""
        k, singles = self.instance.set_size, self._singles()
        pairs, bounds = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for first in range(0, len(self._kept), self._at_once()):
            some = slice(first, first + self._at_once())
            children = self._pairs_with(singles, some)
            if k == PAIR:
                self._take_sets(children)
                continue
            for part in self._blocks(children):
                yield
                pairs.append(np.column_stack([part.rows, part.features]))
                bounds.append(self._weights[part.rows, part.features] * (k * (k - 1) // 2))
                if self._parts is not None:
                    bounds[-1] = np.minimum(bounds[-1], self._bounds(part))
        yield from self._search_below(singles, np.concatenate(pairs), np.concatenate(bounds))

    def _pairs_with(self, singles: Beginnings, some: slice) -> Children:
        """Return the heavy pairs of some features with others of larger numbers.

        Without parts, which are for few features, bounds on sets that hold a feature leave out too little.
        """
        if self._parts is not None:
            begun = self._extended(Beginnings._make(numbers[some] for numbers in singles))
            return Children(singles, begun.rows + some.start, begun.features)
        heavy = singles.possible[some] & (self._weights[some] >= self._needed(PAIR))
        self.work += heavy.size
        rows, features = np.nonzero(np.triu(heavy, some.start + 1))
        return Children(singles, rows + some.start, features)

    def _singles(self) -> Beginnings:
        """Return the beginnings of one feature each."""
        n, overlap = len(self._kept), np.ascontiguousarray(self._previous.T, np.int64)
        possible = ~self._apart
        full = overlap >= self.instance.limits
        if full.any():
            possible &= ~(full @ self._previous)
        nothing = np.zeros(n, np.int64)
        return Beginnings(np.arange(n)[:, None], nothing[:, None], nothing, self._weights, possible, overlap)

    def _bounds(self, children: Children) -> NDArray[np.int64]:
        """Return for each child a bound on the weights of the sets that hold it."""
        if not self._is_compiled():
            return self._extend(self._grown(children))[1]
        chains = self._chains()
        before = chains.work, chains.nodes
        bounds = chains.bounds(*children, self._thresholds())
        self._count(chains, *before)
        return bounds

    def _search_below(
        self, singles: Beginnings, pairs: NDArray[np.int64], bounds: NDArray[np.int64]
    ) -> Iterator[None]:
        order = np.argsort(-bounds, kind="stable")
        self._entries_left = int((bounds >= self._target).sum()) * len(self._kept)
        done = 0
        while done < len(order) and bounds[order[done]] >= self._target:
            self._report_weight(int(bounds[order[done]]))
            yield
            some = np.sort(order[done : done + (PAIRS_AT_ONCE if self._is_compiled() else self._at_once())])
            yield from self._descend(Children(singles, *np.ascontiguousarray(pairs[some].T)))
            done += len(some)

    def _descend(self, children: Children) -> Iterator[None]:
        """Extend beginnings until whole sets are met."""
        if self._is_compiled():
            yield from self._descend_compiled(children)
            return
        open_blocks = [self._blocks(children)]
        while open_blocks:
            some = next(open_blocks[-1], None)
            if some is None:
                open_blocks.pop()
                continue
            yield
            if self._is_compiled():
                yield from self._descend_compiled(some)
                continue
            children = self._extended(self._grown(some))
            if children.parents.members.shape[1] + 1 == self.instance.set_size:
                self._take_sets(children)
            elif len(children.rows):
                open_blocks.append(self._blocks(children))

    def _descend_compiled(self, children: Children) -> Iterator[None]:
        chains = self._chains()
        chains.start()
        while chains.is_open:
            before = chains.work, chains.nodes
            found = chains.search(*children, self._thresholds(), WORK_ON_CHAINS)
            self._count(chains, *before)
            if len(found[0]):
                self._take_weighted(*found)
            yield

    def _is_compiled(self) -> bool:
        """Return whether the compiled chains are there already, or loading them pays."""
        if self._compiled is not None or is_compiling():
            return True
        if "numba" in sys.modules and is_compiled("ksubgraph"):
            return True
        pays = self.work + self._entries_left > ENTRIES_BEFORE_COMPILING and is_installed("numba")
        return pays and can_load("ksubgraph")

    def _chains(self) -> CompiledChains:
        if self._compiled is None:
            from pyfsel.algorithms.ksubgraph.compiled_chains import CompiledChains

            at_once = 1 if self.improve else SETS_AT_ONCE
            self._compiled = CompiledChains(self._pairs(), self._reaches, self.instance.set_size, at_once)
        return self._compiled

    def _pairs(self) -> Pairs:
        from pyfsel.algorithms.ksubgraph.compiled_chains import Pairs

        return Pairs(
            self._weights,
            self._weights if self._parts is None else self._parts,
            self._apart,
            self._previous,
            self.instance.limits,
            self._limiting,
            self._part,
            -(-self._weights.max(axis=1) // 2),
        )

    def _count(self, chains: CompiledChains, work: int, nodes: int) -> None:
        """Count what was done since there was so much."""
        self.work += chains.work - work
        self.nodes += chains.nodes - nodes

    def _is_turn_of_relaxation(self) -> bool:
        """Return whether the relaxation has much the better bound, and had less than its share of time.

        That is half of it at first, and most later.
        """
        n = len(self._kept)
        if self._compiled is None or not self.improve or not self._edges.exact or n > MOST_TO_RELAX:
            return False
        if self._relaxation is None:
            if (
                self.work < max(ENTRIES_BEFORE_RELAXATION, ENTRIES_PER_CUBE_BEFORE_RELAXATION * n**3)
                and not is_compiling()
            ):
                return False
            from pyfsel.algorithms.ksubgraph.relaxation import Relaxation

            self._relaxation = Relaxation(self._pairs(), self.instance.set_size)
        gap = self._root_weight - self._target
        if self._relaxation.root_bound - self._target > LARGEST_SHARE_OF_GAP * gap:
            return False
        more = MORE_WORK_PER_ENTRY * max(0, self.work - ENTRIES_BEFORE_MORE)
        return self._relaxation.work <= WORK_ON_RELAXATION_PER_ENTRY * self.work + more

    def _search_by_relaxation(self) -> bool:
        """Let the relaxation do some of its share; return whether everything is searched."""
        relaxation = self._relaxation
        assert relaxation is not None
        enough, nodes = relaxation.work + WORK_ON_RELAXATION, relaxation.nodes
        if relaxation.is_new:
            self._take_likely_sets(relaxation.likely_pairs)
        while relaxation.is_open and relaxation.work < enough:
            found = relaxation.search(self._target, enough - relaxation.work)
            if found is not None:
                self._take_weighted(*found)
            elif relaxation.is_new:
                return False
        self.nodes += relaxation.nodes - nodes
        if relaxation.is_open and relaxation.bound < math.inf:
            self._report_weight(math.floor(relaxation.bound))
        return not relaxation.is_open

    def _take_likely_sets(self, likely_pairs: NDArray[np.float64]) -> None:
        """Take the best set of a local search from sets drawn by how likely their pairs are."""
        among_all = np.zeros((self.instance.n_features, self.instance.n_features))
        among_all[np.ix_(self._kept, self._kept)] = likely_pairs
        found = swap_search(self.instance, likely_pairs=among_all, expired=self.expired)
        if found is not None:
            self._accept(np.array([found[1]]), np.array([found[0]]))

    def _at_once(self) -> int:
        return max(1, ENTRIES_AT_ONCE // len(self._kept))

    def _blocks(self, children: Children) -> Iterator[Children]:
        for first in range(0, len(children.rows), self._at_once()):
            some = slice(first, first + self._at_once())
            yield Children(children.parents, children.rows[some], children.features[some])

    def _grown(self, children: Children) -> Beginnings:
        """Return the beginnings with the features added to them."""
        before, rows, features = children
        own = before.sums[rows, features]
        members = before.members[rows]
        sums, possible = grow(before, rows, features, self._weights)
        possible &= ~self._apart[features]
        overlap = before.overlap[rows] + self._previous[:, features].T
        full = overlap >= self.instance.limits
        if full.any():
            possible &= ~(full @ self._previous)
        degrees = before.degrees[rows] + self._weights[members, features[:, None]]
        return Beginnings(
            members=np.column_stack([members, features]),
            degrees=np.column_stack([degrees, own]),
            weight=before.weight[rows] + own,
            sums=sums,
            possible=possible,
            overlap=overlap,
        )

    def _extended(self, beginnings: Beginnings) -> Children:
        children, _ = self._extend(beginnings)
        return children

    def _extend(self, beginnings: Beginnings) -> tuple[Children, NDArray[np.int64]]:
        asked = self._asked(beginnings.members.shape[1])
        self.nodes += len(beginnings.weight)
        self.work += beginnings.sums.size
        room = self._room(beginnings.overlap)
        rows, features, bounds = extend(beginnings, self._weights, room, asked)
        return Children(beginnings, rows, features), bounds

    def _take_sets(self, children: Children) -> None:
        """Take the whole sets that features complete."""
        before, rows, features = children
        if len(rows) == 0:
            return
        members = np.column_stack([before.members[rows], features])
        self._take_weighted(members, before.weight[rows] + before.sums[rows, features])

    def _take_weighted(self, members: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Take sets, shape (any, set_size), in the numbers of the features that are left."""
        sets = np.sort(self._kept[members], axis=1)
        values = weights * self._edges.weight_factor // self._edges.value_factor
        if not self._edges.exact:
            values = self.instance.values(sets)
        self._accept(sets, values)

    def _report_weight(self, weight: int) -> None:
        """Report a bound on all sets, given one on the weights of those not met."""
        self._report(self._edges.largest_value(weight))
