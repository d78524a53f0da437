"""Proofs for VeriPB: a tree of rows as a derivation from the literal model in OPB.

The formula is what `opb_text(problem, "literal")` writes, its objective included, so
a proof rests on that file and on VeriPB only. The rows of pair counting are derived within the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from pyfsel.backends.by_model import model_of
from pyfsel.certificates.tree import GivenUpError, TreeMaker
from pyfsel.checker import Box, CountRow, RefusedError, branches, count_rows
from pyfsel.checker import Instance as Asked
from pyfsel.drivers.sat.opb import pseudo_boolean
from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status
from pyfsel.results.control import LITERAL, Limits
from pyfsel.results.result import Result

HEAD = "pseudo-Boolean proof version 1.2"
TAKES = (
    "veripb: takes proved optima of sums of qualities, of one set or of several with search='sum'. Try: a "
    "certificate without .pbp"
)


def veripb_proof(result: Result, time_limit: float | None = 60.0) -> str:
    """Return a proof in VeriPB's format 1.2 that a result is optimal, or that there is none.

    Parameters
    ----------
    result : Result
        Of one set, or of several at once, with the sum of qualities as objective.
    time_limit : float, optional
        Seconds for finding a tree.

    Raises
    ------
    InputError
        If the result is not such a claim, or no tree whose rows are in the model was found in time.

    Examples
    --------
    >>> from pyfsel.solving.solve import solve
    >>> result = solve(Instance([3, 2, 1], n_sets=1, k=1, max_shared=1), "brute-force")
    >>> print(veripb_proof(result))
    pseudo-Boolean proof version 1.2
    f 2
    o x1 ~x2 ~x3
    p 2 2 * 3 +
    c 4
    <BLANKLINE>
    """
    problem = result.problem
    asked = asked_of(problem, result.search == "sequential")
    if result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        raise InputError(TAKES)
    goal = None if result.status is Status.INFEASIBLE else values.total(problem, result.sets) + 1
    rows = {name: r for name, r in count_rows(asked, goal).items() if not name.startswith("exchange")}
    if problem.max_shared >= problem.k:  # the model has no products then
        del rows["shared"]
    try:
        tree = list(TreeMaker(asked, rows, Limits.starting_now(time_limit, None)).nodes())
        return "".join(f"{line}\n" for line in Proof(problem, asked, rows, tree).lines(result.sets))
    except (GivenUpError, RefusedError, RecursionError) as reason:
        raise InputError(f"veripb: {reason}") from None


def asked_of(problem: Instance, in_turn: bool) -> Asked:
    """Return a problem as the checker reads it; raise `InputError` if none of its results has a proof."""
    has_sum = problem.n_sets == 1 or (problem.aggregate == "sum" and not in_turn)
    if not has_sum or not values.objective_of(problem).is_sum:
        raise InputError(TAKES)
    try:
        return Asked.of(problem.to_dict())
    except RefusedError as reason:
        raise InputError(f"veripb: {reason}") from None


class Proof:
    """The lines of a proof, as they are derived.

    Parameters
    ----------
    problem, asked : Instance
        As it is exported, and as the checker reads it.
    rows : mapping
        Those that the tree may use.
    tree : list
        Nodes of `pyfsel.checker.refute_by_tree` in preorder.
    """

    def __init__(self, problem: Instance, asked: Asked, rows: dict[str, CountRow], tree: list[Any]) -> None:
        self.asked, self.tree = asked, iter(tree)
        self.n, self.count = len(asked.quality), asked.n_sets
        self.rows = rows
        model = pseudo_boolean(model_of(problem, LITERAL, "cp"))
        self.x, self.n_variables = model.member, model.n
        self.known = dict[tuple[frozenset[tuple[int, int]], int], int]()
        self.products = dict[frozenset[int], tuple[int, int]]()
        self.last = 0
        for row in model.rows:
            for sign, least in row.sides:
                terms = {v: sign * c for v, c in row.terms.items()}
                self.last += 1
                self.known[frozenset(terms.items()), least] = self.last
                if sorted(terms.values()) == [-1, -1, 1] and least == -1:
                    factors = frozenset(v for v, c in terms.items() if c < 0)
                    self.products[factors] = self.last, next(v for v, c in terms.items() if c > 0)
        self.pairs = list(combinations(range(self.count), 2))
        self.tangents: dict[tuple[int, int, int], int] = {}
        self.uses: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.better = 0
        self.out = [HEAD, f"f {self.last}"]

    def lines(self, sets: tuple[tuple[int, ...], ...]) -> list[str]:
        """Return the whole proof; `sets` are the solution."""
        if "better" in self.rows:
            chosen = {self.x[i][j] for i, s in enumerate(sets) for j in s}
            chosen |= {t for pair, (_, t) in self.products.items() if pair <= chosen}
            told = (f"{'' if v in chosen else '~'}x{v}" for v in range(1, self.n_variables + 1))
            self.better = self._say(f"o {' '.join(told)}")
        self.out.append(f"c {self._below(([0] * self.n, [self.count] * self.n), [])}")
        return self.out

    def _say(self, line: str) -> int:
        self.out.append(line)
        self.last += 1
        return self.last

    def _below(self, box: Box, clause: list[str]) -> int:
        """Refute a box and return the clause that says so: of its literals, false in the box, one is true."""
        node = next(self.tree)
        if isinstance(node, list):
            feature, value = node
            _, _, literal = self._use(feature, value)
            less, more = branches(box, feature, value)
            self._below(less, [*clause, f"x{literal}"])
            self._below(more, [*clause, f"~x{literal}"])
        elif node == "impossible":
            raise GivenUpError("the tree has counts that are shown impossible by a replay")
        else:
            parts = chain.from_iterable(self._parts(node, box))
            weighted = [f"{number} {factor} *" if factor > 1 else f"{number}" for number, factor in parts]
            found = self._say(f"p {' '.join(weighted[:1] + [f'{part} +' for part in weighted[1:]])}")
            if not clause:
                return found
        return self._say(f"u {' '.join(f'1 {literal}' for literal in clause)} >= 1 ;")

    def _parts(self, multipliers: dict[str, int], box: Box) -> Iterator[list[tuple[int, int]]]:
        """Yield numbers of constraints with factors that add up to what contradicts the box.

        With s times the overlaps of all pairs, Σ_j (a_j · c_j − s · C(c_j, 2)) ≥ b. Of the tangents C(c, 2) ≥
        v·c − v(v + 1)/2 those at the best v and v + 1 cancel the counts or, at an end of the box, leave a
        multiple of c_j that the branch bounds.
        """
        slopes, shared = [0] * self.n, 0
        for name, factor in multipliers.items():
            terms, s, _ = self.rows[name]
            shared += factor * s
            for j, c in terms.items():
                slopes[j] += factor * c
            yield [(number, factor) for number in self._numbers(name)]
        for j, (slope, low, high) in enumerate(zip(slopes, *box, strict=True)):
            left = slope
            for v in {slope // shared, slope // shared + 1} if shared else ():
                at = min(max(v, low), high - 1, self.count - 1)
                times = slope % shared if v > slope // shared else shared - slope % shared
                if at >= 0 and times:
                    left -= times * at
                    yield [(number, times) for number in self._tangent(j, self.count, at)]
            if left > 0 and high < self.count:
                yield [(self._use(j, high + 1)[1], left)]
            elif left < 0 and low > 0:
                yield [(self._use(j, low)[0], -left)]

    def _numbers(self, name: str) -> list[int]:
        """Return the constraints of the model that add up to a row of the counts."""
        if name == "better":
            return [self.better]
        if name in self.asked.rows:
            terms, least = self.asked.rows[name]
            rows = [{x[j]: c for j, c in terms.items()} for x in self.x]
        else:
            least = -self.asked.max_shared
            rows = [{self._product(pair, j)[1]: -1 for j in range(self.n)} for pair in self.pairs]
        stated = [(frozenset(row.items()), least) for row in rows]
        if not self.known.keys() >= {*stated}:
            raise GivenUpError(f"the literal model states {name} in another way")
        return [self.known[row] for row in stated]

    def _product(self, pair: tuple[int, int], j: int) -> tuple[int, int]:
        """Return t ≥ x + x' − 1 for what two sets share, and t."""
        return self.products[frozenset(self.x[i][j] for i in pair)]

    def _use(self, j: int, v: int) -> tuple[int, int, int]:
        """Return what a new variable y ⇔ c_j ≥ v is defined by, c_j ≥ v if y, else c_j ≤ v − 1, and y."""
        if (j, v) not in self.uses:
            self.n_variables += 1
            y, over = self.n_variables, self.count - v + 1
            least, most = (" ".join(f"1 {sign}x{row[j]}" for row in self.x) for sign in ("", "~"))
            self.uses[j, v] = (
                self._say(f"red {v} ~x{y} {least} >= {v} ; x{y} 0"),
                self._say(f"red {over} x{y} {most} >= {over} ; x{y} 1"),
                y,
            )
        return self.uses[j, v]

    def _tangent(self, j: int, sets: int, v: int) -> list[int]:
        """Return the constraint Σ t ≥ v · Σ x − v(v + 1)/2 over the first sets and their pairs.

        *Proof*, by the number l of sets, for v < l; none is needed for v = 0. For v = l − 1 add up the
        products. Else, without x_l it is the constraint of l − 1 sets; with x_l, of l − 1 sets and v − 1, as
        x_l shares with each of them what they use.
        """
        if v == 0:
            return []
        if (j, sets, v) not in self.tangents:
            newest = [self._product((i, sets - 1), j)[0] for i in range(sets - 1)]
            with_last = [*newest, *self._tangent(j, sets - 1, v - 1)]
            if v == sets - 1:
                text = " ".join([f"{with_last[0]}", *(f"{number} +" for number in with_last[1:])])
                self.tangents[j, sets, v] = self._say(f"p {text}")
            else:
                without_last = self._tangent(j, sets - 1, v)
                terms = [f"1 x{self._product(pair, j)[1]}" for pair in combinations(range(sets), 2)]
                terms += [f"{-v} x{self.x[i][j]}" for i in range(sets)]
                negated = self._say(f"red {' '.join(terms)} >= {-v * (v + 1) // 2} ; ; begin")
                self.last = self._say(" proofgoal #1")
                for numbers in (without_last, with_last):
                    self._say(f" p {negated} {' '.join(f'{number} +' for number in numbers)}".rstrip())
                self.out.append(f" c {self._say(' u >= 1 ;')}")
                self.out += [" end"]
                self.tangents[j, sets, v] = self._say("end")
        return [self.tangents[j, sets, v]]
