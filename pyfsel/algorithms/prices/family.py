"""The depth-first search for the best compatible sets of a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.bits import as_words, count_bits
from pyfsel.algorithms.prices.relaxation import FeaturePrices, most_shared
from pyfsel.core.arrays import Ints, Words
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet


class WeightedSets(NamedTuple):
    """Single sets by decreasing weight.

    Attributes
    ----------
    sets : array of int, shape (m, k)
    values, weights : arrays of int, shape (m,)
        What they are worth, and that minus the prices of their features.
    words : array, shape (m, words)
        Their features as bits.
    """

    sets: Ints
    values: Ints
    weights: Ints
    words: Words

    @classmethod
    def of(cls, sets: Ints, values: Ints, prices: FeaturePrices) -> Self:
        """Return the list of some sets, in any order."""
        weights = values - prices.features[sets].sum(axis=1)
        order = np.argsort(-weights, kind="stable")
        words = as_words(sets[order].astype(np.int32), len(prices.features))
        return cls(sets[order], values[order], weights[order], words)


class Chosen(NamedTuple):
    """Sets chosen so far: their places in the list, total value, uses of features, and what may be shared."""

    places: tuple[int, ...]
    value: int
    uses: Ints
    shared: int


@dataclass
class FamilySearch:
    """Looks for the compatible sets of a list with the largest sum.

    Parameters
    ----------
    problem : Instance
    listed : WeightedSets
    prices : FeaturePrices
        With which the list was weighted.
    goal : int
        The least sum of interest; it rises with each solution.
    on_sets : callable
        Takes better and better solutions, and their sums.
    check : callable
        Called at each node; may raise to end the search.
    most_nodes : number
        The search ends after this number of nodes; then it proves nothing.
    """

    problem: Instance
    listed: WeightedSets
    prices: FeaturePrices
    goal: int
    on_sets: Callable[[list[FeatureSet], int], Any]
    check: Callable[[], None]
    most_nodes: float = inf
    nodes: int = field(default=0, init=False)

    def run(self) -> None:
        """Search until no better solution is left."""
        nothing = Chosen((), 0, np.zeros(self.problem.n_features, np.int64), most_shared(self.problem))
        self._extend(nothing, np.arange(len(self.listed.sets)))

    def _extend(self, chosen: Chosen, candidates: NDArray[np.intp]) -> None:
        """Complete chosen sets by candidates, all of which are compatible with each of them."""
        self.nodes += 1
        self.check()
        missing = self.problem.n_sets - len(chosen.places)
        if missing == 1:
            self._take_last(chosen, candidates)
            return
        words, weights = self.listed.words[candidates], self.listed.weights[candidates]
        most = chosen.value + self.prices.brought_in(chosen.uses, chosen.shared)
        for first in range(len(candidates) - missing + 1):
            heaviest = int(weights[first : first + missing].sum())
            if most + heaviest < self.goal or self.nodes > self.most_nodes:
                return
            shared = count_bits(words[first + 1 :] & words[first]).sum(axis=1)
            left = candidates[first + 1 :][shared <= self.problem.max_shared]
            if len(left) >= missing - 1:
                self._extend(self._with(chosen, int(candidates[first])), left)

    def _with(self, chosen: Chosen, place: int) -> Chosen:
        members, uses = self.listed.sets[place], chosen.uses.copy()
        shared = chosen.shared - int(uses[members].sum())
        uses[members] += 1
        return Chosen((*chosen.places, place), chosen.value + int(self.listed.values[place]), uses, shared)

    def _take_last(self, chosen: Chosen, candidates: NDArray[np.intp]) -> None:
        best = int(candidates[np.argmax(self.listed.values[candidates])])
        total = chosen.value + int(self.listed.values[best])
        if total >= self.goal:
            self.goal = total + 1
            self.on_sets(list(map(tuple, self.listed.sets[[*chosen.places, best]].tolist())), total)
