"""The part of a problem with very many features that holds every optimum, given sets that are known.

A problem whose redundancies are computed on demand cannot be written for other solvers; this part can. Which
features it needs depends on the question. Let the value of a valid set S be v(S), and v₁ … v_s those of the
known sets, which are valid together.

One set. Every optimum is worth at least v₁: the features of all sets worth that are enough.

Several sets at once, minimum. In every optimum each set is worth at least min v_i.

Several sets at once, sum. Leave S out of an optimum: the s − 1 others are valid together, so that their sum
is at most a bound U that is proved for s − 1 sets, and ``v(S) ≥ Σ v_i − U``.

These three also hold if v is compared among more sets than are valid: conflicts, groups, budgets and least
qualities are disregarded where sets are listed and U is proved, which makes the part larger and not wrong.

One set after another. A step takes a best set beside those before it, and what the next steps find depends
on which of several best ones that is. So all of them are followed: the part has the features of all best sets
of all steps, and by induction each step finds in the part what it finds in the whole. Here the listed sets
must be the valid ones, so that nothing may be disregarded.

No assumption is made on signs of qualities, or on how many sets have the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.ksubgraph.pool import one_after_another
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance, instance_of
from pyfsel.algorithms.packing.pool import LARGEST_POOL
from pyfsel.backends.base import Backend
from pyfsel.errors import InputError, NoSolutionError, UnsupportedError
from pyfsel.problem import values
from pyfsel.problem.checks import one_of
from pyfsel.problem.objectives import SEARCHES, FeatureSet
from pyfsel.problem.overlap import shared_limit
from pyfsel.problem.problem import Problem, require_sum_or_min
from pyfsel.problem.wording import number_of
from pyfsel.reductions.restriction import Restriction, WithoutForbidden
from pyfsel.results.answer import unless_interrupted
from pyfsel.results.control import Control, Limits
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

MOST_FEATURES = 5000  # their matrix of 64-bit integers takes 200 MB
MOST_SEQUENCES = 100  # of equally good sets that are followed


def optimal_part(
    problem: Problem,
    incumbent: Result | Sequence[Iterable[int]],
    search: str | None = None,
    time_limit: float | None = None,
    random_state: int | None = None,
) -> Restriction:
    """Return the part of a problem with redundancies on demand that provably holds every optimum.

    Parameters
    ----------
    problem : Problem
        For mRMR, with `lazy_redundancy`.
    incumbent : Result or sequence of sets of int
        As many sets as the problem asks for; they are verified. The better they are, the smaller is the part,
        but for several sets better ones are looked for, and for one set after another it is the same for all.
    search : {"sequential", "simultaneous"}, optional
        Which optimum is meant, as for `pyfsel.solve`.
    time_limit : float, optional
        Seconds.
    random_state : int, optional

    Returns
    -------
    Restriction
        `problem`, with all redundancies in memory, which says in `part_of` what it is, and `kept`,
        the numbers of its features in the whole problem; `invert` and `apply_to_sets` translate sets.

    Raises
    ------
    InputError
        If redundancies are in memory already, or the known sets are not valid.
    NoSolutionError
        If the time is not enough, or the part would have more than 5,000 features.
    UnsupportedError
        If nothing is proved for such a question: one set after another with conflicts, groups, a budget, a
        least quality, or forbidden features in previous sets.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsel.measures.on_demand import Products
    >>> redundancies = Products(np.eye(6)[[0, 0, 1, 2, 3, 4]] * 2.0**26, largest=10)
    >>> problem = Problem([9, 9, 8, 3, 2, 1], 1, 2, 2, objective="mrmr", lazy_redundancy=redundancies)
    >>> part = optimal_part(problem, [(0, 2)])
    >>> part.kept, part.problem.redundancy.tolist()
    ((0, 1, 2), [[0, 10, 0], [10, 0, 0], [0, 0, 0]])
    >>> part.problem.part_of
    '3 of 6 features: with every optimum for 1 set, proved from sets of integer objective 17'
    """
    require_sum_or_min(problem)
    if problem.lazy_redundancy is None:
        raise InputError(
            "incumbent: is for redundancies on demand, those of this problem are in memory; write it as it is"
        )
    search = Backend.usual_search(problem) if search is None else search
    one_of("search", search, SEARCHES)
    sets = _verified(problem, incumbent)
    limits = Limits.checked(time_limit, random_state)
    if problem.n_sets == 1 or search == "simultaneous":
        sets = _better(problem, sets, limits)
        features = _above_threshold(problem, sets, limits)
    else:
        features = _along_sequences(problem, sets, limits)
    named = (*sets, *problem.previous_sets, problem.forced, *(group.features for group in problem.groups))
    features.update(*named)
    if len(features) > MOST_FEATURES:
        raise NoSolutionError(
            f"incumbent: better sets can have {len(features)} features, more than {MOST_FEATURES}; give a "
            "better one"
        )
    part = Restriction.to(problem, sorted(features))
    assert part.problem.lazy_redundancy is not None
    position = {j: place for place, j in enumerate(part.kept)}
    complete = part.problem.replace(
        lazy_redundancy=None,
        redundancy=part.problem.lazy_redundancy.matrix(),
        copies=[(position[j], name) for j, name in problem.copies if j in position],
        part_of=f"{len(features)} of {problem.n_features} features: with every optimum for "
        f"{_question(problem, search)}, proved from sets of integer objective {values.total(problem, sets)}",
    )
    return replace(part, problem=complete)


def _verified(problem: Problem, incumbent: Result | Sequence[Iterable[int]]) -> tuple[FeatureSet, ...]:
    sets = incumbent.sets if isinstance(incumbent, Result) else incumbent
    wrong = violations(problem, sets)
    if wrong:
        raise InputError(f"incumbent: {wrong[0]}")
    return tuple(tuple(sorted(int(j) for j in members)) for members in sets)


def _question(problem: Problem, search: str) -> str:
    known = len(problem.previous_sets)
    beside = f" beside {number_of(known, 'previous one')}" if known else ""
    asked = number_of(problem.n_sets, "set") + beside
    if problem.n_sets == 1:
        return asked
    if search == "sequential":
        return f"{asked}, one after another"
    return f"{asked} at once, {problem.aggregate} of qualities"


def _relaxed(problem: Problem) -> Restriction:
    """Return the problem without what the enumeration does not know, and without forbidden features."""
    k = problem.set_size
    allowed = WithoutForbidden.of(
        problem.replace(
            max_overlap=shared_limit(problem, k, k) or 0,
            overlap_factor=None,
            size_factor=None,
            conflicts=(),
            groups=(),
            budget=None,
            min_quality=None,
        )
    )
    return replace(allowed, problem=allowed.problem.replace(forbidden=()))


def _above_threshold(problem: Problem, sets: Sequence[FeatureSet], limits: Limits) -> set[int]:
    """Return the features of all sets that a solution as good as the known one can have."""
    relaxed = _relaxed(problem)
    threshold = values.total(problem, sets)
    if problem.n_sets > 1 and problem.aggregate == "sum":
        others = unless_interrupted(
            solve(
                relaxed.problem.replace(n_sets=problem.n_sets - 1),
                search="simultaneous",
                time_limit=limits.remaining(),
                random_state=limits.random_state,
            )
        )
        if others.integer_bound is None:
            raise _out_of_time()
        threshold -= others.integer_bound  # v(S) ≥ Σ v_i − U
    listed = _sets_from(relaxed.problem, threshold, limits)
    return {relaxed.kept[j] for j in np.unique(listed).tolist()}


def _better(problem: Problem, sets: tuple[FeatureSet, ...], limits: Limits) -> tuple[FeatureSet, ...]:
    """Return several sets that a local search finds one after the other, if they are better than known ones.

    So many sets can be as good as those of weak ones that to list them takes minutes.
    """
    if problem.n_sets == 1:
        return sets
    relaxed = _relaxed(problem)
    found, _, _ = one_after_another(relaxed.problem, Control(limits=limits))
    mapped = tuple(relaxed.invert(found))
    if len(mapped) < problem.n_sets or violations(problem, mapped):
        return sets
    if values.total(problem, mapped) <= values.total(problem, sets):
        return sets
    return mapped


def _sets_from(problem: Problem, threshold: int, limits: Limits) -> NDArray[np.int64]:
    """Return all sets of at least this value, for one set of the problem."""
    found = enumerate_instance(instance_of(problem), threshold, LARGEST_POOL, limits.expired)
    if found.complete:
        return found.sets
    if limits.expired():
        raise _out_of_time()
    raise NoSolutionError(
        f"incumbent: more than {LARGEST_POOL} sets can be in a better solution; give a better one"
    )


def _out_of_time() -> NoSolutionError:
    return NoSolutionError("time_limit: is too short to prove which features an optimum can have")


def _along_sequences(problem: Problem, sets: Sequence[FeatureSet], limits: Limits) -> set[int]:
    """Return the features of all best sets of all steps."""
    relaxed = _relaxed(problem)
    held = {j for members in problem.previous_sets for j in members}.intersection(problem.forbidden)
    other = [name for name in problem.side_constraints if name not in ("forced", "forbidden")]
    other += ["conflicts"] * bool(problem.conflicts) + ["forbidden features in previous sets"] * bool(held)
    if other:
        raise UnsupportedError(
            f"search='sequential': with {', '.join(other)} no part is proved for {problem.n_sets} sets; ask "
            "for one set, or search='simultaneous'"
        )
    known = relaxed.apply_to_sets(sets)
    assert known is not None, "valid sets hold nothing forbidden"
    tree = _Sequences(relaxed.problem, known, limits)
    tree.follow(())
    return {relaxed.kept[j] for j in tree.features}


@dataclass
class _Sequences:
    """The steps of a sequential search, with all best sets of each."""

    problem: Problem
    known: Sequence[FeatureSet]
    limits: Limits
    features: set[int] = field(default_factory=set)
    _followed: set[frozenset[FeatureSet]] = field(default_factory=set)

    def follow(self, before: tuple[FeatureSet, ...]) -> None:
        """Take all best sets after some, and go on from each; orders of the same sets are the same."""
        if len(before) == self.problem.n_sets or frozenset(before) in self._followed:
            return
        if len(self._followed) == MOST_SEQUENCES:
            raise NoSolutionError(
                f"problem: more than {MOST_SEQUENCES} sequences of equally good sets; choose "
                "search='simultaneous'"
            )
        self._followed.add(frozenset(before))
        step = self.problem.after(before)
        as_known = {*before} == {*self.known[: len(before)]}
        best = best_set(
            instance_of(step),
            Start(self.limits.random_state, self.known[len(before)] if as_known else None),
            expired=self.limits.expired,
        )
        if not best.finished:
            raise _out_of_time()
        if best.value is None:
            return
        tied = _sets_from(step, best.value, self.limits)
        self.features.update(np.unique(tied).tolist())
        for members in tied.tolist():
            self.follow((*before, tuple(members)))
