"""The classic searches (paper 001, Alg. 1, 2, 4 to 7), each a function of a run; `METHODS` has their names.

**Stepwise** (SFG, SBG, Alg. 4; floating, Alg. 5). Each takes the feature whose addition or removal gives the
largest J. With a threshold (the default: what all features reach) forward selection stops as soon as it is
reached, and backward elimination before it would be lost. With a size they stop there. The floating searches
remember the best J of each size. After each step they go back, without limit, as long as this gives
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

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pyfsel.core.arrays import Reals
from pyfsel.papers.subset.criteria import ConsistencyCriterion
from pyfsel.papers.subset.search_state import NOTHING, SubsetRun
from pyfsel.problem.checks import finite_number, integer_in, one_of, share
from pyfsel.problem.objectives import FeatureSet

SMALLEST_FLOAT = 2  # back from so few features (or so few left out) nothing can beat the first step
MOST_TRIES = 1000


def stepwise(run: SubsetRun, is_forward: bool = True, is_floating: bool = False) -> bool:
    """Add the best feature, or remove the least important one, until the goal is reached; no proof.

    A floating search goes back after each step as long as that gives a new best set of its size.
    """
    chosen = () if is_forward else run.everything
    last = run.sizes[-1] if is_forward else run.sizes[0]
    records: dict[int, float] = {}

    def go_to(features: FeatureSet) -> FeatureSet:
        run.step(features)
        key = run.key(features)
        records[len(features)] = max(key, records.get(len(features), key))
        return features

    go_to(chosen)
    while len(chosen) != last and not (is_forward and run.least is not None and run.is_reached):
        following = run.with_one_changed(chosen, is_forward)
        is_lost = run.least is not None and run.key(following) < run.least
        if is_lost and not is_forward and not is_floating:
            break
        chosen = go_to(following)
        while is_floating and (len(chosen) if is_forward else len(run.names) - len(chosen)) > SMALLEST_FLOAT:
            previous = run.with_one_changed(chosen, not is_forward)
            if run.key(previous) <= records[len(previous)]:
                break
            chosen = go_to(previous)
    return False


def lvf(run: SubsetRun, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Draw random sets and keep the smallest ones that reach the threshold (Las Vegas Filter, LVF).

    Parameters
    ----------
    run : SubsetRun
    max_tries : int
        Sets to draw. A given set of s features among n is drawn with probability 2⁻ⁿ: beyond 25 features the
        smallest ones are hardly met.
    draw : {"all", "shrinking"}
        Each feature with probability ½, among all features or the features of a smallest set so far.
    """
    run.offer(run.everything)
    _draw(run, run.reaches, run.offer, max_tries, draw)
    return False


def _draw(
    run: SubsetRun,
    reaches: Callable[[FeatureSet], bool],
    take: Callable[[FeatureSet], None],
    max_tries: int,
    draw: str,
) -> FeatureSet:
    """Hand over drawn sets that reach a threshold and are at most as large as the last; return that."""
    smallest = run.everything
    for _ in range(max_tries):
        chosen = run.by_name[run.rng.random(len(run.names)) < 0.5].tolist()
        features = tuple(sorted(j for j in chosen if draw == "all" or j in smallest))
        if len(features) <= len(smallest) and reaches(features):
            take(features)
            smallest = features if len(features) < len(smallest) else smallest
    return smallest


def lvi(
    run: SubsetRun, max_tries: int = MOST_TRIES, draw: str = "all", portion: float = 0.1, check: str = "all"
) -> bool:
    """Let LVF search on some of the rows, and add rows that show it to be wrong (Las Vegas Incremental).

    The rows added are those, not yet in the sample, that agree with a row of another class. There is always
    one if the test fails: otherwise all inconsistent rows of the set would be in the sample, in whole groups,
    and so their number there that on all rows; it is at most what is allowed in the sample, which is no more
    than is allowed on all rows.

    Parameters
    ----------
    run : SubsetRun
        Its criterion counts rows.
    max_tries, draw
        As for `lvf`, in each round.
    portion : float
        Share of the rows to begin with.
    check : {"all", "rest"}
        Test a set on all rows, or on those outside of the sample only.
    """
    criterion = run.criterion
    assert isinstance(criterion, ConsistencyCriterion)
    run.offer(run.everything)
    sample = np.zeros(criterion.n_rows, dtype=bool)
    first = max(1, round(portion * len(sample)))
    sample[run.rng.choice(len(sample), first, replace=False)] = True
    while True:
        reaches = _on_sample(run, criterion.on_rows(sample), criterion.n_rows)
        features = _draw(run, reaches, lambda drawn: None, max_tries, draw)
        wrong = criterion.bad_groups(features) & ~sample
        if check == "rest" and not sample.all():
            rest = criterion.on_rows(~sample)
            passes = rest.keys([features])[0] * criterion.n_rows >= run.threshold * rest.n_rows
        else:
            passes = run.reaches(features)
        if passes or not wrong.any():
            run.best_rank = NOTHING  # all features, which were the answer until now
            run.step(features)
            return False
        sample |= wrong


def _on_sample(run: SubsetRun, part: ConsistencyCriterion, n_rows: int) -> Callable[[FeatureSet], bool]:
    """Return the test of sets on a sample.

    Allowed are as many bad rows as all features have there, or the share that is allowed on the whole table.
    """
    allowed = int(-run.threshold) * part.n_rows // n_rows
    least = min(run.keys([run.everything], part)[0], -allowed)
    return lambda features: run.keys([features], part)[0] >= least


def abb(run: SubsetRun) -> bool:
    """Find all smallest sets that reach the threshold (Automatic Branch and Bound); they are proved.

    There are at least 2^(n − smallest size) sets to test: give it limits.
    """
    _all_smaller(run, run.everything)
    return run.is_reached


def qbb(run: SubsetRun, max_tries: int = MOST_TRIES, draw: str = "all") -> bool:
    """Let LVF find small sets and look for the smallest ones inside of them (Quick Branch and Bound).

    Not exact: the smallest sets need not lie inside of those that LVF finds.
    """
    lvf(run, max_tries, draw)
    for features in list(run.best):
        _all_smaller(run, features)
    return False


def _all_smaller(run: SubsetRun, start: FeatureSet) -> None:
    run.offer(start)
    level = [start] if run.reaches(start) else []
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


def prefixes(run: SubsetRun, weights: Reals) -> bool:
    """Go through the prefixes of a ranking: to the first that reaches the threshold, or up to the size.

    With a size the answer has the best J of all prefixes up to there, and of equal ones the smallest.
    """
    ranking = sorted(run.by_name.tolist(), key=lambda j: -weights[j])
    for size in range(run.sizes[-1] + 1):
        run.step(tuple(sorted(ranking[:size])))
        if run.least is not None and run.is_reached:
            break
    return False


class SubsetMethod(NamedTuple):
    """A search, its options, what it needs of a criterion, and whether it ends without size or threshold."""

    search: Callable[..., bool]
    options: Sequence[str] = ("threshold",)
    needs: str = ""
    has_end: bool = False


STEPWISE, DRAWING = ("k", "threshold"), ("threshold", "max_tries", "draw")
NEEDS = {"is_monotone": "never falls with more features", "on_rows": "counts rows"}
"""The attributes of criteria that methods need."""
METHODS = {
    "forward": SubsetMethod(stepwise, STEPWISE),
    "backward": SubsetMethod(partial(stepwise, is_forward=False), STEPWISE),
    "floating-forward": SubsetMethod(partial(stepwise, is_floating=True), STEPWISE),
    "floating-backward": SubsetMethod(partial(stepwise, is_forward=False, is_floating=True), STEPWISE),
    "lvf": SubsetMethod(lvf, DRAWING),
    "lvi": SubsetMethod(lvi, (*DRAWING, "portion", "check"), "on_rows"),
    "abb": SubsetMethod(abb, needs="is_monotone"),
    "qbb": SubsetMethod(qbb, DRAWING, "is_monotone"),
}


def _from(low: int) -> Callable[[str, Any], Any]:
    return lambda name, given: integer_in(name, given, low, None)


def _among(*words: str) -> Callable[[str, Any], Any]:
    return lambda name, given: one_of(name, given, words)


OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("k", "max_evaluations", "max_tries", "rounds", "n_neighbors", "n_samples"), _from(1)),
    **dict.fromkeys(("portion", "decay", "weight"), share),
    **dict.fromkeys(("threshold", "t_delta", "t_p", "shift_delta", "shift_p"), finite_number),
    "n_bins": _from(2),
    "draw": _among("all", "shrinking"),
    "check": _among("all", "rest"),
    "cut": _among("knee", "literal"),
    "ties": _among("random", "lowest"),
}
"""The options of all methods, and the checks of their values."""
OF_RUN = ("max_evaluations", "ties")
"""Options that all methods have."""
CONTRADICTIONS = (("k", "threshold"), ("cut", "k"), ("cut", "threshold"))
