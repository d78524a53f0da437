"""Correlations in floats and by how much they are off, a start by exchanges, and the tree in the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Annotated, Any

import numpy as np

from pyfsel.algorithms.best_first import ListedBlocks
from pyfsel.algorithms.packing.pool import LARGEST_POOL, are_allowed
from pyfsel.core.arrays import Ints, Reals, Words
from pyfsel.core.binding import Struct, in_core
from pyfsel.problem import values
from pyfsel.problem.dissimilarity import previous_limits
from pyfsel.problem.fractions import R2
from pyfsel.problem.instance import Instance
from pyfsel.problem.least_squares import LARGEST_COEFFICIENTS, SENSITIVITY
from pyfsel.problem.linear_rows import side_rows
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control, TooManySetsError

ROUNDING = 2.0**-53
WORK = 20_000_000  # operations, some milliseconds
ROOM = 1_000
TRIED = 8.0  # times m³: a bound of m candidates takes about as long
RENEWED = 16.0
STARTS, MANY_SETS = 11, 10**8  # with this number of sets more starts are soon worth their time


@dataclass(frozen=True)
class RegressionInstance:
    """What the tree works on.

    Attributes
    ----------
    gram : array of float, shape (n, n)
        Correlations, with 1 + ε on the diagonal.
    target : array of float, shape (n,)
    diagonal : array of float, shape (n,)
        D > 0 with `gram` − D positive definite.
    margin : float
        `gram` − D has no eigenvalue less than that.
    loss : float
        By how much a set that counts may explain more than the tree finds.
    most : float
        What no set that counts exceeds: about 1, unless the numbers are correlations of no table.
    """

    gram: Reals
    target: Reals
    diagonal: Reals
    margin: float
    loss: float
    most: float

    @classmethod
    def of(cls, problem: Instance) -> RegressionInstance:
        """Return the instance of a problem.

        Notes
        -----
        A step of elimination rounds a quotient, a product and a difference of numbers that are at most 1 in
        absolute value: k steps are off by less than 4(k + 1) roundings, the division by scale included.

        If e ≥ 0 on the diagonal makes the correlations of features and target together positive
        semidefinite, the Schur complement of the features is not negative: 2cᵀβ − βᵀ(G + eI)β ≤ 1 + e for
        every β. Without e that is at most e·B² more.
        """
        n = problem.n_features
        gram = problem.pairs / problem.scale
        np.fill_diagonal(gram, 1.0)
        entry = 4 * (problem.k + 2) * ROUNDING
        margin = n * (entry + 16 * ROUNDING)
        added = max(0.0, 8 * margin - float(np.linalg.eigvalsh(gram)[0]))
        gram[np.diag_indices(n)] += added
        diagonal = _diagonal(gram, 2 * margin)
        loss = SENSITIVITY * entry + added * LARGEST_COEFFICIENTS**2
        target = problem.quality / problem.scale
        most = _largest(problem.pairs / problem.scale, target, margin)
        return cls(gram, target, diagonal, 2 * margin, loss, most)


def _largest(gram: Reals, target: Reals, margin: float) -> float:
    """Return a bound on R² with coefficients of at most B, by the least eigenvalue of all correlations."""
    joint = np.block([[gram, target[:, None]], [target, 1.0]])
    np.fill_diagonal(joint, 1.0)
    added = max(0.0, margin - float(np.linalg.eigvalsh(joint)[0]))
    return 1.0 + added * (1 + LARGEST_COEFFICIENTS**2)


def _diagonal(gram: Reals, margin: float) -> Reals:
    """Return D_j = κ / (G⁻¹)_jj with κ nearly as large as G − D ⪰ margin allows."""
    share = 1 / np.abs(np.diag(np.linalg.inv(gram)))
    root = np.sqrt(share)
    largest = 0.999 * float(np.linalg.eigvalsh(gram / root[:, None] / root)[0])
    factor = max(largest, margin)
    while np.linalg.eigvalsh(gram - np.diag(factor * share))[0] < margin:
        factor /= 2
    return factor * share


class Subsets(Struct):
    """The tree: what is chosen at each level, and the Schur complement of the candidates that are left."""

    gram: Annotated[Reals, "levels", "n", "n"]
    target: Annotated[Reals, "levels", "n"]
    parts: Annotated[Reals, "levels", "n"]
    shares: Annotated[Reals, "levels", "n"]
    features: Annotated[Ints, "levels", "n"]
    first: Annotated[Ints, "levels"]
    size: Annotated[Ints, "levels"]
    upper: Annotated[Reals, "levels"]
    gained: Annotated[Reals, "levels"]
    diagonal: Annotated[Reals, "levels", "n"]
    limited: Annotated[Words, "known", "n"]
    left: Annotated[Ints, "levels", "known"]
    chosen: Annotated[Ints, "levels"]
    found: Annotated[Ints, "room", "levels"]
    factor: Annotated[Reals, "n", "n"]
    vectors: Annotated[Reals, "6", "n"]
    state: Annotated[Ints, "4"]
    margin: float


@in_core
def search_subsets(subsets: Subsets, target: float, tried: float, renewed: float, work: int) -> int:
    """Search on, and return how many sets were found that gain at least `target`.

    Of m candidates up to ``tried · m³`` sets are tried without another bound; of more than ``renewed · m³``
    D is made again.
    """


class BestSubsets:
    """The search for one best set next to the earlier sets, or for all from a value on.

    Parameters
    ----------
    problem : Instance
        For one set, with objective "r2".
    control : Control
    size : int, optional
        Features of the set, `k` if not given.

    Attributes
    ----------
    best : tuple of int or None
    value : int or None
        That of `best`, exactly.
    """

    def __init__(self, problem: Instance, control: Control, size: int | None = None) -> None:
        self.problem = problem
        self.control = control
        self.size = size or problem.k
        self.instance = RegressionInstance.of(problem)
        self.objective = R2.of(problem)
        self.best: FeatureSet | None = None
        self.value: int | None = None
        self.limits = _limits(problem, self.size)
        self.tree = _tree(self)

    def run(self, least: int | None = None) -> bool:
        """Search until all is searched, for sets of at least a value; return False if time is up before."""
        self.least = self._of_share(0) if least is None else least
        for members in (*(self.control.hint or ()), *_starts(self)):
            if len(members) == self.size:
                self._take(*self._worth(np.array([sorted(members)]), self._wanted()))
        if len(self.problem.forced) >= self.size:
            return True
        while self.tree.state[0] >= 0:
            if self.control.expired():
                return False
            self._take(*self._next_sets(self._wanted()))
        return True

    def list_above(self, least: int, take: Callable[[Ints, Ints], None]) -> None:
        """Hand over all sets of at least a value, and their values.

        Raises
        ------
        OutOfTimeError
        """
        if len(self.problem.forced) == self.size:
            take(*self._worth(np.array([self.problem.forced]), least))
        while self.tree.state[0] >= 0:
            self.control.check_time()
            take(*self._next_sets(least))

    def bound(self) -> int:
        """Return what no set of those that are left exceeds."""
        level = int(self.tree.state[0])
        t, tree = self.size, self.tree
        open_ones = [
            tree.upper[i] + tree.parts[i, tree.first[i] : tree.first[i] + t - i].sum()
            for i in range(level + 1)
        ]
        most = min(max(open_ones, default=0.0) + self.instance.loss, self.instance.most)
        bound = self._of_share(int(most * self.problem.scale) + 1)
        return bound if self.value is None else max(bound, self.value)

    def most(self) -> int:
        """Return what no set exceeds, whatever its size: the smallest ones weigh least."""
        most = int(self.instance.most * self.problem.scale) + 1
        return self.objective.value_of(most, self.problem.sizes[0], self.problem.scale)

    def _next_sets(self, least: int) -> tuple[Ints, Ints]:
        """Search on; return allowed sets of at least a value, and their values."""
        scale = self.problem.scale
        target = self.objective.least_share(least, self.size, scale) / scale - self.instance.loss
        count = search_subsets(self.tree, target, TRIED, RENEWED, WORK)
        return self._worth(np.sort(self.tree.found[:count], axis=1), least)

    def _worth(self, sets: Ints, least: int) -> tuple[Ints, Ints]:
        """Return the allowed ones of some sets whose value is at least that, and their exact values."""
        sets = sets[are_allowed(self.problem, sets)]
        numbers = values.values(self.problem, sets) if len(sets) else np.zeros(0, np.int64)
        return sets[numbers >= least], numbers[numbers >= least]

    def _wanted(self) -> int:
        """Return the least value that is better."""
        return self.least if self.value is None else self.value + 1

    def _of_share(self, share: int) -> int:
        return self.objective.value_of(share, self.size, self.problem.scale)

    def _take(self, sets: Ints, numbers: Ints) -> None:
        """Take the best of some sets that are better than the best so far."""
        if len(sets):
            best = int(numbers.argmax())
            self.best, self.value = tuple(sets[best].tolist()), int(numbers[best])
            self.control.report_sets([self.best])


def sets_above(problem: Instance, control: Control, least: int) -> tuple[Ints, Ints]:
    """Return all sets of at least a value, best first, ties lexicographic, and their values.

    Raises
    ------
    OutOfTimeError, TooManySetsError
    """
    listing = ListedBlocks(problem.k)

    def take(sets: Ints, numbers: Ints) -> None:
        listing.take(sets, numbers)
        if listing.count > LARGEST_POOL:
            raise TooManySetsError

    BestSubsets(problem, control).list_above(least, take)
    return listing.best_first()


def _limits(problem: Instance, size: int) -> list[tuple[tuple[int, ...], int]]:
    """Return limited features with the limit of each: previous sets, groups, pairs in conflict."""
    shared = previous_limits(problem, size) or [-1] * len(problem.previous)  # -1: no such set
    limits = list(zip(problem.previous, shared, strict=True))
    limits += [
        (row.features, row.high)
        for row in side_rows(problem)
        if row.high is not None and set(row.coefficients) == {1} and row.name != "forced"
    ]
    return [*limits, *((tuple(pair), 1) for pair in problem.conflicts.tolist())]


def _tree(search: BestSubsets) -> Subsets:
    """Return the tree with the forced features chosen, at levels without further candidates."""
    problem, k, limits, forced = search.problem, search.size, search.limits, search.problem.forced
    n, instance = problem.n_features, search.instance
    limited = np.zeros((len(limits), n), np.uint64)
    for p, (members, _) in enumerate(limits):
        limited[p, list(members)] = 1
    tree = Subsets.with_room({"levels": k, "room": n + ROOM}, margin=instance.margin, limited=limited)
    level, gram, target, gained = len(forced), instance.gram, instance.target, 0.0
    left = np.array([most for _, most in limits], np.int64) - limited[:, list(forced)].sum(axis=1).astype(int)
    tree.state[0] = level if level < k and (left >= 0).all() else -1
    if tree.state[0] < 0:
        return tree
    for j in forced:
        gained += target[j] ** 2 / gram[j, j]
        target, gram = (
            target - gram[j] * (target[j] / gram[j, j]),
            gram - np.outer(gram[j] / gram[j, j], gram[j]),
        )
    tree.chosen[:level] = forced
    tree.upper[:level] = -np.inf
    barred = limited[left == 0].any(axis=0)
    barred[list(forced)] = True
    order = np.argsort(-np.abs(target), kind="stable")
    order = order[~barred[order]]
    m = len(order)
    tree.gram[level, :m, :m] = gram[np.ix_(order, order)]
    tree.target[level, :m] = target[order]
    tree.features[level, :m] = order
    tree.size[level], tree.upper[level], tree.gained[level] = m, np.inf, gained
    tree.diagonal[level] = instance.diagonal
    tree.left[level] = left
    return tree


def _starts(search: BestSubsets) -> Iterator[list[int]]:
    """Yield sets made from no feature, or from some at random, by adding the best one each time."""
    forced, n, k = list(search.problem.forced), search.problem.n_features, search.size
    random = np.random.default_rng(search.control.limits.random_state)
    likely = np.abs(search.instance.target) + 1e-3
    for number in range(STARTS if comb(n, k) > MANY_SETS else 1):
        some = random.choice(n, k // 2 if number else 0, replace=False, p=likely / likely.sum())
        members = list(dict.fromkeys([*forced, *some.tolist()]))[:k]
        while len(members) < k and (best := _best_addition(search, members))[0] > -np.inf:
            members = [*members, best[1]]
        if len(members) == k:
            yield _exchanged(search, members)


def _exchanged(search: BestSubsets, members: list[int]) -> list[int]:
    """Return a set whose features are exchanged for better ones until none is better."""
    n_forced, reached, last = len(search.problem.forced), -np.inf, None
    while members != last and not search.control.expired():
        last = members
        for old in members[n_forced:]:
            rest = [j for j in members if j != old]
            gain, new = _best_addition(search, rest)
            if gain > reached + 1e-9:
                members, reached = [*rest, new], gain
    return members


def _best_addition(search: BestSubsets, members: list[int]) -> tuple[float, int]:
    """Return the largest R² by one more feature that the limits allow, −∞ if none is, and that feature."""
    gains = _gains(search.instance, members)
    for some, most in search.limits:
        if len({*some}.intersection(members)) >= most:
            gains[list(some)] = -np.inf
    best = int(gains.argmax())
    return float(gains[best]), best


def _gains(instance: RegressionInstance, members: list[int]) -> Any:
    """Return the R² of a set with each further feature; −∞ for its own."""
    G, c = instance.gram, instance.target
    if not members:
        return c * c / np.diag(G)
    weights = np.linalg.solve(G[np.ix_(members, members)], np.column_stack([G[members], c[members]]))
    rest = np.maximum(np.diag(G) - (G[members] * weights[:, :-1]).sum(axis=0), 1e-9)
    gains = c[members] @ weights[:, -1] + (c - c[members] @ weights[:, :-1]) ** 2 / rest
    gains[members] = -np.inf
    return gains
