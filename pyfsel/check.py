"""Check that nothing better exists: certificates of optimal feature sets, verified with integers alone.

    python check.py CERTIFICATE INSTANCE

It needs Python 3.11 and nothing else, builds all rows and weights from the instance (the JSON of a problem)
itself, and believes nothing in a certificate but what follows by the lemmas below.

**The problem.** Find L = `n_sets` sets of features, each of an allowed size, at most k, and within the rows
that hold for every set, that pairwise share at most m = `max_overlap` features. Each has a value; their sum,
or the least of them, is to be as large as possible.

**The file** is JSON lines. The first names the format, the hash of the instance and the search. Each claim
has a line, followed by those of its rule: `optimum` (sets, their value, and that no solution has more),
`bound` (sets, and a value that none exceeds), `infeasible`, `feasible` (sets, without a proof). In a
sequential search each claim is about one set, beside the previous sets and those of the claims before it. A
rule refutes that a solution *reaches the goal*: the claimed value + 1, or, for `infeasible`, any value.

**The rules.** `tree` holds multipliers of rows. The others replay a search that a lemma shows to be complete:
`counts` (a tree with leaves for `is_realisable`), `chain` and `packing` (`refute_by_listing`).
"""

from __future__ import annotations

import hashlib
import json
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from heapq import nlargest
from itertools import accumulate, combinations, pairwise
from math import comb, isqrt
from operator import add
from typing import Any

FORMAT = "pyfsel certificate 1"
LARGEST, MOST_BYTES, MOST_WORK = 10**18, 2**29, 10**10  # of integers, files (certificates: an eighth), steps
MOST_BY_THRESHOLDS = 5  # features of a set, up to which chains are enough; beyond, the completion bound pays
TOLD = "n_features feature_names copy_of copy_names quality_unit unit_factor part_of quality_values "
TOLD += "redundancy_values cost_scale value_factor chance_p_values chance_left_out standard_errors"
"""Fields that say nothing in integers, or nothing that the objective does not say."""

Set = tuple[int, ...]
Row = tuple[dict[int, int], int]  # terms and b: Σ terms[j] · x_j ≥ b, with x_j = 1 if a set holds feature j
CountRow = tuple[dict[int, int], int, int]  # terms, s, b: Σ terms[j] · c_j − s · Σ C(c_j, 2) ≥ b
Box = tuple[list[int], list[int]]  # the least and the largest count c_j of each feature


class RefusedError(Exception):
    """What a file says does not follow, or cannot be read."""


class Work:
    """What a replay may still do, in units of about a tenth of a microsecond."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise RefusedError("the replay takes more work than is allowed")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a name twice, of which another reader may take the other value."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def parsed(name: str, text: str) -> Any:
    """Return what a JSON text says."""
    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{name}: is no JSON that can be read ({error!s:.80})") from None


def integer(name: str, number: Any, low: int = -LARGEST, high: int = LARGEST) -> int:
    """Return an integer of a file."""
    if not isinstance(number, int) or not low <= number <= high:
        raise RefusedError(f"{name}: {number!r:.40} is no integer from {low} to {high}")
    return number


def integers(name: str, items: Any, depth: int = 1) -> Any:
    """Return integers of a file in so many lists, each of which may also be ``{"set": [...]}``."""
    items = items.get("set") if isinstance(items, dict) else items
    if depth and not isinstance(items, list):
        raise RefusedError(f"{name}: must be a list")
    return [integers(name, part, depth - 1) for part in items] if depth else integer(name, items)


def members(name: str, items: Any, n: int) -> Set:
    """Return different features in rising order."""
    found = tuple(sorted({integer(name, j, 0, n - 1) for j in integers(name, items)}))
    if len(found) < len(items if isinstance(items, list) else items["set"]):
        raise RefusedError(f"{name}: holds a feature twice")
    return found


def read_rows(take: Callable[..., Any], n: int) -> dict[str, Row]:
    """Return what holds for every set: conflicts, forced and forbidden features, groups, a budget."""
    rows: dict[str, Row] = {}
    for pair in take("conflicts", [], 2):
        i, j = members("conflicts", pair, n)
        rows[f"conflict_{i}_{j}"] = ({i: -1, j: -1}, -1)
    rows |= {f"forced_{j}": ({j: 1}, 1) for j in members("forced", take("forced", [], 1), n)}
    rows |= {f"forbidden_{j}": ({j: -1}, 0) for j in members("forbidden", take("forbidden", [], 1), n)}
    groups = take("groups", [], 2)
    usual = (("group_at_least", 0), ("group_at_most", n), ("group_all_or_nothing", False))
    limits = [take(name, [limit] * len(groups), 1) for name, limit in usual]
    for g, (group, low, high, whole) in enumerate(zip(groups, *limits, strict=True)):
        terms = dict.fromkeys(members("groups", group, n), 1)
        rows[f"group_{g}"] = (terms, low)
        rows[f"group_{g}_high"] = (dict.fromkeys(terms, -1), -high)
        for i, j in pairwise([*terms, *terms][: len(terms) + 1]) if whole and len(terms) > 1 else ():
            rows[f"group_{g}_{i}_{j}"] = ({i: 1, j: -1}, 0)
    costs, budget = take("costs", [], 1), take("budget")
    if budget is not None:
        rows["budget"] = ({j: -cost for j, cost in zip(range(n), costs, strict=True)}, -budget)
    return rows


@dataclass(frozen=True)
class Problem:
    """What is asked, in integers; features are numbered from 0."""

    quality: list[int]
    redundancy: list[list[int]]
    n_sets: int
    sizes: range
    max_overlap: int
    factors: tuple[int, int] | None
    weights: tuple[int, int] | None  # of quality and redundancy, (1, 0) for sums; None for CFS
    aggregate: str
    scale: int
    min_quality: int | None
    rows: dict[str, Row]

    @classmethod
    def of(cls, data: Any) -> Problem:
        """Read an instance; refuse what is none."""
        try:
            return cls.read(data)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise RefusedError(f"instance: cannot be understood ({error!r:.80})") from None

    @classmethod
    def read(cls, data: Any) -> Problem:
        """Read an instance; a field that is not known could restrict the sets, so it is refused."""
        fields = {name: told for name, told in dict(data).items() if name not in TOLD.split()}

        def take(name: str, usual: Any = None, depth: int = 0) -> Any:
            told = fields.pop(name, None)
            return usual if told is None else integers(name, told, depth)

        quality, redundancy = take("quality", [], 1), take("redundancy", [], 2)
        n, k = len(quality), integer("set_size", take("set_size"), 1, len(quality))
        sizes = range(integer("min_set_size", take("min_set_size", k), 1, k), k + 1)
        objective, aggregate, scale = (fields.pop(name, 0) for name in ("objective", "aggregate", "scale"))
        known = {0: (1, 0), "univariate": (1, 0), "fcbf": (1, 0), "graph_score": (1, 1), "cfs": None}
        weights = {**known, "mrmr": (max(1, k - 1), 2)}[objective]
        own = weights or (0, 0)
        if own != (take("relevance_weight", own[0]), take("redundancy_weight", own[1])):
            raise RefusedError("relevance_weight, redundancy_weight: are not those of the objective")
        if aggregate not in (0, "sum", "min") or (objective == "mrmr" and len(sizes) > 1):
            raise RefusedError(f"aggregate: {aggregate!r:.40} is not known, or mrmr has several sizes")
        columns = [list(column) for column in zip(*redundancy, strict=True)]
        missing = len(columns) != n and (redundancy or weights not in ((1, 0),))
        if missing or columns != redundancy or any(row[j] for j, row in enumerate(columns)):
            raise RefusedError("redundancy: must be symmetric with a zero diagonal, for all features")
        if weights is None and (min(quality) < 0 or min(map(min, redundancy)) < 0):
            raise RefusedError("cfs: its numbers must not be negative")
        rows = {"size": (dict.fromkeys(range(n), 1), sizes[0])}
        rows["size_high"] = (dict.fromkeys(range(n), -1), -k)
        previous, n_sets = take("previous_sets", [], 2), integer("n_sets", take("n_sets"), 1, 10**4)
        most, share, size = take("max_overlap"), take("overlap_factor"), take("size_factor", 0)
        factors = None
        if share is not None:
            factors = integer("overlap_factor", share, 1), integer("size_factor", size, 0)
        scale = integer("scale", int(scale), 1) if weights is None else 1
        asked = quality, redundancy, n_sets, sizes, integer("max_overlap", most, 0, k), factors, weights
        problem = cls(*asked, aggregate or "sum", scale, take("min_quality"), rows | read_rows(take, n))
        if fields:
            raise RefusedError(f"instance: {min(fields)!r:.40} is not known, it could restrict the sets")
        for s in previous:
            problem = problem.beside(members("previous_sets", s, n))
        return problem

    def beside(self, previous: Set) -> Problem:
        """Return the problem with one previous set more."""
        name = f"previous_{sum(row.startswith('previous_') for row in self.rows)}"
        rows = self.rows | {name: (dict.fromkeys(previous, -1), -self.max_overlap)}
        if self.factors is not None:
            of, sf = self.factors
            terms = {j: sf - of * (j in previous) for j in range(len(self.quality))}
            rows[f"sizes_{name}"] = (terms, -sf * len(previous))
        return replace(self, rows=rows)

    @property
    def hash(self) -> str:
        """The same for all files that ask the same, whatever names and units they have."""
        rows = {name: (sorted(terms.items()), b) for name, (terms, b) in self.rows.items()}
        plain = vars(self) | {"sizes": [*self.sizes], "rows": rows}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def allowed(self, size: int, other: int) -> int:
        """Return how many features two sets of these sizes may share."""
        of, sf = self.factors or (1, self.max_overlap)
        return min(self.max_overlap, sf * (size + other) // of)

    def value(self, s: Set) -> int:
        """Return the value of a set; for CFS ⌊√(scale · A² / D)⌋, A = Σ q and D = scale · k + Σ_{i≠j} r."""
        relevance = sum(self.quality[j] for j in s)
        pairs = 0 if self.weights == (1, 0) else sum(self.redundancy[i][j] for i, j in combinations(s, 2))
        if self.weights is None:
            return isqrt(self.scale * relevance**2 // (self.scale * len(s) + 2 * pairs))
        return self.weights[0] * relevance - self.weights[1] * pairs

    def fault(self, s: Set) -> str:
        """Return which row a set violates, or nothing."""
        for name, (terms, b) in self.rows.items():
            if sum(terms.get(j, 0) for j in s) < b:
                return name
        return "" if self.min_quality is None or self.value(s) >= self.min_quality else "min_quality"

    def total(self, sets: list[Set]) -> int:
        """Return the objective of a solution; refuse what is none."""
        if len(sets) != self.n_sets:
            raise RefusedError(f"sets: {len(sets)} are given, {self.n_sets} are asked for")
        for s in sets:
            if row := self.fault(s):
                raise RefusedError(f"sets: {list(s)} violates {row}")
        for s, t in combinations(sets, 2):
            if len({*s} & {*t}) > self.allowed(len(s), len(t)):
                raise RefusedError(f"sets: {list(s)} and {list(t)} share too much")
        return (sum if self.aggregate == "sum" else min)(self.value(s) for s in sets)


def count_rows(problem: Problem, goal: int | None) -> dict[str, CountRow]:
    """Return what holds for the counts of a solution that reaches the goal; c_j sets hold feature j.

    A row of every set is summed over the L sets. `better`: so are the values, to the goal, or L times the
    goal for the least value. `shared`: counted by features, pairs of sets share Σ C(c_j, 2) features; each
    pair shares at most m, and `factors` bound them by the sizes, each of which is in L − 1 pairs.
    """
    count, n = problem.n_sets, len(problem.quality)
    found = {name: (terms, 0, count * b) for name, (terms, b) in problem.rows.items()}
    if problem.weights == (1, 0) and goal is not None:
        times = 1 if problem.aggregate == "sum" else count
        found["better"] = (dict(enumerate(problem.quality)), 0, goal * times)
    found["shared"] = ({}, 1, -problem.max_overlap * comb(count, 2))
    if problem.factors is not None:
        of, sf = problem.factors
        found["sizes_shared"] = (dict.fromkeys(range(n), sf * (count - 1)), of, 0)
    return found


def interchangeable(problem: Problem, goal: int | None) -> list[list[int]]:
    """Return classes of features, best first, whose counts may be taken to fall within each class.

    *Lemma.* Let i and j have the same coefficients in all rows, and q_i ≥ q_j. If a solution reaches the
    goal, there is one with c_i ≥ c_j. *Proof.* In one with c_i < c_j exchange i and j in all sets: all rows
    still hold, and the sum of the values grows by (q_i − q_j)(c_j − c_i) ≥ 0. Each such exchange makes the
    counts lexicographically larger, best feature first, so it comes to an end. The lemma is about sums of
    qualities, or any sets at all; for the least value it is used with one set only.
    """
    by_sum = problem.weights == (1, 0) and (problem.aggregate == "sum" or problem.n_sets == 1)
    if (goal is not None and not by_sum) or (problem.min_quality is not None and problem.weights != (1, 0)):
        return []
    told: list[list[tuple[str, int]]] = [[] for _ in problem.quality]
    for name, (terms, _) in problem.rows.items():
        for j, c in terms.items():
            told[j].append((name, c))
    classes: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for j in sorted(range(len(told)), key=lambda j: -problem.quality[j]):
        classes.setdefault(tuple(told[j]), []).append(j)
    return list(classes.values())


def branches(classes: list[list[int]], box: Box, feature: int, value: int) -> tuple[Box, Box]:
    """Return the boxes with c_j < value, for worse features of the class too, and c_j ≥ value, for better."""
    same = next((c for c in classes if feature in c), [feature])
    place = same.index(feature)
    high, low = box[1][:], box[0][:]
    for j in same[place:]:
        high[j] = min(high[j], value - 1)
    for j in same[: place + 1]:
        low[j] = max(low[j], value)
    return (box[0], high), (low, box[1])


def contradicts(rows: dict[str, CountRow], multipliers: dict[str, int], box: Box) -> bool:
    """Return whether no counts in the box satisfy the sum of rows times multipliers ≥ 0.

    It reads Σ_j (a_j · c_j − s · C(c_j, 2)) ≥ b. As c_j = v adds a_j − s · (v − 1), which falls, each summand
    is largest at ⌊a_j / s⌋ + 1, or at the nearest end of the box.
    """
    a, s, b = [0] * len(box[0]), 0, 0
    for name, factor in multipliers.items():
        if name not in rows:
            raise RefusedError(f"tree: there is no row {name!r:.40}")
        integer(f"tree: multiplier of {name}", factor, 0)
        terms, shared, bound = rows[name]
        s, b = s + factor * shared, b + factor * bound
        for j, c in terms.items():
            a[j] += factor * c
    for slope, low, high in zip(a, *box, strict=True):
        best = min(high, max(low, slope // s + 1 if s else high if slope > 0 else low))
        b -= slope * best - s * comb(best, 2)
    return b > 0 or any(low > high for low, high in zip(*box, strict=True))


def refute_by_tree(claim: Any, problem: Problem, goal: int | None, lines: Iterator[Any], work: Work) -> str:
    """Walk through a tree of boxes in preorder and refute every leaf.

    A list ``[j, v]`` is a branch: first comes the box with c_j < v, then that with c_j ≥ v. An object is a
    leaf of multipliers by the names of rows; in the rule `counts`, "impossible" says that no sets have the
    least counts of the box.
    """
    n, leaves = len(problem.quality), 0
    rows, classes = count_rows(problem, goal), interchangeable(problem, goal)
    boxes = [([0] * n, [problem.n_sets] * n)]
    while boxes:
        work.spend(n)
        box, node = boxes.pop(), next(lines, None)
        if isinstance(node, list) and len(node) == 2:
            feature = integer("tree: feature", node[0], 0, n - 1)
            value = integer("tree: count", node[1], 1, problem.n_sets)
            boxes += reversed(branches(classes, box, feature, value))
            continue
        leaves += 1
        impossible = node == "impossible" and claim["rule"] == "counts"
        if impossible and is_realisable(problem, box[0], work):
            raise RefusedError(f"counts: sets may have the counts of leaf {leaves}")
        if not impossible and not (isinstance(node, dict) and contradicts(rows, node, box)):
            raise RefusedError(f"{claim['rule']}: leaf {leaves} is no contradiction")
    return f"{leaves} leaves"


def is_realisable(problem: Problem, counts: list[int], work: Work) -> bool:
    """Return whether L sets of at most k features that pairwise share at most m can have these counts.

    *Lemma.* If not, no solution has counts that are all at least as large. *Proof.* Take features out of its
    sets: these get no larger, and share no more.

    The table of features and sets is filled by features, the most frequent first. Sets can be exchanged, and
    so can features of the same count. Of all tables that differ in this only, the one that is largest, read
    feature by feature, gives each feature to the first of sets that agree so far, and features of the same
    count to sets in falling order: else an exchange would make it larger. Only such tables are tried.
    """
    wanted = sorted((c for c in counts if c), reverse=True)
    size, most = problem.sizes[-1], problem.max_overlap

    def fill(feature: int, sets: list[int], chosen: Set, first: int, last: Set) -> bool:
        work.spend(20 + len(chosen))
        if feature == len(wanted):
            return True
        if len(chosen) == wanted[feature]:
            sets = [s | (i in chosen) << feature for i, s in enumerate(sets)]
            enough = sum(size - s.bit_count() for s in sets) >= sum(wanted[feature + 1 :])
            same = wanted[feature : feature + 2] == [len(chosen)] * 2
            return enough and fill(feature + 1, sets, (), 0, chosen if same else ())
        for i in range(first, len(sets) - wanted[feature] + len(chosen) + 1):
            s = sets[i]
            if (not i or s != sets[i - 1] or i - 1 in chosen) and (*chosen, i) >= last[: len(chosen) + 1]:
                fits = s.bit_count() < size and all((s & sets[c]).bit_count() < most for c in chosen)
                if fits and fill(feature, sets, (*chosen, i), i + 1, last):
                    return True
        return False

    return fill(0, [0] * problem.n_sets, (), 0, ())


def admission(problem: Problem) -> Callable[[int, int], bool]:
    """Return whether a set, as bits, may get a feature, by the rows with coefficients −1 only.

    These hold for every part of a set that satisfies them.
    """
    limits: list[list[tuple[int, int]]] = [[] for _ in problem.quality]
    clash = [0] * len(limits)
    for name, (terms, b) in problem.rows.items():
        bits = sum(1 << j for j in terms) if set(terms.values()) == {-1} and name != "size_high" else 0
        for j in terms if bits else ():
            if len(terms) == 2 and b == -1:
                clash[j] |= bits
            else:
                limits[j].append((bits, -b))
    return lambda s, j: not s & clash[j] and all((s & bits).bit_count() < most for bits, most in limits[j])


class Weights:
    """Weights of pairs: a set of k features is worth at least V only if they add up to `goal` in it.

    *Lemma.* For k > 1, Σ a_i + Σ p_ij ≥ c just if W(S) = Σ e_ij ≥ (k − 1)·c, over the pairs i < j of the set,
    with e_ij = a_i + a_j + (k − 1)·p_ij. *Proof.* Each feature is in k − 1 pairs. Values a · Σ q − b · Σ r
    are of this kind; so is ⌊√(scale·A² / D)⌋ ≥ V > 0, that is scale·A² − V²·D ≥ 0, with A² = Σ q_i² + 2·Σ
    q_i·q_j and D = scale·k + 2·Σ r_ij. Where any set will do, nothing weighs anything. Features stand in
    places by falling a_i; row(x)[x] is so low that no place is taken twice.
    """

    def __init__(self, problem: Problem, k: int, least: int | None) -> None:
        (a, b), quality, scale, products = problem.weights or (1, 0), problem.quality, problem.scale, 0
        single = [a * q for q in quality]
        if least is None or (problem.weights is None and least <= 0):
            single, b, least = [0] * len(quality), 0, 0
        elif problem.weights is None:
            single = [scale * q * q for q in quality]
            products, b, least = 2 * scale, 2 * least**2, least**2 * scale * k
        self.goal, self.products, self.b = (k - 1) * least, (k - 1) * products, (k - 1) * b
        self.redundancy = problem.redundancy if b else [[0] * len(quality)] * len(quality)
        self.order = sorted(range(len(single)), key=lambda j: -single[j])
        self.single, self.quality = [single[j] for j in self.order], [quality[j] for j in self.order]
        self.most_pair = self.products * max(q * q for q in quality) - self.b * min(map(min, self.redundancy))
        self.row = cache(self.row_of)

    def row_of(self, x: int) -> list[int]:
        """Return the weights between a place and all places."""
        own, factor = self.single[x], self.products * self.quality[x]
        redundancy = map(self.redundancy[self.order[x]].__getitem__, self.order)
        columns = zip(self.single, self.quality, redundancy, strict=True)
        row = [own + a + factor * q - self.b * r for a, q, r in columns]
        row[x] = -(10**99)
        return row


def heavy_sets(weights: Weights, k: int, admits: Callable[[int, int], bool], work: Work) -> list[Set]:
    """Return sets, among them all of k features whose weights add up to the goal G.

    *Chains.* A set with W(S) ≥ G has S = S_k ⊃ S_{k−1} ⊃ … ⊃ S_1, each the one before without its weakest
    feature (of least weight to the others; of several, the one of the largest place), with **W(S_m) ≥ G · m(m
    − 1) / (k(k − 1))**. *Proof.* The weights of the features of S_m to the others add up to 2·W(S_m), so the
    least is at most 2·W(S_m)/m, and W(S_{m−1}) ≥ W(S_m)·(m − 2)/m, whatever the signs. So S is met, once, by
    adding to single features, in every way, a feature that is the weakest of what results where that is heavy
    enough. Without p_ij, and of two features, it is the one of the largest place. What y weighs to the m
    features of T is at most m·(a_y + p) + Σ_T a, with p the largest (k − 1)·p_ij; as a falls, only the first
    places have to be looked at.

    *Completion.* Let r features R be missing, and P_y be the sum of the r − 1 largest weights of y. Then
    2·W(T ∪ R) ≤ 2·W(T) + Σ_{y∈R} (2·w(y, T) + P_y). *Proof.* 2·W(R) sums r − 1 weights of each y. With the r
    largest summands this bounds every R; with that of y instead of the smallest of them, every R with y. Here
    all places are looked at, as R may hold those that come later.
    """
    row, order, single, goal = weights.row, weights.order, weights.single, weights.goal
    need = [-(-m * (m - 1) * goal // max(1, k * (k - 1))) for m in range(k + 1)]
    falling, has_pairs = [-a for a in single], bool(weights.products or weights.b)
    found: list[Set] = []
    best: list[list[int]] = []
    if k > MOST_BY_THRESHOLDS and has_pairs:
        best = [[0, *accumulate(nlargest(k - 1, row(x)))] for x in range(len(order))]

    def grow(chosen: list[int], bits: int, degrees: list[int], weight: int, before: list[int]) -> None:
        size, missing = len(chosen), k - len(chosen)
        if not missing:
            found.append(tuple(sorted(order[x] for x in chosen)))
            return
        room, first, end = need[size + 1] - weight, 0, len(order)
        if not best:
            least = -(-(room - sum(single[x] for x in chosen)) // size) - weights.most_pair
            end = bisect_right(falling, -least)
            first = 0 if has_pairs and size > 1 else chosen[-1] + 1
        known = best and size > 1  # what the others weigh to all places, as these are never cut
        sums = before if known else row(chosen[0])[first:end] if first < end else []
        work.spend(10 + size * len(sums))
        for x in chosen[-1 if known else 1 :] if sums else ():
            sums = list(map(add, sums, row(x)[first:end]))
        heavy = [y for y, s in enumerate(sums, start=first) if s >= room]
        if best and heavy:
            bounds = [2 * s + best[y][missing - 1] for y, s in enumerate(sums)]
            top = nlargest(missing, bounds)
            spare = sum(top) - 2 * (goal - weight)
            heavy = [y for y in heavy if spare >= 0 and bounds[y] >= top[-1] - spare]
        for y in heavy:
            own, to = sums[y - first], row(y)
            beside = [d + to[x] for d, x in zip(degrees, chosen, strict=True)]
            weakest = all(own < d or (own == d and x < y) for d, x in zip(beside, chosen, strict=True))
            if weakest and admits(bits, order[y]):
                grow([*chosen, y], bits | 1 << order[y], [*beside, own], weight + own, sums)

    for x, j in enumerate(order):
        if admits(0, j):
            grow([x], 1 << j, [0], 0, [])
    return found


def sets_above(problem: Problem, least: int | None, work: Work) -> list[tuple[int, Set]]:
    """Return the values and features of all allowed sets that are worth at least `least`, if given."""
    if problem.min_quality is not None:
        least = problem.min_quality if least is None else max(least, problem.min_quality)
    admits = admission(problem)
    sets = (s for k in problem.sizes for s in heavy_sets(Weights(problem, k, least), k, admits, work))
    found = ((problem.value(s), s) for s in sets if not problem.fault(s))
    return sorted((pair for pair in found if least is None or pair[0] >= least), reverse=True)


def refute_by_listing(
    claim: Any, problem: Problem, goal: int | None, lines: Iterator[Any], work: Work
) -> str:
    """List the sets that a solution can consist of, and look for compatible ones in all ways.

    For the least value, or if any solution is refuted, these are all sets that reach the goal. For the sum,
    let no l compatible sets add up to more than u_l, from u_0 = 0 on. *Lemma.* Of l sets that add up to more
    than u_l each has a value of at least u_l + 1 − u_{l−1}. *Proof.* The others have no more than u_{l−1}.
    So u_1, …, u_{L−1} (the `sums` of the claim, none where L = 1) and u_L = goal − 1 follow one by one from
    such sets only. Likewise, what the first of l sets lacks, the others must be able to have.
    """
    count, by_sum, most = problem.n_sets, goal is not None and problem.aggregate == "sum", [0]
    if by_sum and goal is not None:
        most = [0, *integers("sums", claim.get("sums", [])), goal - 1]
        goal = min(u + 1 - before for before, u in pairwise(most))
        if len(most) != count + 1:
            raise RefusedError(f"sums: must be {count - 1}")
    pool = sets_above(problem, goal, work)
    values, bits = [value * by_sum for value, _ in pool], [sum(1 << j for j in s) for _, s in pool]
    most = most if by_sum else [0] * (count + 1)

    @cache
    def after(i: int) -> int:
        """Return, as bits, which sets from i on can stand beside the set i; of large m, it can itself."""
        work.spend(10 * (len(pool) - i))
        allowed = [problem.allowed(len(pool[i][1]), size) for size in range(problem.sizes[-1] + 1)]
        fit = ((bits[i] & bits[t]).bit_count() <= allowed[len(pool[t][1])] for t in range(i, len(pool)))
        return sum(1 << t for t, fits in enumerate(fit, start=i) if fits)

    def packed(number: int, left: int, missing: int) -> list[Set] | None:
        """Return so many of the sets left, the most valuable first, that are worth what is missing."""
        while number and left:
            i = (left & -left).bit_length() - 1
            if missing > min(number * values[i], values[i] + most[number - 1]):
                return None
            work.spend(20 + len(pool) // 64)
            others = packed(number - 1, left & after(i), missing - values[i])
            if others is not None:
                return [pool[i][1], *others]
            left ^= 1 << i
        return None if number else []

    for number in range(1 if by_sum else count, count + 1):
        if (found := packed(number, (1 << len(pool)) - 1, most[number] + by_sum)) is not None:
            raise RefusedError(f"{claim['rule']}: {found!s:.80} are worth more, or are allowed")
    return f"replayed, {len(pool)} sets"


def check(certificate: str, problem: Problem, limit: int = MOST_WORK) -> list[tuple[str, str]]:
    """Return what each claim says and by what it stands, "" if it claims no proof, or raise RefusedError."""
    lines = (parsed(f"line {i}", line) for i, line in enumerate(certificate.splitlines(), start=1))
    head, work, found = next(lines, None), Work(limit), list[tuple[str, str]]()
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise RefusedError(f"line 1: does not say that this is a {FORMAT}")
    if head.get("instance") != problem.hash:
        raise RefusedError("line 1: the certificate is for another instance")
    if head.get("search") not in ("sequential", "simultaneous"):
        raise RefusedError("line 1: search must be sequential or simultaneous")
    left = problem.n_sets if head["search"] == "sequential" else 1
    if head["search"] == "sequential":
        problem = replace(problem, n_sets=1, aggregate="sum")
    for claim in lines:
        if not isinstance(claim, dict) or not left:
            raise RefusedError("claims: there are lines that belong to none")
        found.append(verdict(claim, problem, lines, work))
        left = 0 if claim["claim"] == "infeasible" else left - 1
        if left:
            (newest,) = integers("sets", claim["sets"], 2)
            problem = problem.beside(members("sets", newest, len(problem.quality)))
    if not found:
        raise RefusedError("claims: there are none")
    return found


def verdict(claim: dict[str, Any], problem: Problem, lines: Iterator[Any], work: Work) -> tuple[str, str]:
    """Return what a claim says and by what it stands; raise RefusedError if it does not.

    If `infeasible`, `of` may be a smaller number of sets: any solution has so many of its own.
    """
    rules = {"tree": refute_by_tree, "counts": refute_by_tree}
    rules |= {"chain": refute_by_listing, "packing": refute_by_listing}
    kind, rule, goal, told = claim.get("claim"), claim.get("rule"), None, "there are no such sets"
    if kind == "infeasible":
        problem = replace(problem, n_sets=integer("of", claim.get("of", problem.n_sets), 1, problem.n_sets))
    elif kind in ("optimum", "bound", "feasible"):
        sets = [members("sets", s, len(problem.quality)) for s in integers("sets", claim.get("sets"), 2)]
        total, value = problem.total(sets), integer("value", claim.get("value"))
        if value < total or (value > total and kind != "bound"):
            raise RefusedError(f"value: {value} is claimed, the sets have {total}")
        goal, told = value + 1, f"sets with {total}" + f", at most {value} is possible" * (kind == "bound")
    if kind == "feasible":
        return f"{kind}: {told}", ""
    if kind not in ("optimum", "bound", "infeasible") or rule not in [*rules]:
        raise RefusedError(f"claim, rule: {kind!r:.40}, {rule!r:.40} are not known")
    try:
        return f"{kind}: {told}", f"{rule}, {rules[rule](claim, problem, goal, lines, work)}"
    except (RecursionError, MemoryError):
        raise RefusedError("the sets are too many or too large to be looked at here") from None


def read(path: str, most: int) -> str:
    """Return the text of a file that is not too large."""
    try:
        with open(path, "rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise RefusedError(f"{path}: is larger than {most} bytes")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{path}: cannot be read as text ({error!s:.80})") from None


def main(arguments: list[str]) -> int:
    """Check a file, say what stands, and return the exit code: 0 if all does, 1 if not."""
    if len(arguments) != 2:
        print("usage: python check.py CERTIFICATE INSTANCE", file=sys.stderr)
        return 2
    try:
        problem = Problem.of(parsed("instance", read(arguments[1], MOST_BYTES)))
        found = check(read(arguments[0], MOST_BYTES // 8), problem)
    except RefusedError as error:
        print(f"refused: {error}")
        return 1
    for told, by in found:
        print(f"{told} ({f'certified by {by}' if by else 'not certified'})")
    print(f"certified: {sum(bool(by) for _, by in found)} of {len(found)} claims")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
