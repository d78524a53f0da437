"""The classic searches (paper 001, Alg. 1, 2, 4 to 7), each a function of a run; `METHODS` has their names.

**Stepwise** (SFG, SBG, Alg. 4; floating, Alg. 5). Each takes the feature whose addition or removal gives the
largest J. With a threshold (the default: what all features reach) forward selection stops as soon as it is
reached, and backward elimination before it would be lost. With a size they stop there. With a patience of p
they stop when p steps have brought neither a larger J nor the same J with fewer features. The floating
searches remember the best J of each size. After each step they go back, without limit, as long as this gives
a set that is better than all of its size before. Each step back so raises a record, of which there are
finitely many values: they end. A floating backward elimination goes on below the threshold, since a way back
from there may lead to a smaller set that reaches it; its end is the empty set.

**Las Vegas** (LVF, LVI, Alg. 1 and 2). Random sets, the smallest that reach the threshold. Where the paper's
pseudocode is taken otherwise: it draws from the smallest set found so far, so a set of the same size can only
be that one, and the list of equally small sets never grows; here sets are drawn from all features
(``draw="shrinking"`` is the paper's). LVI tests on the rows that it has left out only, so these and the
others may contradict each other; here it tests on all rows (``check="rest"`` is the paper's).

**Branch and bound** (ABB, QBB, Alg. 6 and 7). ABB is exact because the criterion is monotone: a set that
reaches the threshold has all its supersets reach it, so it is met on the way down. The search goes size by
size. A set is worth a test only if all sets with one feature more have passed theirs, that is, if it was
generated once by each feature outside of it: the same as being no subset of a set that failed, which the
paper looks up in a list.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.papers.subset.criteria import ConsistencyCriterion, Criterion
from pyfsel.papers.subset.run import Goal, Run, SubsetResult
from pyfsel.problem.checks import integer_in, one_of, share
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits

Move = Callable[["FeatureSet"], "FeatureSet"]
SMALLEST_FLOAT = 2  # back from so few features (or so few left out) nothing can beat the first step
MOST_TRIES = 1000


def forward(run: Run) -> bool:
    """Add the best feature until the goal is reached; nothing is proved."""
    return _stepwise(run, (), run.with_one_more)


def backward(run: Run) -> bool:
    """Remove the least important feature as long as the goal is still reached; nothing is proved."""
    return _stepwise(run, run.everything, run.with_one_less)


def floating_forward(run: Run) -> bool:
    """Add the best feature, then remove features as long as that gives a new best set of its size."""
    return _stepwise(run, (), run.with_one_more, run.with_one_less)


def floating_backward(run: Run) -> bool:
    """Remove the least important feature, then add some as long as that gives a new best set of its size."""
    return _stepwise(run, run.everything, run.with_one_less, run.with_one_more)


def _stepwise(run: Run, chosen: FeatureSet, ahead: Move, back: Move | None = None) -> bool:
    is_forward, goal = not chosen, run.goal
    last = goal.sizes[-1] if is_forward else goal.sizes[0]
    records: dict[int, float] = {}

    def go_to(features: FeatureSet) -> FeatureSet:
        run.step(features)
        key = run.known[features]
        records[len(features)] = max(key, records.get(len(features), key))
        return features

    go_to(chosen)
    while len(chosen) != last and not _is_done(run, is_forward):
        following = ahead(chosen)
        is_lost = goal.threshold is not None and run.known[following] < goal.threshold
        if back is None and not is_forward and is_lost:
            break
        chosen = go_to(following)
        while (
            back is not None
            and (len(chosen) if is_forward else run.n_features - len(chosen)) > SMALLEST_FLOAT
        ):
            previous = back(chosen)
            if run.known[previous] <= records[len(previous)]:
                break
            chosen = go_to(previous)
    return False


def _is_done(run: Run, is_forward: bool) -> bool:
    if run.goal.patience is not None:
        best = next(iter(run.best))
        since = next(i for i, visit in enumerate(run.trace) if visit.features == best)
        return len(run.trace) - 1 - since >= run.goal.patience
    return is_forward and run.goal.threshold is not None and run.is_reached


def lvf(run: Run, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Draw random sets and keep the smallest ones that reach the threshold (Las Vegas Filter, LVF).

    Parameters
    ----------
    run : Run
    max_tries : int
        Sets to draw. A given set of s features among n is drawn with probability 2⁻ⁿ: beyond 25 features the
        smallest ones are hardly met.
    draw : {"all", "shrinking"}
        Each feature with probability ½, among all or among those of a smallest set so far.
    """
    integer_in("max_tries", max_tries, 1, None)
    one_of("draw", draw, ("all", "shrinking"))
    run.offer(run.everything)
    for _ in range(max_tries):
        smallest = next(iter(run.best))
        chosen = run.by_name[run.rng.random(run.n_features) < 0.5].tolist()
        features = tuple(sorted(j for j in chosen if draw == "all" or j in smallest))
        if len(features) <= len(smallest) and run.reaches(features):
            run.offer(features)
    return False


def lvi(
    run: Run, max_tries: int = MOST_TRIES, draw: str = "all", portion: float = 0.1, check: str = "all"
) -> bool:
    """Let LVF search on some of the rows, and add rows that show it to be wrong (Las Vegas Incremental).

    The rows added are those, not yet in the sample, that agree with a row of another class. There is always
    one if the test fails: otherwise all inconsistent rows of the set would be in the sample, in whole groups,
    and so their number there that on all rows; it is at most what is allowed in the sample, which is no more
    than is allowed on all rows.

    Parameters
    ----------
    run : Run
        Its criterion counts rows.
    max_tries, draw
        As for `lvf`, in each round.
    portion : float
        Share of the rows to begin with.
    check : {"all", "rest"}
        Test a set on all rows, or on those outside of the sample only.
    """
    one_of("check", check, ("all", "rest"))
    criterion = run.criterion
    assert isinstance(criterion, ConsistencyCriterion)
    run.offer(run.everything)
    sample = np.zeros(criterion.n_rows, dtype=bool)
    first = max(1, round(share("portion", portion) * criterion.n_rows))
    sample[run.rng.choice(criterion.n_rows, first, replace=False)] = True
    while True:
        features = _on_sample(run, criterion.on_rows(sample), max_tries, draw)
        wrong = criterion.bad_groups(features) & ~sample
        if check == "rest" and not sample.all():
            rest = criterion.on_rows(~sample)
            passes = rest.keys([features])[0] * criterion.n_rows >= run.threshold * rest.n_rows
        else:
            passes = run.reaches(features)
        if passes or not wrong.any():
            run.answer(features)
            return False
        sample |= wrong


def _on_sample(run: Run, part: ConsistencyCriterion, max_tries: int, draw: str) -> FeatureSet:
    """Return a smallest set that LVF finds on a sample.

    Allowed are as many bad rows as all features have there, or the share that is allowed on the whole table.
    """
    assert isinstance(run.criterion, ConsistencyCriterion)
    allowed = int(-run.threshold) * part.n_rows // run.criterion.n_rows
    least = min(part.keys([run.everything])[0], -allowed)
    inner = run.part(part, Goal(range(run.n_features + 1), least))
    lvf(inner, max_tries, draw)
    return next(iter(inner.best))


def abb(run: Run) -> bool:
    """Find all smallest sets that reach the threshold (Automatic Branch and Bound); they are proved.

    There are at least 2^(n − smallest size) sets to test: give it limits.
    """
    _all_smaller(run, run.everything)
    return run.is_reached


def qbb(run: Run, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Let LVF find small sets and look for the smallest ones inside of them (Quick Branch and Bound).

    Not exact: the smallest sets need not lie inside of those that LVF finds.
    """
    lvf(run, max_tries, draw)
    for features in list(run.best):
        _all_smaller(run, features)
    return False


def _all_smaller(run: Run, start: FeatureSet) -> None:
    if not run.reaches(start):
        return
    run.offer(start)
    level = [start]
    while level:
        generated = Counter(
            features[:i] + features[i + 1 :] for features in level for i in range(len(features))
        )
        n_outside = len(start) - len(level[0]) + 1
        level = []
        for features, times in generated.items():
            if times == n_outside and run.reaches(features):
                run.offer(features)
                level.append(features)


def prefixes(run: Run, weights: NDArray[np.float64]) -> bool:
    """Go through the prefixes of a ranking: to the first that reaches the threshold, or up to the size.

    With a size the answer has the best J of all prefixes up to there, and of equal ones the smallest.
    """
    ranking = sorted(run.by_name.tolist(), key=lambda j: -weights[j])
    for size in range(run.goal.sizes[-1] + 1):
        run.step(tuple(sorted(ranking[:size])))
        if run.goal.threshold is not None and run.is_reached:
            break
    return False


class Method(NamedTuple):
    """A search, and what its goal and its criterion can be."""

    search: Callable[..., bool]
    goals: Sequence[str] = ()
    needs: str = ""


METHODS = {
    "forward": Method(forward, ("size", "patience")),
    "backward": Method(backward, ("size", "patience")),
    "floating-forward": Method(floating_forward, ("size",)),
    "floating-backward": Method(floating_backward, ("size",)),
    "lvf": Method(lvf),
    "lvi": Method(lvi, needs="counts rows"),
    "abb": Method(abb, needs="never falls with more features"),
    "qbb": Method(qbb, needs="never falls with more features"),
}


def search_subsets(
    criterion: Criterion,
    method: str = "floating-forward",
    *,
    size: int | None = None,
    threshold: float | None = None,
    patience: int | None = None,
    limits: Limits | None = None,
    max_evaluations: int | None = None,
    ties: str = "random",
    **options: Any,
) -> SubsetResult:
    """Search with a criterion.

    Parameters
    ----------
    criterion : Criterion
    method : str
        One of `METHODS`.
    size, threshold, patience
        As for `Goal.requested`.
    limits, max_evaluations, ties
        As for `Run`.
    **options
        Of the search: ``max_tries``, ``draw``, ``portion``, ``check``.

    Raises
    ------
    InputError
        If an argument is not allowed, or the method cannot use it or the criterion.

    Examples
    --------
    >>> from pyfsel.papers.consistency.problem import consistency_problem
    >>> rows = consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    >>> search_subsets(ConsistencyCriterion(rows), "forward").sets
    ((0,),)
    """
    one_of("method", method, METHODS)
    found = METHODS[method]
    for name, given in (("size", size), ("patience", patience)):
        if given is not None and name not in found.goals:
            others = ", ".join(other for other in METHODS if name in METHODS[other].goals)
            raise InputError(f"{name}={given!r}: method={method!r} does not take it; {others} do")
    suits = criterion.is_monotone if method in ("abb", "qbb") else isinstance(criterion, ConsistencyCriterion)
    if found.needs and not suits:
        raise InputError(f"method={method!r}: needs a criterion that {found.needs}: consistency")
    check_known(method, options, list(inspect.signature(found.search).parameters)[1:])
    run = Run(criterion, Goal.requested(criterion, size, threshold, patience), limits, max_evaluations, ties)
    return run.execute(method, lambda run: found.search(run, **options))


def check_known(method: str, options: dict[str, Any], known: Sequence[str]) -> None:
    """Raise `InputError` for an option that a method does not take."""
    for name, given in options.items():
        if name not in known:
            raise InputError(f"{name}={given!r}: method={method!r} takes {', '.join(known) or 'no options'}")
