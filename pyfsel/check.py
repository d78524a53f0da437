"""Check that nothing better exists: certificates of optimal feature sets, verified with integers alone.

    python check.py CERTIFICATE INSTANCE

It needs Python 3.11 and nothing else, builds all rows and weights from the instance (the JSON of a problem)
itself, and believes nothing in a certificate but what follows by the lemmas below.

**The problem.** Find L = `n_sets` sets of features, each of an allowed size, at most k, and within the rows
that hold for every set, that pairwise share at most m = `max_overlap` features. Each has a value; their sum,
or the least of them, is to be as large as possible.

**The file** is JSON lines. The first names the format, the hash of the instance and the search. Each claim
has a line, then come those of its rule: `optimum` (sets, their value, and that no solution has more), `bound`
(sets, and a value that none exceeds), `infeasible`, `feasible` (sets, without a proof). In a sequential
search each claim is about one set, beside the previous sets and those of the claims before it. A rule refutes
that a solution *reaches the goal*: the claimed value + 1, or, for `infeasible`, any value.

**The rules.** `tree` holds multipliers of rows. The others replay a search that a lemma shows to be complete:
`counts` (a tree with leaves for `is_realisable`), `chain` (`heavy_sets`, `sums_above`), `split`, `packing`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import accumulate, combinations, islice, pairwise
from math import comb, isqrt
from operator import add
from typing import Any

FORMAT = "pyfsel certificate 1"
LARGEST, MOST_BYTES, MOST_WORK = 10**18, 2**29, 10**10  # of integers, files (certificates: an eighth), steps
WEIGHTS: dict[str, Callable[[int], tuple[int, int]]] = {
    "univariate": lambda k: (1, 0),
    "fcbf": lambda k: (1, 0),
    "mrmr": lambda k: (max(1, k - 1), 2),
    "graph_score": lambda k: (1, 1),
    "cfs": lambda k: (1, 0),
}
"""a and b where the value of a set of k is a · Σ quality − b · Σ redundancy over its pairs; CFS is apart.
Instances of other objectives say them."""
TOLD: tuple[str, ...] = (
    "n_features",
    "feature_names",
    "copy_of",
    "copy_names",
    "quality_unit",
    "unit_factor",
)
TOLD += ("part_of", "quality_values", "redundancy_values", "cost_scale", "value_factor")
TOLD += ("chance_p_values", "chance_left_out", "standard_errors")
"""Fields that say nothing in integers."""

Set = tuple[int, ...]
Row = tuple[dict[int, int], int]  # terms and b: Σ terms[j] · x_j ≥ b, with x_j = 1 if a set holds feature j
CountRow = tuple[dict[int, int], int, int]  # terms, s, b: Σ terms[j] · c_j − s · Σ C(c_j, 2) ≥ b
Box = tuple[list[int], list[int]]  # the least and the largest count c_j of each feature


class Refused(Exception):  # noqa: N818
    """What a file says does not follow, or cannot be read."""


class Work:
    """What a replay may still do, in units of about a tenth of a microsecond."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise Refused("the replay takes more work than is allowed")


def integer(name: str, number: Any, low: int = -LARGEST, high: int = LARGEST) -> int:
    """Return an integer of a file."""
    if type(number) is not int or not low <= number <= high:
        raise Refused(f"{name}: {number!r:.40} is no integer from {low} to {high}")
    return number


def listed(name: str, items: Any, length: int | None = None) -> list[Any]:
    """Return a list of a file."""
    if not isinstance(items, list) or (length is not None and len(items) != length):
        raise Refused(f"{name}: must be a list" + ("" if length is None else f" of {length}"))
    return items


def members(name: str, items: Any, n: int) -> Set:
    """Return different features in rising order."""
    items = items.get("set") if isinstance(items, dict) else items
    found = tuple(sorted(integer(name, j, 0, n - 1) for j in listed(name, items)))
    if len(set(found)) < len(found):
        raise Refused(f"{name}: holds a feature twice")
    return found


def parsed(name: str, text: str) -> Any:
    """Return what a JSON text says, if it says nothing twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}: is no JSON that can be read ({error!s:.80})") from None


@dataclass(frozen=True)
class Problem:
    """What is asked, in integers; features are numbered from 0."""

    quality: list[int]
    redundancy: list[list[int]]
    n_sets: int
    sizes: range
    max_overlap: int
    factors: tuple[int, int] | None
    weights: tuple[int, int] | None
    aggregate: str
    scale: int
    min_quality: int | None
    rows: dict[str, Row]

    @classmethod
    def of(cls, data: Any) -> Problem:
        """Read an instance; a field that is not known could restrict the sets, so it is refused."""
        left = dict(data) if isinstance(data, dict) else {}
        take = left.pop
        for name in TOLD:
            take(name, None)
        quality = [integer("quality", q) for q in listed("quality", take("quality", None))]
        n, k = len(quality), integer("set_size", take("set_size", None), 1, len(quality))
        smallest = integer("min_set_size", take("min_set_size", k), 1, k)
        redundancy = [listed("redundancy", row, n) for row in listed("redundancy", take("redundancy", []))]
        if not all(type(r) is int and abs(r) <= LARGEST for row in redundancy for r in row):
            raise Refused("redundancy: must hold integers")
        columns = [list(column) for column in zip(*redundancy, strict=True)]
        if columns != redundancy or any(row[j] for j, row in enumerate(redundancy)):
            raise Refused("redundancy: must be symmetric with a zero diagonal")
        objective, aggregate = take("objective", "univariate"), take("aggregate", "sum")
        usual = WEIGHTS[objective](k) if objective in [*WEIGHTS] else (None, None)
        told = take("relevance_weight", usual[0]), take("redundancy_weight", usual[1])
        if aggregate not in ("sum", "min") or (None not in usual and told != usual):
            raise Refused(f"objective, aggregate: {objective!r:.40}, {aggregate!r:.40} are not known")
        a, b = integer("relevance_weight", told[0], 0), integer("redundancy_weight", told[1], 0)
        if (not redundancy and (b or objective == "cfs")) or (b == 0 and a != 1):
            raise Refused("redundancy: is missing")
        if objective == "mrmr" and smallest < k:
            raise Refused("min_set_size: objective mrmr has one size")
        scale, of, sf = take("scale", 1), take("overlap_factor", None), take("size_factor", None)
        scale = int(scale) if isinstance(scale, float) and scale.is_integer() else scale
        least, every = take("min_quality", None), range(n)
        rows: dict[str, Row] = {"size": (dict.fromkeys(every, 1), smallest)}
        rows["size_high"] = (dict.fromkeys(every, -1), -k)
        for i, j in (members("conflicts", pair, n) for pair in listed("conflicts", take("conflicts", []))):
            rows[f"conflict_{i}_{j}"] = ({i: -1, j: -1}, -1)
        rows |= {f"forced_{j}": ({j: 1}, 1) for j in members("forced", take("forced", []), n)}
        rows |= {f"forbidden_{j}": ({j: -1}, 0) for j in members("forbidden", take("forbidden", []), n)}
        groups = [members("groups", group, n) for group in listed("groups", take("groups", []))]
        limits = (("group_at_least", 0), ("group_at_most", n), ("group_all_or_nothing", False))
        lists = (listed(name, take(name, [usual] * len(groups)), len(groups)) for name, usual in limits)
        for i, (group, low, high, whole) in enumerate(zip(groups, *lists, strict=True)):
            rows[f"group_{i}"] = (dict.fromkeys(group, 1), integer("group_at_least", low))
            rows[f"group_{i}_high"] = (dict.fromkeys(group, -1), -integer("group_at_most", high))
            for one, other in pairwise((*group, group[0])) if whole and len(group) > 1 else ():
                rows[f"group_{i}_{one}_{other}"] = ({one: 1, other: -1}, 0)
        costs, budget = listed("costs", take("costs", [])), take("budget", None)
        if budget is not None:
            terms = {j: -integer("costs", c) for j, c in enumerate(listed("costs", costs, n))}
            rows["budget"] = (terms, -integer("budget", budget))
        if b == 0 and objective != "cfs" and least is not None:
            rows["quality"] = (dict(enumerate(quality)), integer("min_quality", least))
        problem = cls(
            quality,
            redundancy,
            integer("n_sets", take("n_sets", None), 1, 10**4),
            range(smallest, k + 1),
            integer("max_overlap", take("max_overlap", None), 0, k),
            None if of is None else (integer("overlap_factor", of, 1), integer("size_factor", sf, 0)),
            None if objective == "cfs" else (a, b),
            aggregate,
            integer("scale", scale, 1) if objective == "cfs" else 1,
            None if least is None else integer("min_quality", least),
            rows,
        )
        for previous in listed("previous_sets", take("previous_sets", [])):
            problem = problem.beside(members("previous_sets", previous, n))
        if left:
            raise Refused(f"instance: {min(left)!r:.40} is not known here, it could restrict the sets")
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
    def is_sum(self) -> bool:
        """Whether the value of a set is the sum of the qualities of its features."""
        return self.weights == (1, 0)

    @property
    def hash(self) -> str:
        """The same for all files that ask the same, whatever names and units they have."""
        rows = {name: (sorted(terms.items()), b) for name, (terms, b) in self.rows.items()}
        plain = vars(self) | {"sizes": list(self.sizes), "rows": rows}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def allowed(self, size: int, other: int) -> int:
        """Return how many features two sets of these sizes may share."""
        most = self.max_overlap
        return (
            most if self.factors is None else min(most, self.factors[1] * (size + other) // self.factors[0])
        )

    def value(self, s: Set) -> int:
        """Return the value of a set; for CFS ⌊√(scale · A² / D)⌋, A = Σ q and D = scale · k + Σ_{i≠j} r."""
        relevance = sum(self.quality[j] for j in s)
        pairs = 0 if self.is_sum else sum(self.redundancy[i][j] for i, j in combinations(s, 2))
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
            raise Refused(f"sets: {len(sets)} are given, {self.n_sets} are asked for")
        for s in sets:
            if row := self.fault(s):
                raise Refused(f"sets: {list(s)} violates {row}")
        for s, t in combinations(sets, 2):
            if len({*s} & {*t}) > self.allowed(len(s), len(t)):
                raise Refused(f"sets: {list(s)} and {list(t)} share too much")
        return (sum if self.aggregate == "sum" else min)(self.value(s) for s in sets)


def count_rows(problem: Problem, goal: int | None) -> dict[str, CountRow]:
    """Return what holds for the counts of a solution that reaches the goal; c_j sets hold feature j.

    A row of every set is summed over the L sets. `better`: so are the values, to the goal, or L times the
    goal for the least value. `shared`: counted by features, pairs of sets share Σ C(c_j, 2) features; each
    pair shares at most m, and `factors` bound them by the sizes, each of which is in L − 1 pairs.
    """
    count, n = problem.n_sets, len(problem.quality)
    found = {name: (terms, 0, count * b) for name, (terms, b) in problem.rows.items()}
    if problem.is_sum and goal is not None:
        found["better"] = (
            dict(enumerate(problem.quality)),
            0,
            goal * (1 if problem.aggregate == "sum" else count),
        )
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
    by_sum = problem.is_sum and (problem.aggregate == "sum" or problem.n_sets == 1)
    if (goal is not None and not by_sum) or (problem.min_quality is not None and not problem.is_sum):
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
            raise Refused(f"tree: there is no row {name!r:.40}")
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
    rows, classes, n, leaves = (
        count_rows(problem, goal),
        interchangeable(problem, goal),
        len(problem.quality),
        0,
    )
    boxes = [([0] * n, [problem.n_sets] * n)]
    while boxes:
        work.spend(n)
        box, node = boxes.pop(), next(lines, None)
        if isinstance(node, list):
            feature, value = listed("tree: branch", node, 2)
            feature = integer("tree: feature", feature, 0, n - 1)
            value = integer("tree: count", value, box[0][feature] + 1, box[1][feature])
            boxes += reversed(branches(classes, box, feature, value))
            continue
        leaves += 1
        if node == "impossible" and claim["rule"] == "counts":
            refuted = not is_realisable(problem, box[0], work)
        else:
            refuted = isinstance(node, dict) and contradicts(rows, node, box)
        if not refuted:
            raise Refused(f"{claim['rule']}: leaf {leaves} is no contradiction")
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
                clash[j] |= bits & ~(1 << j)
            else:
                limits[j].append((bits, -b))
    return lambda s, j: not s & clash[j] and all((s & bits).bit_count() < most for bits, most in limits[j])


def sums_above(problem: Problem, k: int, least: int | None, work: Work) -> list[Set]:
    """Return sets of k features, among them all whose qualities add up to at least `least`.

    In the order of falling quality, the next r features are the best r of those that may follow.
    """
    order = sorted(range(len(problem.quality)), key=lambda j: -problem.quality[j])
    prefix = [0, *accumulate(problem.quality[j] for j in order)]
    admits = admission(problem)
    found: list[Set] = []

    def grow(start: int, chosen: Set, bits: int, total: int) -> None:
        missing = k - len(chosen)
        if not missing:
            found.append(chosen)
        for x in range(start, len(order) - missing + 1) if missing else ():
            work.spend(20)
            if least is not None and total + prefix[x + missing] - prefix[x] < least:
                break
            if admits(bits, j := order[x]):
                grow(x + 1, (*chosen, j), bits | 1 << j, total + problem.quality[j])

    grow(0, (), 0, 0)
    return found


class Weights:
    """Weights of pairs: a set of k > 1 features is worth at least V just if they add up to `goal` in it.

    *Lemma.* Σ a_i + Σ p_ij ≥ c just if W(S) = Σ e_ij ≥ (k − 1)·c, over the pairs i < j of the set, with e_ij
    = a_i + a_j + (k − 1)·p_ij. *Proof.* Each feature is in k − 1 pairs. Values a · Σ q − b · Σ r are of this
    kind; so is ⌊√(scale·A² / D)⌋ ≥ V > 0, that is scale·A² − V²·D ≥ 0, with A² = Σ q_i² + 2·Σ q_i·q_j and D =
    scale·k + 2·Σ r_ij. Features stand in places by falling a_i; row(x)[x] is NEVER.
    """

    NEVER = -(2**62)

    def __init__(self, problem: Problem, k: int, least: int) -> None:
        self.squares, (a, b) = 0, problem.weights or (1, 0)
        single = [a * q for q in problem.quality]
        if problem.weights is None:
            single = [problem.scale * q * q for q in problem.quality]
            self.squares, b, least = 2 * problem.scale * (k - 1), 2 * least**2, least**2 * problem.scale * k
        self.k, self.b, self.goal, self.redundancy = k, (k - 1) * b, (k - 1) * least, problem.redundancy
        self.order = sorted(range(len(single)), key=lambda j: -single[j])
        self.place = {j: x for x, j in enumerate(self.order)}
        self.single, self.quality = [single[j] for j in self.order], [problem.quality[j] for j in self.order]
        self.rows: dict[int, list[int]] = {}
        largest = self.squares * max(q * q for q in problem.quality)
        self.most_pair = largest - self.b * min(map(min, problem.redundancy))

    def row(self, x: int) -> list[int]:
        """Return the weights between a place and all places."""
        if x not in self.rows:
            redundancy, own, c = (
                self.redundancy[self.order[x]],
                self.single[x],
                self.squares * self.quality[x],
            )
            columns = zip(self.single, self.quality, map(redundancy.__getitem__, self.order), strict=True)
            self.rows[x] = [own + a + c * q - self.b * r for a, q, r in columns]
            self.rows[x][x] = self.NEVER
        return self.rows[x]


MOST_BY_THRESHOLDS = 5
"""Up to so many features the thresholds are enough; beyond, the completion bound pays."""


def heavy_sets(weights: Weights, admits: Callable[[int, int], bool], work: Work) -> list[Set]:
    """Return sets, among them all whose weights add up to the goal G.

    *Chains.* A set with W(S) ≥ G has S = S_k ⊃ S_{k−1} ⊃ … ⊃ S_2, each the one before without its weakest
    feature (of least weight to the others; of several, the one of the largest place), with **W(S_m) ≥ G · m(m
    − 1) / (k(k − 1))**. *Proof.* The weights of the features of S_m to the others add up to 2·W(S_m), so the
    least is at most 2·W(S_m)/m, and W(S_{m−1}) ≥ W(S_m)·(m − 2)/m, whatever the signs. So S is met, once, by
    adding to heavy pairs, in every way, a feature that is the weakest of what results where that is heavy
    enough. What y weighs to the m features of T is at most m·(a_y + p) + Σ_T a, with p the largest (k −
    1)·p_ij; as a falls, only a prefix of the places has to be looked at.

    *Completion.* Let r features R be missing, and P_y be the sum of the r − 1 largest weights of y. Then
    2·W(T ∪ R) ≤ 2·W(T) + Σ_{y∈R} (2·w(y, T) + P_y). *Proof.* 2·W(R) sums r − 1 weights of each y. With the r
    largest summands this bounds every R; with that of y instead of the smallest of them, every R with y.
    """
    row, order, single, goal, k = weights.row, weights.order, weights.single, weights.goal, weights.k
    need = [-(-m * (m - 1) * goal // (k * (k - 1))) for m in range(k + 1)]
    falling = [-a for a in single]
    found: list[Set] = []
    best: list[list[int]] = []
    if k > MOST_BY_THRESHOLDS:
        sums_of_largest = ([0, *accumulate(nlargest(k - 1, row(x)))] for x in range(len(order)))
        best = [list(column) for column in zip(*sums_of_largest, strict=True)]

    def prefix(chosen: list[int], room: int) -> int:
        least = -(-(room - sum(single[x] for x in chosen)) // len(chosen)) - weights.most_pair
        return bisect_right(falling, -least)

    def grow(
        chosen: list[int], bits: int, degrees: list[int], weight: int, places: list[int], sums: list[int]
    ) -> None:
        missing = k - len(chosen)
        if not missing:
            found.append(tuple(order[x] for x in chosen))
            return
        room = need[len(chosen) + 1] - weight
        if best:
            work.spend(5 * len(places))
            summands = [2 * s + best[missing - 1][y] for s, y in zip(sums, places, strict=True)]
            kept = promising(summands, missing, 2 * (goal - weight))
            places, sums = [places[i] for i in kept], [sums[i] for i in kept]
        else:
            places, sums = places[: prefix(chosen, room)], row(chosen[0])
            work.spend(10 + len(places))
            for x in chosen[1:]:
                sums = list(map(add, sums[: len(places)], row(x)))
        for i in [i for i, s in enumerate(sums) if s >= room]:
            y, own, to = places[i], sums[i], row(places[i])
            beside = [d + to[x] for d, x in zip(degrees, chosen, strict=True)]
            weakest = all(own < d or (own == d and x < y) for d, x in zip(beside, chosen, strict=True))
            if weakest and admits(bits, order[y]):
                more = [s + to[z] for s, z in zip(sums, places, strict=True)] if best else []
                rest = places if best else every
                grow([*chosen, y], bits | 1 << order[y], [*beside, own], weight + own, rest, more)

    every = list(range(len(order)))
    for x, j in enumerate(order):
        for y in range(x + 1, prefix([x], need[2])) if admits(0, j) else ():
            work.spend(1)
            if (weight := row(x)[y]) >= need[2] and admits(1 << j, order[y]):
                sums = list(map(add, row(x), row(y))) if best else []
                grow([x, y], 1 << j | 1 << order[y], [weight, weight], weight, every, sums)
    return found


def promising(summands: list[int], missing: int, wanted: int) -> list[int]:
    """Return which of the summands can be among so many that add up to what is wanted."""
    top = nlargest(missing, summands)
    lacks = wanted - sum(top)
    if lacks > 0 or len(top) < missing:
        return []
    return [i for i, summand in enumerate(summands) if summand >= top[-1] + lacks]


def sets_by_split(
    weights: Weights, moves: list[list[int]], admits: Callable[[int, int], bool], work: Work
) -> list[Set]:
    """Return sets, among them all whose weights add up to the goal.

    *Lemma.* Let every weight be split, D_yz + D_zy = 2·e_yz, and r features R of candidates C be missing.
    Then 2·W(T ∪ R) ≤ 2·W(T) + Σ_{y∈R} (2·w(y, T) + the r − 1 largest D_yz, z in C). *Proof.* 2·W(R) is the
    sum of D_yz over y and z in R. In the order of the summands, each R is met once where its worst feature is
    taken and only better ones are left.
    """
    order, k = weights.order, weights.k
    parts = [list(map(add, weights.row(x), moves[x])) for x in range(len(order))]
    best = [sorted(range(len(order)), key=part.__getitem__, reverse=True) for part in parts]
    found: list[Set] = []

    def grow(chosen: Set, bits: int, weight: int, gains: dict[int, int]) -> None:
        missing, size = k - len(chosen), -1
        if not missing:
            found.append(chosen)
            return
        while size != len(gains):
            size = len(gains)
            work.spend(4 * size * missing)
            largest = (islice((parts[y][z] for z in best[y] if z in gains), missing - 1) for y in gains)
            summands = [2 * gain + sum(few) for gain, few in zip(gains.values(), largest, strict=True)]
            kept = promising(summands, missing, 2 * (weights.goal - weight))
            places = list(gains)
            gains = {y: gains[y] for y in (places[i] for i in sorted(kept, key=summands.__getitem__))}
        for number, (y, gain) in enumerate(gains.items()):
            if admits(bits, order[y]):
                rest = {z: gains[z] + weights.row(y)[z] for z in islice(gains, number + 1, None)}
                grow((*chosen, order[y]), bits | 1 << order[y], weight + gain, rest)

    grow((), 0, 0, dict.fromkeys(range(len(order)), 0))
    return found


def sets_above(
    problem: Problem, least: int | None, work: Work, moves: list[list[int]] | None = None
) -> list[tuple[int, Set]]:
    """Return the values and features of all allowed sets that are worth at least `least`, if given."""
    if problem.min_quality is not None:
        least = problem.min_quality if least is None else max(least, problem.min_quality)
    found: list[tuple[int, Set]] = []
    for k in problem.sizes:
        if problem.is_sum or k == 1 or least is None or (problem.weights is None and least <= 0):
            sets = sums_above(problem, k, least if problem.is_sum else None, work)
        elif moves:
            sets = sets_by_split(Weights(problem, k, least), moves, admission(problem), work)
        else:
            sets = heavy_sets(Weights(problem, k, least), admission(problem), work)
        valued = ((problem.value(s), tuple(sorted(s))) for s in sets if not problem.fault(s))
        found += [(value, s) for value, s in valued if least is None or value >= least]
    return found


def refute_by_listing(
    claim: Any, problem: Problem, goal: int | None, lines: Iterator[Any], work: Work
) -> str:
    """List the sets that reach the goal: there must be none.

    `split` has a line for each feature i but the first. There stands, for each feature j before i, by how
    many units D_ij is more than e_ij, and D_ji less.
    """
    n, k, rule = len(problem.quality), problem.sizes[-1], claim["rule"]
    moves: list[list[int]] = []
    if problem.n_sets > 1 or (rule == "split" and (problem.is_sum or goal is None or k == 1)):
        raise Refused(f"{rule}: is not for such sets")
    if rule == "split" and goal is not None:
        unit, place = integer("unit", claim.get("unit"), 1), Weights(problem, k, goal).place
        moves = [[0] * n for _ in range(n)]
        for i in range(1, n):
            for j, move in enumerate(listed("split", next(lines, None), i)):
                moves[place[i]][place[j]] = unit * integer("split", move)
                moves[place[j]][place[i]] = -unit * move
    for value, s in sets_above(problem, goal, work, moves):
        raise Refused(f"{rule}: {list(s)} has the value {value}")
    return "replayed"


def refute_by_packing(
    claim: Any, problem: Problem, goal: int | None, lines: Iterator[Any], work: Work
) -> str:
    """List the sets that a solution can consist of, and look for compatible ones in all ways.

    For the least value, or if any solution is refuted, these are all sets that reach the goal. For the sum,
    let no l − 1 compatible sets add up to more than u_{l−1}. *Lemma.* Of l sets that add up to more than u_l
    each has a value of at least u_l + 1 − u_{l−1}. *Proof.* The others have no more than u_{l−1}. So, from
    u_0 = 0 on, u_1, …, u_{L−1} (the `sums` of the claim) and u_L = goal − 1 follow one by one from such sets
    only.
    """
    sums, by_sum = [0], problem.aggregate == "sum" and goal is not None
    if problem.aggregate == "sum" and goal is not None:
        sums += [integer("sums", u) for u in listed("sums", claim.get("sums"), problem.n_sets - 1)]
        sums.append(goal - 1)
    leasts = [u + 1 - before for before, u in pairwise(sums)]
    pool = sorted(sets_above(problem, min(leasts) if by_sum else goal, work), reverse=True)
    bits = {s: sum(1 << j for j in s) for _, s in pool}
    distinct = problem.max_overlap < problem.sizes[0]

    def packs(number: int, left: list[tuple[int, Set]], missing: int, most: int | None) -> bool:
        """Return whether so many of the sets left, worth `most` at most, are worth what is missing."""
        for i, (value, s) in enumerate(left) if number else ():
            best = sum(v for v, _ in left[i : i + number]) if distinct else number * value
            if by_sum and (best < missing or (most is not None and most < missing)):
                return False
            work.spend(10 * (len(left) - i))
            fits = ((t, problem.allowed(len(s), len(t[1]))) for t in left[i:])
            after = [t for t, shared in fits if (bits[s] & bits[t[1]]).bit_count() <= shared]
            if packs(number - 1, after, missing - value, sums[number - 1] if by_sum else None):
                return True
        return not number

    for number, least in enumerate(leasts, start=1) if by_sum else ():
        if packs(number, [(v, s) for v, s in pool if v >= least], sums[number] + 1, None):
            raise Refused(f"packing: {number} sets add up to more than {sums[number]}")
    if not by_sum and packs(problem.n_sets, pool, 0, None):
        raise Refused("packing: there are sets that reach the goal")
    return f"replayed, {len(pool)} sets"


RULES = {"tree": refute_by_tree, "counts": refute_by_tree, "packing": refute_by_packing}
RULES |= {"chain": refute_by_listing, "split": refute_by_listing}


def check(certificate: str, problem: Problem, limit: int = MOST_WORK) -> list[tuple[str, str]]:
    """Return what each claim says and by what it stands, "" if it claims no proof; raise Refused if not."""
    lines = (parsed(f"line {i}", line) for i, line in enumerate(certificate.splitlines(), start=1))
    head, work, found = next(lines, None), Work(limit), list[tuple[str, str]]()
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise Refused(f"line 1: does not say that this is a {FORMAT}")
    if head.get("instance") != problem.hash:
        raise Refused("line 1: the certificate is for another instance")
    if head.get("search") not in ("sequential", "simultaneous"):
        raise Refused("line 1: search must be sequential or simultaneous")
    left = problem.n_sets if head["search"] == "sequential" else 1
    if head["search"] == "sequential":
        problem = replace(problem, n_sets=1, aggregate="sum")
    for claim in lines:
        if not isinstance(claim, dict) or not left:
            raise Refused("claims: there are lines that belong to none")
        found.append(verdict(claim, problem, lines, work))
        left = 0 if claim["claim"] == "infeasible" else left - 1
        if left:
            problem = problem.beside(members("sets", claim["sets"][0], len(problem.quality)))
    if not found:
        raise Refused("claims: there are none")
    return found


def verdict(claim: dict[str, Any], problem: Problem, lines: Iterator[Any], work: Work) -> tuple[str, str]:
    """Return what a claim says and by what it stands; raise Refused if it does not.

    If `infeasible`, `of` may be a smaller number of sets: any solution has so many of its own.
    """
    kind, rule, goal, told = claim.get("claim"), claim.get("rule"), None, "there are no such sets"
    if kind == "infeasible":
        problem = replace(problem, n_sets=integer("of", claim.get("of", problem.n_sets), 1, problem.n_sets))
    elif kind in ("optimum", "bound", "feasible"):
        sets = [members("sets", s, len(problem.quality)) for s in listed("sets", claim.get("sets"))]
        total, value = problem.total(sets), integer("value", claim.get("value"))
        if value < total or (value > total and kind != "bound"):
            raise Refused(f"value: {value} is claimed, the sets have {total}")
        goal, told = value + 1, f"sets with {total}" + f", at most {value} is possible" * (kind == "bound")
    if kind == "feasible":
        return f"{kind}: {told}", ""
    if kind not in ("optimum", "bound", "infeasible") or rule not in [*RULES]:
        raise Refused(f"claim, rule: {kind!r:.40}, {rule!r:.40} are not known")
    try:
        return f"{kind}: {told}", f"{rule}, {RULES[rule](claim, problem, goal, lines, work)}"
    except (RecursionError, MemoryError):
        raise Refused("the sets are too many or too large to be looked at here") from None


def read(path: str, most: int) -> str:
    """Return the text of a file that is not too large."""
    try:
        with open(path, "rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise Refused(f"{path}: is larger than {most} bytes")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: cannot be read as text ({error!s:.80})") from None


def main(arguments: list[str]) -> int:
    """Check a file, say what stands, and return the exit code: 0 if all does, 1 if not."""
    if len(arguments) != 2:
        print("usage: python check.py CERTIFICATE INSTANCE", file=sys.stderr)
        return 2
    try:
        problem = Problem.of(parsed("instance", read(arguments[1], MOST_BYTES)))
        found = check(read(arguments[0], MOST_BYTES // 8), problem)
    except Refused as error:
        print(f"refused: {error}")
        return 1
    for told, by in found:
        print(f"{told} ({f'certified by {by}' if by else 'not certified'})")
    print(f"certified: {sum(bool(by) for _, by in found)} of {len(found)} claims")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
