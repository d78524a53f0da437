"""The atlas of near-optimal sets: how many there are, what they share, which features stand in for others.

Trees and rule lists have such Rashomon sets (Xin et al. 2022); this is that of feature sets. "Exactly" is
meant for the integers of the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, count
from math import comb
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import values
from pyfsel.problem.checks import integer_in, seed
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.questions.answered import AnsweredBesideBest
from pyfsel.questions.asking import Asking, QuestionSolving, require_threshold, with_threshold
from pyfsel.questions.enumeration import choose_method
from pyfsel.questions.enumeration.census import Census, Tally, blocks_of
from pyfsel.questions.families import Drawn, accepted
from pyfsel.results.answer import PROVED, Status, StopReason
from pyfsel.results.claims import Claim, Scope, unproved
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError
from pyfsel.results.display import Facts, listed_names, percent
from pyfsel.results.near_optimal import NearOptimalSums
from pyfsel.results.result import Result
from pyfsel.results.sampling import Sampling
from pyfsel.results.verify import violations

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DEFAULT_LOSS = 0.05
MOST_LISTED = 100_000
SHARE = 0.9  # of the time for counting; the rest is for a bound where that does not end
COUNTED = "switches"
NO_SHARES = "Proportions of features are not shown: a search meets sets with some features first."
MOST_SHOWN = 8
MOST_DRAWN = 30
BATCH = 1000
"""Sets that are drawn at once."""
MOST_PAIRS = 3
MOST_STEPS = 4 * 10**9  # additions for pairs that nobody has asked for: some seconds
NOTABLE = 0.2  # so much rarer or more frequent than by independence; less is what fixed sizes make anyway
PAIR = 2
POINTS = 20
"""Steps of the curve of how the number of sets grows with the loss."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Atlas(AnsweredBesideBest):
    """The sets that lose at most a share of the best quality.

    Parameters
    ----------
    n_sets : int
        How many there are; at least so many without `is_complete`.
    is_complete : bool
        Proved: there are no others.
    feature_counts : tuple of int
        How many of them contain each feature. Empty without `is_complete`: the sets that a search meets first
        are not typical of all.
    curve : tuple of pairs of float and int
        Least qualities in the user's unit, falling, and how many sets reach them.
    method : str
        What counted or listed the sets.
    proved : Status
        Of the best quality.
    most_sets : int or None
        There are no more than that (proved); None if the best quality is not proved.
    listed : tuple of sets
        The sets themselves where they are few and were met; empty where they were only counted.
    joint : array of int, shape (n_features, n_features), or None
        Above its diagonal how many of all sets contain both features; None if that was not counted.
    sampling : Sampling or None
        Of the best set: also how many others cannot be told apart from it by the rows, whatever they lose.
    """

    question: ClassVar[str] = "atlas"

    n_sets: int
    is_complete: bool
    feature_counts: tuple[int, ...]
    curve: tuple[tuple[float, int], ...]
    method: str
    proved: Status
    most_sets: int | None = None
    listed: tuple[FeatureSet, ...] = ()
    joint: Any = None
    sampling: Sampling | None = None

    @property
    def status(self) -> Status:
        """OPTIMAL if all sets are counted, INFEASIBLE if there are none at all."""
        if self.proved is Status.OPTIMAL and not self.is_complete:
            return Status.FEASIBLE
        return self.proved

    @property
    def claim(self) -> Claim:
        """What is proved of the number of sets."""
        if self.proved is Status.INFEASIBLE:
            return Claim(Scope.COUNT, "Proved: no such set exists.")
        if self.proved is not Status.OPTIMAL:
            return Claim(Scope.NONE, f"{unproved(self.stop_reason)} The best quality is not known.")
        if self.is_complete:
            these = "this is the only set" if self.n_sets == 1 else f"these are all {self.n_sets:,} sets"
            return Claim(Scope.COUNT, f"Proved: {these} of this quality.")
        most = "" if self.most_sets is None else f" More than {self.most_sets:,} are impossible."
        return Claim(Scope.NONE, f"{unproved(self.stop_reason)}{most} {NO_SHARES}")

    @property
    def feature_shares(self) -> tuple[float, ...]:
        """The proportion of the sets that contain each feature; empty unless all sets are counted."""
        return tuple(count / max(1, self.n_sets) for count in self.feature_counts)

    @property
    def always(self) -> tuple[int, ...] | None:
        """Features in all of the sets; None unless all sets are counted."""
        if not self.is_complete:
            return None
        return tuple(j for j, n in enumerate(self.feature_counts) if self.n_sets and n == self.n_sets)

    @property
    def never(self) -> tuple[int, ...] | None:
        """Features in none of the sets; None unless all sets are counted."""
        if not self.is_complete:
            return None
        return tuple(j for j, n in enumerate(self.feature_counts) if n == 0)

    def _require_all(self, what: str) -> tuple[int, ...]:
        """Return the counts of features; raise `InputError` if not all sets are counted."""
        if not self.is_complete:
            raise InputError(f"{what}: needs all sets, but only {self.n_sets:,} were counted")
        return self.feature_counts

    def together(self, features: Iterable[int]) -> int:
        """Return how many of the sets hold all these features.

        Pairs replace each other where this is far below, and go together where it is far above, the product
        of their shares times `n_sets`.

        Parameters
        ----------
        features : iterable of int

        Raises
        ------
        InputError
            If not all sets are counted.
        """
        self._require_all("together")
        n = self.problem.n_features
        wanted = {integer_in("features", j, 0, n - 1) for j in features}
        if self._sums is not None:
            return sum(near.together(wanted) for near in self._sums)
        if self.joint is None or not wanted:
            return self.n_sets if not wanted else 0
        if len(wanted) <= PAIR:
            return int(self.joint[min(wanted), max(wanted)])
        found = 0
        for sets in self._met_again():
            found += int((np.isin(sets, list(wanted)).sum(axis=1) == len(wanted)).sum())
        return found

    def _met_again(self) -> Iterator[Any]:
        """Yield the sets as arrays, in the order in which they are met."""
        if self.listed:
            yield from (np.array([members]) for members in self.listed)
            return
        blocks: list[Any] = []
        least = self.problem.min_quality
        assert least is not None
        blocks_of(self.method, MOST_LISTED)(
            self.problem, least, Control(), lambda sets, numbers: blocks.append(np.array(sets, np.int32))
        )
        yield from blocks

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """How often two features are together, of those that are often, but not always, in the sets.

        ``n_sets`` is exact; ``independent`` is what it would be if one had nothing to do with the other: of
        features that stand in for each other there are fewer sets, of those that belong together more. The
        pairs that differ most come first. Empty unless all sets are counted.
        """
        found: list[dict[str, Any]] = []
        counts = self.feature_counts
        for i, j in combinations(self._often(MOST_SHOWN), 2):
            independent = counts[i] * counts[j] / max(1, self.n_sets)
            names = [self.problem.feature_names[feature] for feature in (i, j)]
            found.append({"features": names, "n_sets": self.together([i, j]), "independent": independent})
        return sorted(found, key=lambda pair: -abs(_rarer(pair)))

    @property
    def notable_pairs(self) -> Facts:
        """In words: which features stand in for each other, "instead", and which belong "together"."""
        facts, known = [], self.pairs if self._pairs_are_quick else []
        for name, sign in (("instead", 1), ("together", -1)):
            pairs = [pair for pair in known if sign * _rarer(pair) > NOTABLE][:MOST_PAIRS]
            facts += [(name, "; ".join(map(_pair_text, pairs)))] if pairs else []
        return facts

    @property
    def _pairs_are_quick(self) -> bool:
        """Whether the pairs are counted within seconds, so they are told unasked."""
        pairs = MOST_SHOWN * (MOST_SHOWN - 1) // 2
        steps = sum(near.n_steps for near in self._sums or ())
        return self.is_complete and steps * pairs <= MOST_STEPS

    def _often(self, most: int) -> list[int]:
        """Return the features that are in most of the sets, but not in all."""
        counts = self.feature_counts
        order = np.argsort([-count for count in counts], kind="stable")
        return [j for j in order.tolist() if 0 < counts[j] < self.n_sets][:most]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per feature: in how many sets it is, and in which proportion of them.

        Without `is_complete` both are missing.
        """
        import pandas as pd

        columns = {"n_sets": self.feature_counts or np.nan, "share": self.feature_shares or np.nan}
        return pd.DataFrame(columns, index=pd.Index(self.problem.feature_names, name="feature"))

    def plot(self, most: int = MOST_DRAWN) -> Figure:
        """Draw in which share of the sets each feature is, and how their number grows with the loss.

        Parameters
        ----------
        most : int
            Features to draw, the most frequent first.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from pyfsel.results.plots import draw_shares_and_growth

        counts = self._require_all("plot")
        if not self.n_sets:
            raise InputError("plot: needs sets, but there are none")
        chosen = [*(self.always or ()), *self._often(most)][:most]
        names = [self.problem.feature_names[j] for j in chosen]
        return draw_shares_and_growth(names, [counts[j] / self.n_sets for j in chosen], self.curve)

    def draw(self, n_draws: int, random_state: int = 0) -> list[FeatureSet]:
        """Return sets drawn at random with replacement, each with the same probability.

        Parameters
        ----------
        n_draws : int
        random_state : int

        Raises
        ------
        InputError
            If not all sets are known, or there are none.
        """
        n_draws = integer_in("n_draws", n_draws, 1, None)
        random = Random(integer_in("random_state", random_state, 0, 2**31 - 1))
        self._require_all("draw")
        if not self.n_sets:
            raise InputError("draw: needs sets, but there are none")
        places, drawn = sorted(random.randrange(self.n_sets) for _ in range(n_draws)), []
        if self._sums is None:
            before = 0
            for sets in self._met_again():
                while places and places[0] < before + len(sets):
                    drawn.append(tuple(sets[places.pop(0) - before].tolist()))
                before += len(sets)
            random.shuffle(drawn)
            return drawn
        for near in self._sums:
            drawn += near.draws(sum(place < near.n_sets for place in places), random)
            places = [place - near.n_sets for place in places if place >= near.n_sets]
        random.shuffle(drawn)
        return drawn

    def draw_families(self, n_draws: int, n_alternatives: int = 1, random_state: int = 0) -> Drawn:
        """Return families of near-optimal sets, each drawn with the same probability.

        Independent draws are kept where their sets share no more than the problem allows.

        Parameters
        ----------
        n_draws, n_alternatives : int
        random_state : int

        Raises
        ------
        InputError
            As `draw`.
        """
        n_alternatives = integer_in("n_alternatives", n_alternatives, 1, None)
        random = Random(seed("random_state", random_state))
        batches = (self.draw(BATCH, random.randrange(2**31)) for _ in count())
        return accepted(chain.from_iterable(batches), n_alternatives + 1, n_draws, self.problem)

    @cached_property
    def _sums(self) -> list[NearOptimalSums] | None:
        return _sums_of(self.problem) if self.method == COUNTED and self.is_complete else None

    def _found(self) -> dict[str, Any]:
        names, counted = self.problem.feature_names, self.is_complete
        return {
            "n_sets": self.n_sets,
            "most_sets": self.most_sets,
            "is_complete": self.is_complete,
            "best_quality": self.best_quality,
            "min_quality": self.problem.min_quality,
            "feature_counts": dict(zip(names, self.feature_counts, strict=True)) if counted else None,
            "feature_shares": dict(zip(names, self.feature_shares, strict=True)) if counted else None,
            "always": [names[j] for j in self.always or ()] if counted else None,
            "never": [names[j] for j in self.never or ()] if counted else None,
            "pairs": self.pairs if self._pairs_are_quick else None,
            "n_rivals": None if self.sampling is None else self.sampling.rivals,
            "rivals_interval": None if self.sampling is None else self.sampling.rivals_interval,
            "curve": [list(point) for point in self.curve],
            "method": self.method,
            "result": self._result_data(),
        }

    def _facts(self) -> Facts:
        if self.proved is Status.INFEASIBLE:
            return [("answer", "0 sets")]
        if self.proved is not Status.OPTIMAL:
            return [("answer", "nothing is known")]
        said = f"{self.n_sets:,} {'set' if self.n_sets == 1 else 'sets'}"
        if not self.is_complete:
            said += " or more" + ("" if self.most_sets is None else f", at most {self.most_sets:,}")
        least, best = (
            values.to_float(self.problem, n or 0) for n in (self.problem.min_quality, self.best_quality)
        )
        facts = [("answer", said), ("quality", f"at least {least:.5g}, the best set has {best:.5g}")]
        if not self.is_complete:
            return facts
        names = self.problem.feature_names
        facts.append(("in all", listed_names(names[j] for j in self.always or ()) or "no feature"))
        facts.append(("in none", f"{len(self.never or ())} of {len(names)} features"))
        shares = [
            f"{names[j]} {percent(self.feature_counts[j] / self.n_sets)}" for j in self._often(MOST_SHOWN)
        ]
        facts += [("often", ", ".join(shares))] if shares else []
        facts += self.notable_pairs
        rivals = "" if self.sampling is None else self.sampling.rivals_text("the best one by these rows")
        facts += [("error", rivals)] if rivals else []
        fewer = [f"{number:,} reach {least:.5g}" for least, number in self.curve[:: POINTS // 4]]
        return [*facts, ("curve", ", ".join(fewer))]

    def _effort(self) -> tuple[str, str]:
        return "counted by", f"{self.method}, {self.runtime:.2f} s"


def atlas(problem: Instance, loss: float | None = DEFAULT_LOSS, **options: Unpack[QuestionSolving]) -> Atlas:
    """Count the sets that lose at most a share of the best quality, and how often each feature is in them.

    Sums of qualities, with forced and forbidden features and ranges of sizes, are counted without listing
    (`pyfsel.results.near_optimal`). Pairs and CFS in sets of one size, and least squares, are counted as a
    search meets them; so are sums with groups, costs and conflicts. Others are listed, up to 100,000.

    Parameters
    ----------
    problem : Instance
        Of single sets: `n_sets` does not count, previous sets do.
    loss : float or None
        Share of the best quality, from 0 to 1; None if the problem has a least quality. Of a negative best
        quality the share is lost on the other side.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Returns
    -------
    Atlas
        A limit or Ctrl-C leaves the number of those listed so far as a lower bound.

    Raises
    ------
    InputError, SolverError
        As `pyfsel.solve`; InputError also where nothing lists the sets.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 8, 3], n_sets=1, set_size=2, max_overlap=2)
    >>> near = atlas(problem, loss=0.1)
    >>> near.n_sets, near.feature_counts, near.together([0, 1])
    (3, (2, 2, 2, 0), 1)
    """
    require_sum_or_min(problem)
    require_threshold(problem, loss)
    problem = problem.replace(n_sets=1)
    method = COUNTED if _is_counted(problem) else choose_method(problem).name
    with Asking(**options) as asking:
        best = asking.solve(problem, "the best set", 0.5)
        proved = Status.NOT_SOLVED if best is None else best.status
        quality = None if best is None else best.integer_objective
        problem = with_threshold(problem, loss, quality)
        found = _Found(best=() if best is None else best.sets)
        if proved is Status.OPTIMAL:
            method = _find(asking, problem, method, found, _steps(problem, quality))
        found.is_complete |= proved is Status.INFEASIBLE
        known: dict[str, Any] = {
            "problem": problem,
            "result": None if best is None or not best.sets else best,
            "best_quality": quality,
            "proved": proved,
            "method": method,
            "is_complete": found.is_complete,
            "sampling": None if best is None else best.sampling,
        }
        known |= _summary(problem, found, _steps(problem, quality))
        if proved is Status.OPTIMAL:
            known["most_sets"] = known["n_sets"] if found.is_complete else _most_sets(asking, problem)
        answer = Atlas(**known, **asking.ending(known["is_complete"]))
        return replace(answer, confirmation=_confirmation(asking, answer, best))


def _rarer(pair: dict[str, Any]) -> float:
    """Return by which share a pair is rarer than if its features were independent."""
    return 1 - float(pair["n_sets"] / pair["independent"])


def _pair_text(pair: dict[str, Any]) -> str:
    return (
        f"{' and '.join(pair['features'])} in {pair['n_sets']:,} ({pair['independent']:,.3g} if independent)"
    )


@dataclass
class _Found:
    best: tuple[FeatureSet, ...]
    sums: list[NearOptimalSums] | None = None
    counts: Any = 0
    tally: Tally | None = None
    is_complete: bool = False


def _is_counted(problem: Instance) -> bool:
    limits = {"groups", "budget"}.intersection(problem.side_constraints)
    return objective_of(problem).is_sum and not (limits or problem.conflicts or problem.previous_sets)


def _sums_of(problem: Instance, check: Callable[[], None] = lambda: None) -> list[NearOptimalSums]:
    least = problem.min_quality
    assert least is not None
    return [
        NearOptimalSums(problem.quality, size, least, problem.forced, problem.forbidden, check)
        for size in problem.sizes
    ]


def _checked(asking: Asking) -> Callable[[], None]:
    def check() -> None:
        if asking.is_stopped():
            raise OutOfTimeError

    return check


def _find(asking: Asking, problem: Instance, method: str, found: _Found, steps: tuple[int, ...]) -> str:
    """Count the sets by switches, or as they are met if there are too many numbers; return the method."""
    if method == COUNTED:
        try:
            sums = _sums_of(problem, _checked(asking))
            found.counts = sum(near.feature_counts() for near in sums)
            found.sums, found.is_complete = sums, True
            return method
        except TooManySetsError:
            method = choose_method(problem).name
        except OutOfTimeError:
            return method
        except KeyboardInterrupt:
            asking.stop_reason = StopReason.INTERRUPTED
            return method
    least = problem.min_quality
    assert least is not None
    census = Census(method, least, Tally(problem.n_features, MOST_LISTED, steps))
    answer = asking.run(census, problem, lambda sets: None, share=SHARE)
    found.tally = answer.statistics.get("tally")
    found.is_complete = answer.status in PROVED
    for members in () if found.tally is None else found.tally.kept:
        if evidence := violations(problem, [members]):
            raise FalseClaimError(f"{method}: " + "; ".join(evidence))
    return method


def _most_sets(asking: Asking, problem: Instance) -> int:
    """Return how many sets there are at most: those of a sum without what limits single sets, else all."""
    if objective_of(problem).is_sum:
        without = problem.replace(groups=(), costs=None, budget=None, conflicts=(), previous_sets=())
        try:
            return sum(near.n_sets for near in _sums_of(without, _checked(asking)))
        except (TooManySetsError, OutOfTimeError):
            pass
    forced = len(problem.forced)
    free = problem.n_features - forced - len(problem.forbidden)
    return sum(comb(free, size - forced) for size in problem.sizes if size >= forced)


def _steps(problem: Instance, best: int | None) -> tuple[int, ...]:
    """Return the values of the curve, falling."""
    if best is None or problem.min_quality is None:
        return ()
    loss = best - problem.min_quality
    return tuple(sorted({best - loss * i // POINTS for i in range(POINTS + 1)}, reverse=True))


def _summary(problem: Instance, found: _Found, steps: tuple[int, ...]) -> dict[str, Any]:
    """Return the fields of an atlas that are counted."""
    listed: tuple[FeatureSet, ...] = ()
    tally = found.tally
    if found.sums is not None:
        n_sets, counts = sum(near.n_sets for near in found.sums), found.counts
        reached = [sum(near.reaching(least) for near in found.sums) for least in steps]
    elif tally is not None and tally.n_sets:
        n_sets, counts, reached = tally.n_sets, tally.joint.diagonal(), tally.reached.tolist()
        listed = tuple(sorted(tally.kept))
    else:
        listed, reached = found.best, []
        n_sets, counts = len(listed), np.zeros(problem.n_features, dtype=object)
        for members in listed:
            counts[list(members)] += 1
    curve = tuple(zip((values.to_float(problem, least) for least in steps), reached, strict=False))
    return {
        "n_sets": n_sets,
        "feature_counts": tuple(counts.tolist()) if found.is_complete else (),
        "curve": curve if found.is_complete else (),
        "listed": listed,
        "joint": tally.joint if tally is not None and found.is_complete else None,
    }


def _confirmation(asking: Asking, answer: Atlas, best: Result | None) -> Confirmation | None:
    """Return what came of proving the best quality again; the number is not counted a second time."""
    if best is None or answer.status not in PROVED:
        return None
    optimum = asking.confirmation([(best.problem, best.sets)])
    if optimum is None or answer.status is Status.INFEASIBLE:
        return optimum
    why = "the number of sets is counted by one method"
    return Confirmation.of_all([optimum, Confirmation.not_confirmed(why, 0.0)])
