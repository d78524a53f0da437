"""Check that nothing better exists: certificates of optimal feature sets, verified with integers alone.

    python checker.py CERTIFICATE INSTANCE [SECONDS]

It needs Python 3.11 and nothing else, builds all rows and weights from the instance (the JSON of a problem)
itself, and believes nothing in a certificate but what follows by the lemmas below.

**The problem.** Find L = `n_sets` sets of features, each of an allowed size, at most k, and within the rows
that hold for every set, that pairwise share at most m = `max_shared` features. Each has a value; their sum,
or the least of them, is to be as large as possible.

**The file** is JSON lines: the format, the hash of the instance and the search; then a line for each claim,
followed by the lines of its rule: `optimum` (sets, their value, and that no solution has more), `bound`
(sets, and a value that none exceeds), `infeasible`, `feasible` (sets, without a proof), `open` (nothing). In
a sequential search each is about one set, given the previous sets and the sets of the claims before it; fewer
than L sets end with `infeasible` or `open`. A rule refutes that a solution *reaches the goal*: the value + 1,
or, for `infeasible`, any. `tree` holds multipliers of rows; the others replay a search that a lemma shows to
be complete: `counts` (in a tree), `chain` and `packing`.
"""

import hashlib
import json
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import comb, isqrt
from operator import add
from typing import Any

FORMAT = "pyfsel certificate 1"
LARGEST, MOST_BYTES, WORK_A_SECOND, SECONDS = 10**18, 2**29, 10**7, 60  # certificates: an eighth of the bytes
MOST_ROOM, MOST_NUMBERS = 2**28, 2 * 10**6  # bytes kept, beyond what grows with the files; numbers in a cache
# Fields that say nothing in integers, or nothing that the objective does not say.
TOLD = "search feature_names part_of unit_factor cost_scale objective_unit exact_quality exact_pairs"
# Names of version 1 of the file that version 2 has changed.
RENAMED = """
set_size:k min_set_size:k_min max_overlap:max_shared overlap_factor:shared_weight size_factor:size_weight
overlap_constant:shared_constant by_smaller:shared_by_smaller overlap_cost:shared_price previous_sets:previous
redundancy:pairs quality_values:exact_quality redundancy_values:exact_pairs ridge:objective_ridge
criterion:objective_criterion n_rows:objective_rows quality_unit:measured_unit
relevance_weight:objective_per_feature redundancy_weight:objective_per_pair value_factor:objective_unit
group_all_or_nothing:group_all_or_none chance_p_values:measured_p_values
chance_left_out:measured_chance_left_out standard_errors:measured_errors copy_of:measured_duplicate_of
copy_names:measured_duplicates"""
NAMES = dict(pair.split(":") for pair in RENAMED.split())
ENDS = {"infeasible": "no such sets exist", "open": "no proof that there are none"}  # have no sets

Set = tuple[int, ...]
Row = tuple[dict[int, int], int]  # terms and b: Σ terms[j] · x_j ≥ b, with x_j = 1 if a set holds feature j
CountRow = tuple[dict[int, int], int, int]  # terms, s, b: Σ terms[j] · c_j − s · Σ C(c_j, 2) ≥ b
Box = tuple[list[int], list[int]]  # the least and the largest count c_j of each feature


class RefusedError(Exception):
    """What a file says does not follow, or cannot be read."""


def demand(holds: object, otherwise: str) -> None:
    """Refuse a file in which something does not hold."""
    if not holds:
        raise RefusedError(otherwise)


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Refuse what cannot be read, has another form than it should have, or is too deep or too large."""
    kinds = TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError, StopIteration
    try:
        yield
    except (*kinds, OSError, MemoryError) as error:
        raise RefusedError(f"{what}: cannot be read ({type(error).__name__}: {error!s:.80})") from None


@dataclass
class Work:
    """The steps that a check may still do, each of about a tenth of a microsecond, and the bytes to keep."""

    left: int
    room: int = MOST_ROOM

    def spend(self, amount: int, kept: int = 0) -> None:
        self.left, self.room = self.left - amount, self.room - kept
        demand(self.left >= 0, "the replay takes more work than is allowed; allow more SECONDS")
        demand(self.room >= 0, "the replay takes more memory than is allowed")


@refusing("JSON")
def parsed(text: str) -> Any:
    """Return what a JSON text says; refuse a name twice, of which another reader may take the other value."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        demand(len(found := dict(pairs)) == len(pairs), "JSON: a name stands twice")
        return found

    return json.loads(text, object_pairs_hook=once)


def integer(name: str, number: Any, low: int = -LARGEST, high: int = LARGEST) -> int:
    """Return an integer of a file, for which no truth value stands, or a truth value where it has those."""
    kind = bool if name == "group_all_or_none" else int
    if type(number) is not kind or not low <= number <= high:
        raise RefusedError(f"{name}: {number!r:.40} is not of type {kind.__name__}, from {low} to {high}")
    return number


def integers(name: str, items: Any, depth: int = 1) -> Any:
    """Return integers of a file in lists of this depth, each of which may also be ``{"set": [...]}``."""
    items = items["set"] if isinstance(items, dict) else items
    return [integers(name, part, depth - 1) for part in items] if depth else integer(name, items)


def members(name: str, items: Any, n: int) -> Set:
    """Return different features in rising order."""
    found = sorted(integer(name, j, 0, n - 1) for j in integers(name, items))
    demand(len({*found}) == len(found), f"{name}: holds a feature twice")
    return tuple(found)


def read_rows(take: Callable[..., Any], n: int, sizes: range) -> dict[str, Row]:
    """Return what holds for every set: sizes, conflicts, forced and forbidden features, groups, a budget."""
    rows = {"size": (dict.fromkeys(range(n), 1), sizes[0])}
    rows["size_high"] = (dict.fromkeys(range(n), -1), -sizes[-1])
    for i, j in (members("conflicts", pair, n) for pair in take("conflicts", [], 2)):
        rows[f"conflict_{i}_{j}"] = ({i: -1, j: -1}, -1)
    rows |= {f"forced_{j}": ({j: 1}, 1) for j in members("forced", take("forced", [], 1), n)}
    rows |= {f"forbidden_{j}": ({j: -1}, 0) for j in members("forbidden", take("forbidden", [], 1), n)}
    groups = take("groups", [], 2)
    usual = (("group_at_least", 0), ("group_at_most", n), ("group_all_or_none", False))
    limits = [take(name, [limit] * len(groups), 1) for name, limit in usual]
    for g, (group, low, high, whole) in enumerate(zip(groups, *limits, strict=True)):
        terms = dict.fromkeys(members("groups", group, n), 1)
        rows |= {f"group_{g}": (terms, low), f"group_{g}_high": (dict.fromkeys(terms, -1), -high)}
        for i, j in pairwise([*terms, *terms][: len(terms) + 1]) if whole and len(terms) > 1 else ():
            rows[f"group_{g}_{i}_{j}"] = ({i: 1, j: -1}, 0)
    costs, budget = take("costs", [], 1), take("budget")
    if budget is not None:
        rows["budget"] = ({j: -cost for j, cost in zip(range(n), costs, strict=True)}, -budget)
    return rows


def in_names_of_2(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of either version by their names in version 2, without what was measured."""
    version = data.get("format", "pyfsel-problem 1")
    demand(version in ("pyfsel-problem 1", "pyfsel-problem 2"), f"format: {version!r:.40} is not known")
    others = {*NAMES.values()} if version.endswith("1") else {*NAMES, "aggregate"}
    demand(data.keys().isdisjoint(others), "instance: has names of both versions")
    fields = {NAMES.get(name, name): told for name, told in data.items()}
    if version.endswith("2"):
        word = fields.get("search", "sum")
        fields["aggregate"] = {"sequential": "sum", "min_then_sum": "min"}.get(word, word)
    return {name: told for name, told in fields.items() if name != "format" and name[:9] != "measured_"}


@dataclass(frozen=True)
class Instance:
    """The problem in integers; features are numbered from 0."""

    quality: list[int]
    redundancy: list[list[int]]
    n_sets: int
    sizes: range
    max_shared: int
    weights: tuple[int, int] | None  # of quality and redundancy, (1, 0) for sums; None for CFS
    aggregate: str
    scale: int
    min_quality: int | None
    rows: dict[str, Row]
    relatives: list[Set]  # a feature related to one of an earlier set counts as shared with it

    @classmethod
    @refusing("instance")
    def of(cls, data: Any) -> "Instance":
        """Read an instance; a field that is not known could restrict the sets, so it is refused."""
        data = in_names_of_2(data.get("problem", data))  # as in what `pyfsel select` and `pyfsel solve` write
        fields = {x: told for x, told in data.items() if x not in TOLD.split() and x[:1] != "_"}

        def take(name: str, usual: Any = None, depth: int = 0) -> Any:
            told = fields.pop(name, None)
            return usual if told is None else integers(name, told, depth)

        quality, redundancy = take("quality", [], 1), take("pairs", [], 2)
        n, k = len(quality), integer("k", take("k"), 1, len(quality))
        demand(take("n_features", n) == n, f"n_features: there are {n} qualities")
        sizes = range(integer("k_min", take("k_min", k), 1, k), k + 1)
        objective, aggregate, scale = (fields.pop(name, 0) for name in ("objective", "aggregate", "scale"))
        known = {0: (1, 0), "univariate": (1, 0), "fcbf": (1, 0), "cfs": None, "graph_score": (1, 1)}
        known |= {"mifs": (1, 1), "cife": (1, 1), "mrmr": (max(1, k - 1), 2), "jmi": (max(1, k - 1), 1)}
        demand(objective in known, f"objective: {objective!r:.40} is not known")
        a, b = (weights := known[objective]) or (0, 0)
        told = take("objective_per_feature", a), take("objective_per_pair", b)
        demand(told == (a, b), "objective_per_feature, objective_per_pair: do not fit the objective")
        demand(aggregate in (0, "sum", "min"), f"aggregate: {aggregate!r:.40} is not known")
        demand(objective not in ("mrmr", "jmi") or len(sizes) == 1, f"{objective}: has sets of one size")
        columns = [list(column) for column in zip(*redundancy, strict=True)]
        regular = columns == redundancy and not any(row[j] for j, row in enumerate(columns))
        regular = regular and len(columns) == (n if redundancy or weights != (1, 0) else 0)
        demand(regular, "pairs: must be symmetric with a zero diagonal, for all features")
        demand(weights or min(*quality, *map(min, redundancy)) >= 0, "cfs: its numbers must not be negative")
        most = integer("max_shared", take("max_shared"), 0, k)
        scale = integer("scale", int(scale), 1) if weights is None else 1
        asked = integer("n_sets", take("n_sets"), 1, 10**4), sizes, most, weights, aggregate or "sum", scale
        previous, rows = take("previous", [], 2), read_rows(take, n, sizes)
        relatives = [members("relatives", pair, n) for pair in take("relatives", [], 2)]
        demand(not relatives or len(sizes) == 1, "relatives: are for sets of one size")
        work, near = Work(SECONDS * WORK_A_SECOND, MOST_ROOM // 4), dict[int, set[int]]()
        for pair in relatives:
            for j in pair:
                near.setdefault(j, set()).update(pair)
        for i, s in enumerate(members("previous", s, n) for s in previous):
            whole = {*s}.union(*(near.get(j, ()) for j in s)) if len(s) <= k else {*s}  # as for a claim
            work.spend(sum(len(near.get(j, ())) for j in s), 100 * (len(whole) - len(s)))
            rows[f"previous_{i}"] = (dict.fromkeys(sorted(whole), -1), -most)
        problem = cls(quality, redundancy, *asked, take("min_quality"), rows, relatives)
        demand(not fields, f"instance: {[*fields]!r:.60} is not known, it could restrict the sets")
        return problem

    def beside(self, previous: Set) -> "Instance":
        """Return the problem with one previous set more; a larger one has its relatives already."""
        if len(previous) <= self.sizes[-1]:
            near = {j for pair in self.relatives if not set(previous).isdisjoint(pair) for j in pair}
            previous = tuple(sorted(near.union(previous)))
        name = f"previous_{sum(row.startswith('previous_') for row in self.rows)}"
        return replace(self, rows=self.rows | {name: (dict.fromkeys(previous, -1), -self.max_shared)})

    @property
    def hash(self) -> str:
        """The same for all files that ask the same, whatever names and units they have."""
        told = {name: given for name, given in vars(self).items() if given or name != "relatives"}
        told["max_overlap"] = told.pop("max_shared")  # its name when the first certificates were written
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=list).encode()).hexdigest()

    def value(self, s: Set) -> int:
        """Return the value of a set; for CFS ⌊√(scale · A² / D)⌋, A = Σ q and D = scale · k + Σ_{i≠j} r."""
        relevance = sum(self.quality[j] for j in s)
        pairs = 0 if self.weights == (1, 0) else sum(self.redundancy[i][j] for i, j in combinations(s, 2))
        if self.weights is None:
            return isqrt(self.scale * relevance**2 // (self.scale * len(s) + 2 * pairs))
        return self.weights[0] * relevance - self.weights[1] * pairs

    def fault(self, s: Set) -> str:
        """Return which row a set violates, or nothing."""
        rows = (name for name, (terms, b) in self.rows.items() if sum(terms.get(j, 0) for j in s) < b)
        too_low = self.min_quality is not None and self.value(s) < self.min_quality
        return next(rows, "min_quality" if too_low else "")

    def total(self, sets: list[Set]) -> int:
        """Return the objective of a solution; refuse what is none."""
        demand(len(sets) == self.n_sets, f"sets: {len(sets)} are given, {self.n_sets} are requested")
        for s in sets:
            demand(not (row := self.fault(s)), f"sets: {list(s)} violates {row}")
        bits = [sum(1 << j for j in s) for s in sets]
        shared = ((s & t).bit_count() for s, t in combinations(bits, 2))
        demand(max(shared, default=0) <= self.max_shared, "sets: two of them share too much")
        return (sum if self.aggregate == "sum" else min)(self.value(s) for s in sets)


def count_rows(problem: Instance, goal: int | None) -> dict[str, CountRow]:
    """Return what holds for the counts of a solution that reaches the goal; c_j sets hold feature j.

    A row of every set is summed over the L sets. `better`: so are the values, to the goal, or L times it for
    the least value. `shared`: pairs of sets share Σ C(c_j, 2) features; each pair shares at most m.
    `exchange_j`: c_i ≥ c_j, where q_i ≥ q_j, and i and j have the same coefficients in all rows. *Lemma.* If
    a solution reaches the goal, one with these rows does. *Proof.* Where c_i < c_j exchange i and j in all
    sets: all other rows still hold, and the sum grows by (q_i − q_j)(c_j − c_i) ≥ 0. It comes to an end, as
    the counts, c_i before c_j, grow lexicographically. Values that each set must have are left out.
    """
    count, times = problem.n_sets, 1 if problem.aggregate == "sum" else problem.n_sets
    found = {name: (terms, 0, count * b) for name, (terms, b) in problem.rows.items()}
    if problem.weights == (1, 0) and goal is not None:
        found["better"] = (dict(enumerate(problem.quality)), 0, goal * times)
    if problem.min_quality is None and (goal is None or ("better" in found and times == 1)):
        told = [list[tuple[str, int]]() for _ in problem.quality]
        for name, j, c in ((name, *term) for name, row in problem.rows.items() for term in row[0].items()):
            told[j].append((name, c))
        order = sorted(range(len(told)), key=lambda j: (told[j], -problem.quality[j]))
        found |= {f"exchange_{j}": ({i: 1, j: -1}, 0, 0) for i, j in pairwise(order) if told[i] == told[j]}
    return found | {"shared": ({}, 1, -problem.max_shared * comb(count, 2))}


def branches(box: Box, feature: int, value: int) -> tuple[Box, Box]:
    """Return the boxes with c_j < value and with c_j ≥ value."""
    low, high = box[0][:], box[1][:]
    low[feature], high[feature] = max(low[feature], value), min(high[feature], value - 1)
    return (box[0], high), (low, box[1])


def contradicts(rows: dict[str, CountRow], multipliers: dict[str, int], box: Box) -> bool:
    """Return whether no counts in the box satisfy the sum of rows times multipliers ≥ 0.

    It is Σ_j (a_j · c_j − s · C(c_j, 2)) ≥ b; as c_j = v adds a_j − s · (v − 1), which falls, each summand is
    largest at ⌊a_j / s⌋ + 1, or at the nearest end of the box.
    """
    a, s, b = [0] * len(box[0]), 0, 0
    for name, factor in multipliers.items():
        integer(f"tree: multiplier of {name}", factor, 0)
        terms, shared, bound = rows[name]
        s, b = s + factor * shared, b + factor * bound
        for j, c in terms.items():
            a[j] += factor * c
    for slope, low, high in zip(a, *box, strict=True):
        best = min(high, max(low, slope // s + 1 if s else high if slope > 0 else low))
        b -= slope * best - s * comb(best, 2)
    return b > 0 or any(low > high for low, high in zip(*box, strict=True))


def refute_by_tree(rule: str, problem: Instance, goal: int | None, lines: Iterator[Any], work: Work) -> int:
    """Walk through a tree of boxes in preorder, refute every leaf, and return how many there are.

    A list ``[j, v]`` is a branch: first comes the box with c_j < v, then that with c_j ≥ v. An object is a
    leaf of multipliers of rows; in `counts`, "impossible" says that no sets have the least counts of the box.
    """
    n, leaves, rows = len(problem.quality), 0, count_rows(problem, goal)
    boxes = [([0] * n, [problem.n_sets] * n)]
    while boxes:
        work.spend(n * len(boxes))
        box, node = boxes.pop(), next(lines)
        work.spend(n, 16 * n if isinstance(node, list) else -16 * n)  # a branch leaves one box more
        if isinstance(node, list):
            feature, value = integers("tree: branch", node)
            boxes += reversed(branches(box, integer("tree: feature", feature, 0, n - 1), value))
            continue
        leaves += 1
        replayed = node == "impossible" and rule == "counts"
        work.spend(0 if replayed else sum(len(rows[name][0]) for name in node))
        refuted = not is_realisable(problem, box[0], work) if replayed else contradicts(rows, node, box)
        demand(refuted, f"{rule}: leaf {leaves} is not a contradiction")
    return leaves


def is_realisable(problem: Instance, counts: list[int], work: Work) -> bool:
    """Return whether L sets of at most k features that pairwise share at most m can have these counts.

    *Lemma.* If not, no solution has counts that are all at least as large. *Proof.* Take features out of its
    sets: these get no larger, and share no more. A table of features (the most frequent first) and sets is
    filled row by row. To exchange sets, or features of one count, changes nothing: of such tables the largest
    gives each feature to the first of sets that agree so far, and has rows of one count in falling order.
    """
    wanted = sorted((c for c in counts if c), reverse=True)
    size, most = problem.sizes[-1], problem.max_shared

    def fill(feature: int, sets: list[int], last: Set) -> bool:
        if feature == len(wanted):
            return True
        work.spend(len(wanted) + len(sets))
        usable = [i for i, s in enumerate(sets) if s.bit_count() < size]
        if sum(size - s.bit_count() for s in sets) < sum(wanted[feature:]):
            return False
        for chosen in combinations(usable, wanted[feature]):
            work.spend(20 + len(sets) + len(chosen) ** 2)
            falls = chosen >= last or wanted[feature] != wanted[feature - 1]
            leads = falls and all(not i or i - 1 in chosen or sets[i] != sets[i - 1] for i in chosen)
            if leads and all((sets[i] & sets[j]).bit_count() < most for i, j in combinations(chosen, 2)):
                more = [s | (i in chosen) << feature for i, s in enumerate(sets)]
                if fill(feature + 1, more, chosen):
                    return True
        return False

    return fill(0, [0] * problem.n_sets, ())


def pair_weights(problem: Instance, k: int, least: int | None, work: Work) -> tuple[Any, ...]:
    """Return G such that a set of k features is worth at least V only if its pairs weigh G, and the weights.

    *Lemma.* For k > 1, Σ a_i + Σ p_ij ≥ c just if W(S) = Σ e_ij ≥ (k − 1)·c, over the pairs i < j of the set,
    with e_ij = a_i + a_j + (k − 1)·p_ij. *Proof.* Each feature is in k − 1 pairs. Values a · Σ q − b · Σ r
    are of this kind; so is ⌊√(scale·A² / D)⌋ ≥ V > 0, that is scale·A² − V²·D ≥ 0, with A² = Σ q_i² + 2·Σ
    q_i·q_j and D = scale·k + 2·Σ r_ij. Where any set will do, nothing weighs anything. Then follow features
    by falling a_i (their places), these −a_i, the largest (k − 1)·p_ij, and the weights to place x, row(x).
    """
    (a, b), quality, scale, products = problem.weights or (1, 0), problem.quality, problem.scale, 0
    single = [a * q for q in quality]
    if least is None or (problem.weights is None and least <= 0):
        single, b, least = [0] * len(quality), 0, 0
    elif problem.weights is None:
        single, b, products = [scale * q * q for q in quality], 2 * least**2, 2 * scale
        least = least**2 * scale * k
    b, products = (k - 1) * b, (k - 1) * products
    redundancy = problem.redundancy if b else [[0] * len(quality)] * len(quality)
    work.spend(len(quality) * (len(quality) if b else 20))
    order = sorted(range(len(single)), key=lambda j: -single[j])

    @lru_cache(len(order) if b else max(k, MOST_NUMBERS // len(order)))  # b: the file has as many numbers
    def row(x: int) -> list[int]:
        work.spend(len(order))
        i, q = order[x], products * quality[order[x]]
        found = [single[i] + single[j] + q * quality[j] - b * redundancy[i][j] for j in order]
        found[x] = -(10**99)  # so that no place is taken twice
        return found

    lowest = min(map(min, redundancy)) if b else 0
    most_pair = products * max(q * q for q in quality) - b * lowest
    return (k - 1) * least, order, [-single[j] for j in order], most_pair, row


def heavy_sets(problem: Instance, k: int, least: int | None, work: Work) -> list[Set]:
    """Return sets, among them all of k features whose weights add up to the goal G.

    *Chains.* A set with W(S) ≥ G has S = S_k ⊃ S_{k−1} ⊃ … ⊃ S_1, each the one before without its weakest
    feature (of least weight to the others; of several, the one in the largest place), and **W(S_m) ≥ G · m(m
    − 1) / (k(k − 1))**. *Proof.* The weights of the features of S_m to the others add up to 2·W(S_m), so the
    least is at most 2·W(S_m)/m, and W(S_{m−1}) ≥ W(S_m)·(m − 2)/m, whatever the signs. So S is met, once, by
    adding to single features, in every way, the weakest of what results where that is heavy enough, and, as S
    is, within the rows with coefficients −1 only. As y weighs at most m·(a_y + p) + Σ_T a to T of m features,
    with p the largest (k − 1)·p_ij, only places of large a_y have to be looked at.
    """
    goal, order, falling, most_pair, row = pair_weights(problem, k, least, work)
    need = [-(-m * (m - 1) * goal // max(1, k * (k - 1))) for m in range(k + 1)]
    found: list[Set] = []
    within = [row for name, row in problem.rows.items() if name != "size_high" and {*row[0].values()} == {-1}]
    limits, n = [list[tuple[int, int]]() for _ in order], len(order)
    for terms, b in within:
        work.spend(len(problem.rows) + len(terms) * (1 + n // 500), n // 7)
        among = sum(1 << i for i in terms), -b
        for j in terms:
            limits[j].append(among)

    def grow(chosen: list[int], bits: int, degrees: list[int], weight: int, known: list[int]) -> None:
        if (size := len(chosen)) == k:
            work.spend(1000 + k * (k + len(problem.rows)), 300 + 8 * k + n // 7)  # and what the pool takes
            found.append(tuple(sorted(order[x] for x in chosen)))
            return
        room = need[size + 1] - weight
        end = bisect_right(falling, (-room - sum(falling[x] for x in chosen)) // size + most_pair)
        work.spend(20 + size * end // 4, 40 * end)  # given back below
        sums, more = (known[:end], chosen[-1:]) if end <= len(known) else (row(chosen[0])[:end], chosen[1:])
        for x in more:
            sums = list(map(add, sums, row(x)))
        for y in [y for y, own in enumerate(sums) if own >= room]:
            own, to = sums[y], row(y)
            work.spend(size + len(limits[order[y]]))
            beside = [d + to[x] for d, x in zip(degrees, chosen, strict=True)]
            weakest = all((own, x) < (d, y) for d, x in zip(beside, chosen, strict=True))
            if weakest and all((bits & among).bit_count() < most for among, most in limits[order[y]]):
                grow([*chosen, y], bits | 1 << order[y], [*beside, own], weight + own, sums)
        work.spend(0, -40 * end)

    for x, j in enumerate(order):
        if all(most > 0 for _, most in limits[j]):
            grow([x], 1 << j, [0], 0, [])
    return found


def refute_by_listing(sums: Any, problem: Instance, goal: int | None, work: Work) -> int:
    """List the sets that a solution can consist of, and look for compatible ones; return how many there are.

    For the least value, or if any solution is refuted, these are all that reach the goal. For the sum, let no
    l compatible sets add up to more than u_l, from u_0 = 0 on. *Lemma.* Of l sets that do, each is worth at
    least u_l + 1 − u_{l−1}, as the others add up to at most u_{l−1}. So u_1, …, u_{L−1} (the `sums` of the
    claim) and u_L = goal − 1 follow one by one from such sets, if the others have what the first lacks.
    """
    count, value, by_sum, most = problem.n_sets, problem.value, 0, [0] * (problem.n_sets + 1)
    if goal is not None and problem.aggregate == "sum":
        by_sum, most = 1, [0, *integers("sums", sums), goal - 1]
        goal = min(u + 1 - before for before, u in pairwise(most))
        demand(len(most) == count + 1, f"sums: must be {count - 1}")
    sets = (s for k in problem.sizes for s in heavy_sets(problem, k, goal, work) if not problem.fault(s))
    pool = sorted(((value(s), s) for s in sets if goal is None or value(s) >= goal), reverse=True)
    values, bits = [worth * by_sum for worth, _ in pool], [sum(1 << j for j in s) for _, s in pool]

    @cache
    def after(i: int) -> int:
        """Return, as bits, which sets from i on are compatible with set i; for large m, set i itself is."""
        work.spend(10 * (len(pool) - i), 50 + len(pool) // 7)
        shared = ((bits[i] & s).bit_count() for s in bits[i:])
        return sum(1 << t for t, common in enumerate(shared, start=i) if common <= problem.max_shared)

    def packed(number: int, left: int, missing: int) -> list[Set] | None:
        """Return this number of the sets left, the most valuable first, that are worth what is missing."""
        while number and left:
            i = (left & -left).bit_length() - 1
            if missing > min(number * values[i], values[i] + most[number - 1]):
                return None
            work.spend(20 + len(pool) // 64)
            if (others := packed(number - 1, left & after(i), missing - values[i])) is not None:
                return [pool[i][1], *others]
            left ^= 1 << i
        return None if number else []

    for number in range(1 if by_sum else count, count + 1):
        found = packed(number, (1 << len(pool)) - 1, most[number] + by_sum)
        demand(found is None, f"claim: {found!s:.80} are worth more, or are allowed")
    return len(pool)


@refusing("certificate")
def check(certificate: str, problem: Instance, limit: int = SECONDS * WORK_A_SECOND) -> list[tuple[str, str]]:
    """Return what each claim says and by what it stands, "" if it claims no proof, or raise RefusedError."""
    lines, work, found = map(parsed, certificate.splitlines()), Work(limit), list[tuple[str, str]]()
    head = next(lines)
    demand(head["format"] == FORMAT, f"line 1: does not say that this is a {FORMAT}")
    demand(head["instance"] == problem.hash, "line 1: the certificate is for another instance")
    one = replace(problem, n_sets=1, aggregate="sum")
    demand(head["search"] == "sequential" or not problem.relatives, "relatives: are for sequential search")
    problem, left = {"sequential": (one, problem.n_sets), "simultaneous": (problem, 1)}[head["search"]]
    for claim in lines:
        demand(left, "claims: there are lines that belong to none")
        found.append(verdict(claim, problem, lines, work))
        left = 0 if claim["claim"] in ENDS else left - 1
        if left:
            work.spend(2 * len(problem.rows) + 3 * len(problem.relatives), 100 * len(problem.quality))
            problem = problem.beside(tuple(integers("sets", claim["sets"], 2)[0]))
    demand(not left, f"claims: {left} are missing at the end")
    return found


@refusing("claim")
def verdict(claim: dict[str, Any], problem: Instance, lines: Iterator[Any], work: Work) -> tuple[str, str]:
    """Return what a claim says and by what it stands; raise RefusedError if it does not."""
    kind, rule, goal = claim["claim"], claim.get("rule"), None
    told = ENDS.get(kind)
    if kind in ENDS:  # `of` may be fewer sets, as any solution contains this many
        problem = replace(problem, n_sets=integer("of", claim.get("of", problem.n_sets), 1, problem.n_sets))
    else:
        demand(kind in ("optimum", "bound", "feasible"), f"claim: {kind!r:.40} is not known")
        sets = [members("sets", s, len(problem.quality)) for s in claim["sets"]]
        work.spend(2 * len(sets) ** 2 + (3 + sum(map(len, sets))) * len(problem.rows))
        total, value = problem.total(sets), integer("value", claim["value"])
        demand(value == total or (value > total and kind == "bound"), f"value: {value} told, {total} found")
        goal, told = value + 1, f"sets with {total}" + f", at most {value} is possible" * (kind == "bound")
    if kind in ("feasible", "open"):
        by = ""
    elif rule in ("tree", "counts"):
        by = f"{rule}, {refute_by_tree(rule, problem, goal, lines, work)} leaves"
    else:
        demand(rule in ("chain", "packing"), f"rule: {rule!r:.40} is not known")
        by = f"{rule}, replayed, {refute_by_listing(claim.get('sums', []), problem, goal, work)} sets"
    return f"{kind}: {told}", by


@refusing("file")
def read(path: str, most: int) -> str:
    """Return the text of a file that is not too large."""
    with open(0 if path == "-" else path, "rb") as file:
        content = file.read(most + 1)
    demand(len(content) <= most, f"{path}: is larger than {most} bytes")
    return content.decode("utf-8-sig")


def main(arguments: list[str]) -> int:
    """Check a file, say what stands, and return 0 if all is certified, 4 if not, 1 if any is refused."""
    if len(arguments) not in (2, 3) or not (seconds := [*arguments, str(SECONDS)][2]).isdecimal():
        print("usage: python checker.py CERTIFICATE INSTANCE [SECONDS]", file=sys.stderr)
        return 2
    try:
        problem = Instance.of(parsed(read(arguments[1], MOST_BYTES)))
        found = check(read(arguments[0], MOST_BYTES // 8), problem, int(seconds) * WORK_A_SECOND)
    except RefusedError as error:
        print(f"refused: {error}")
        return 1
    print(*(f"{told} ({f'certified by {by}' if by else 'not certified'})" for told, by in found), sep="\n")
    print(f"certified: {sum(bool(by) for _, by in found)} of {len(found)} claims")
    return 0 if all(by for _, by in found) else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
