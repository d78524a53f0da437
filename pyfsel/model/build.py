"""From a problem to its model: literally as paper 000 states it, or strengthened to suit a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from pyfsel.errors import InputError
from pyfsel.model.model import SetValue, ZeroOneModel, added, terms_of
from pyfsel.model.strengthening import (
    count_uses,
    counts_are_limited,
    counts_are_ordered,
    order_counts,
    order_sets,
    pair_capacity,
    tie_pairs,
)
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import side_rows
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.values import (
    by_quality,
    conflict_matrix,
    kinds_of,
    objective_of,
    on_pairs,
    overlap_price,
    similarity_of,
    weighted,
)

KINDS = (ObjectiveKind.SUMS, ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS, ObjectiveKind.MAXIMA)
"""The kinds of objectives that have a model; fractions (CFS) are solved by steps of those on pairs."""


@dataclass(frozen=True)
class Style:
    """What a model states in addition to the problem; without any of it the model is the literal one.

    Parameters
    ----------
    implied : bool
        Whether pairs in sets of one size are tied to features by sums of rows, with the features' weights
        moved onto pairs, and sets that need more overlap than is allowed are refuted by counting.
    reduced : bool
        Whether it may cut off some optima: products are bounded on the side only on which the objective pulls
        them, disjoint sets are clauses without products, better ones of interchangeable features are used at
        least as often, and sets are in lexicographic order.
    counts : bool
        Whether there are variables for how often each feature is used, in unary, and
        ``Σ_j C(count_j, 2)`` is limited by what all pairs of sets may share.
    mean : bool
        Whether it is a row that the minimum is at most the mean.
    shifted : bool
        Whether weights of sets of one size are moved such that the smallest is 0.
    """

    implied: bool = False
    reduced: bool = False
    counts: bool = False
    mean: bool = False
    shifted: bool = False


LITERAL = Style()
"""Sets as in Eq. 21 and 22 of paper 000, products by Eq. 6, conflicts by Eq. 12, nothing else."""
OPEN = Style(implied=True, counts=True, mean=True)
"""For models to which users add constraints: only what follows from the problem, and products exact."""


def style_for(problem: Instance, family: str) -> Style:
    """Return the style that pays for a family of solvers, as measured by leaving out one part at a time.

    Counts pay if features differ in quality only, and next to conflicts if there are more uses than
    features: without them no solver proves the six sets of letter by FCBF in 20 s, with them each in 0.1 to
    3 s (`instances/paper-000`). CP-SAT needs them for sums and takes three times as long with them for the
    minimum. A row for the mean makes linear
    relaxations of pairs no stronger; of plain qualities it is short, and HiGHS needs 0.7 of the time with it
    (five minima of six sets). Limits on the uses of the t best features, and rows of cliques of conflicts,
    pay nowhere: they are not stated. Weights from 0 are small for those who add in binary; of pairs they are
    far from the optimum, and branch and cut is quicker with the weights themselves.

    Parameters
    ----------
    problem : Instance
    family : {"cp", "lp", "sat"}
        Propagation with learning (CP-SAT, Exact), branch and cut (MIP), core-guided search (RC2).
    """
    is_sum = objective_of(problem).is_sum
    plain = is_sum and not problem.has_conflicts
    counts = plain or (is_sum and problem.n_sets * problem.k > problem.n_features)
    return Style(
        implied=True,
        reduced=True,
        counts=counts and (family != "cp" or problem.aggregate == "sum"),
        mean=plain or family != "lp",
        shifted=is_sum or family != "lp",
    )


def build(problem: Instance, style: Style = LITERAL) -> ZeroOneModel:
    """Return the model of all sets of a problem at once.

    Its optimum is the largest integer objective, and every solution of it stands for sets that satisfy the
    problem. The strengthened styles may cut off some optima, but not all.

    Raises
    ------
    InputError
        If the objective has no 0/1 model.

    Examples
    --------
    >>> model = build(Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2))
    >>> model.weights, model.constant, [(row.terms, row.low, row.high) for row in model.rows]
    ({1: 3, 2: 2, 3: 1}, 0, [({1: 1, 2: 1, 3: 1}, 2, 2)])
    """
    if kinds_of(problem).isdisjoint(KINDS):
        raise InputError(f"objective {problem.objective} has no 0/1 model")
    m = ZeroOneModel()
    m.member = [[m.new("x", i, j) for j in range(problem.n_features)] for i in range(problem.n_sets)]
    shared: list[int] = []
    for row in m.member:
        _add_set(m, problem, row)
        for previous in problem.previous:
            known = [row[j] for j in previous]
            _add_overlap(m, problem, known, [row], len(previous))
            shared += known
    matters = problem.max_shared < problem.k or problem.shared_weight is not None or problem.shared_price > 0
    for one, other in combinations(m.member, 2) if matters or style == LITERAL else ():
        shared += _add_pair_of_sets(m, problem, one, other, style)
    m.values = [_value(m, problem, row, style) for row in m.member]
    if problem.min_quality is not None:
        for value in m.values:
            m.row(terms_of(value.terms), problem.min_quality - value.constant, None, "least")
    if style != LITERAL and _needs_too_many_uses(problem):
        m.clause()
    _add_objective(m, problem, style, _strengthen(m, problem, style))
    if problem.shared_price:
        m.reward((-overlap_price(problem), x) for x in shared)
    largest = problem.largest_total
    of_one = problem.replace(n_sets=1, aggregate="sum", shared_price=0).largest_total
    m.limits, m.value_limits = (-largest, largest), (-of_one, of_one)
    return m


def _add_set(m: ZeroOneModel, problem: Instance, row: list[int]) -> None:
    """Add what a set must satisfy by itself."""
    m.row([(1, x) for x in row], problem.sizes[0], problem.k, "size")
    for a, b in problem.conflicts.tolist():
        m.clause(-row[a], -row[b])
    for side in side_rows(problem):
        terms = [(c, row[j]) for c, j in zip(side.coefficients, side.features, strict=True)]
        m.row(terms, side.low, side.high, "side")


def _add_pair_of_sets(
    m: ZeroOneModel, problem: Instance, one: list[int], other: list[int], style: Style
) -> list[int]:
    """Bound the overlap of two sets by products (paper 000, Eq. 6 and 8), and return these."""
    disjoint = problem.max_shared == 0 and style.reduced
    both: list[int] = []
    for a, b in zip(one, other, strict=True):
        if disjoint:
            m.clause(-a, -b)
        else:
            both.append(m.product(a, b, -1 if style.reduced else 0))
    _add_overlap(m, problem, both, [one, other])
    return both


def _add_overlap(
    m: ZeroOneModel, problem: Instance, shared: list[int], rows: Sequence[list[int]], known: int = 0
) -> None:
    """Bound what two sets share, as `dissimilarity.shared_limit` does, for sizes that are not known.

    The row in proportion to sizes stays if nothing is shared: it may forbid two small sets.

    Parameters
    ----------
    shared : list of variables
    rows : sequence of lists of variables
        The memberships of one or two sets that are not known.
    known : int
        The size of the other set if there is one only.
    """
    if shared:
        m.row([(1, x) for x in shared], None, problem.max_shared, "overlap")
    if problem.shared_weight is None or problem.size_weight is None:
        return
    times = problem.size_weight * (1 + problem.shared_by_smaller)  # of the smaller size twice
    used = [(problem.shared_weight, x) for x in shared]
    sizes = [[(-times, x) for x in row] for row in rows]
    limit = problem.shared_constant
    if not problem.shared_by_smaller:
        m.row([*used, *(term for size in sizes for term in size)], None, limit + times * known, "sizes")
        return
    for size in sizes:
        m.row([*used, *size], None, limit, "sizes")
    if known:
        m.row(used, None, limit + times * known, "sizes")


def _value(m: ZeroOneModel, problem: Instance, row: list[int], style: Style) -> SetValue:
    """Return the value of a set, with the variables that it takes."""
    objective = objective_of(problem)
    if ObjectiveKind.MAXIMA in kinds_of(problem):
        return _represented(m, problem, row)
    if objective.is_sum or problem.k == 1:
        weights = objective.weights(problem.k)[0] * problem.quality
        return _shifted(dict(zip(row, weights.tolist(), strict=True)), problem, problem.k, style)
    if style.implied and not problem.has_size_range:
        return _weight_of_subgraph(m, problem, row, style)
    features, pairs = weighted(problem)
    terms = {x: int(q) for x, q in zip(row, features, strict=True)}
    exact = not style.reduced or problem.aggregate == "difference"
    for i, j in zip(*np.nonzero(np.triu(pairs)), strict=True):
        sign = 0 if exact else int(-np.sign(pairs[i, j]))
        terms[m.product(row[i], row[j], sign)] = int(-pairs[i, j])
    return SetValue(terms)


def _weight_of_subgraph(m: ZeroOneModel, problem: Instance, row: list[int], style: Style) -> SetValue:
    """Return the value of a set as the weight of a subgraph on k vertices, as far as its weights allow."""
    features, pairs = on_pairs(problem)
    apart = conflict_matrix(problem)
    together = [ends for ends in combinations(range(len(row)), 2) if not apart[ends]]
    both = {(i, j): m.product(row[i], row[j], -1) for i, j in together}
    tie_pairs(m, row, both, problem.k)
    alone = _shifted(dict(zip(row, features.tolist(), strict=True)), problem, problem.k, style)
    weights = {both[ends]: int(pairs[ends]) for ends in both}
    value = _shifted(weights, problem, comb(problem.k, 2), style)
    return SetValue(alone.terms | value.terms, alone.constant + value.constant)


def _shifted(terms: dict[int, int], problem: Instance, n_true: int, style: Style) -> SetValue:
    """Return a sum, moved such that its smallest coefficient is 0 if the style and a known size say so."""
    if problem.has_size_range or not style.shifted:
        return SetValue(terms)
    least = min(terms.values(), default=0)
    return SetValue({x: c - least for x, c in terms.items() if c != least}, least * n_true)


def _represented(m: ZeroOneModel, problem: Instance, row: list[int]) -> SetValue:
    """Return how well a set represents all columns: each by one of its features, the best if maximised."""
    terms: dict[int, int] = {}
    for column, similarities in enumerate(similarity_of(problem).tolist()):
        stands = [m.new("stands", column, x) for x in row]
        m.row([(1, y) for y in stands], 1, 1, "stands")
        for y, x in zip(stands, row, strict=True):
            m.clause(-y, x)
        terms.update(zip(stands, similarities, strict=True))
    return SetValue(terms)


def _needs_too_many_uses(problem: Instance) -> bool:
    """Return whether pair counting alone shows that no such sets exist.

    However features are used, ``Σ_j C(count_j, 2)`` is smallest if all are used about equally often.
    """
    each, more = divmod(problem.n_sets * problem.sizes[0], problem.n_features)
    fewest = (problem.n_features - more) * comb(each, 2) + more * comb(each + 1, 2)
    return fewest > pair_capacity(problem)


def _strengthen(m: ZeroOneModel, problem: Instance, style: Style) -> list[list[int]] | None:
    """Add what follows or keeps an optimum; return the counts in unary if there are any."""
    counts = _add_counts(m, problem) if style.counts and counts_are_limited(problem) else None
    at_least = counts
    if at_least is None and problem.n_sets == 1:
        at_least = [[x] for x in m.member[0]]
    if style.reduced:
        if at_least is not None and counts_are_ordered(problem):
            order_counts(m, problem, at_least)
        order_sets(m, problem)
    return counts


def _add_counts(m: ZeroOneModel, problem: Instance) -> list[list[int]]:
    """Add how often features are used, ``at_least[j][v]``: feature j is in more than v sets; and limits."""
    s, uses = problem.n_sets, problem.n_sets * problem.k
    at_least = [[m.new("u", j, v) for v in range(1, s + 1)] for j in range(problem.n_features)]
    m.chains += at_least
    count_uses(m, at_least)
    shared = [(v, x) for chain in at_least for v, x in enumerate(chain)]
    m.row(shared, None, pair_capacity(problem), "capacity")
    m.row([(1, x) for j in by_quality(problem) for x in at_least[j]], uses, uses, "uses")
    return at_least


def _add_objective(m: ZeroOneModel, problem: Instance, style: Style, counts: list[list[int]] | None) -> None:
    """Add the objective over the values of the sets, of sums by counts if there are any."""
    of_sum, m.of_min, m.of_max = problem.aggregate_weights
    m.mean = style.mean
    if counts is not None and objective_of(problem).is_sum:
        uses = [(int(problem.quality[j]), x) for j, chain in enumerate(counts) for x in chain]
        m.total = SetValue(added(uses))
    else:
        terms = added(*(terms_of(value.terms) for value in m.values))
        m.total = SetValue(terms, sum(value.constant for value in m.values))
    if of_sum:
        m.reward(terms_of(m.total.terms, of_sum))
        m.constant += of_sum * m.total.constant
