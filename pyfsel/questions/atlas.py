"""The atlas of near-optimal sets: how many there are, what they share, which features stand in for others.

Trees and rule lists have such Rashomon sets (Xin et al. 2022); this is that of feature sets. "Exactly" is
meant for the integers of the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from pyfsel.errors import InputError, VerificationError
from pyfsel.problem import values
from pyfsel.problem.checks import integer_in
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem, require_sum_or_min
from pyfsel.problem.values import objective_of
from pyfsel.questions.answered import AnsweredBesideBest, Facts
from pyfsel.questions.asking import Asking, QuestionSolving, require_threshold, with_threshold
from pyfsel.questions.enumeration import Enumeration, choose_method
from pyfsel.results.answer import PROVED, Status, StopReason
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.control import OutOfTimeError, TooManySetsError
from pyfsel.results.display import listed_names, percent
from pyfsel.results.near_optimal import NearOptimalSums
from pyfsel.results.result import Result
from pyfsel.results.sampling import Sampling
from pyfsel.results.verify import violations

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DEFAULT_LOSS = 0.05
MOST_LISTED = 100_000
COUNTED = "switches"
MOST_SHOWN = 8
MOST_DRAWN = 30
MOST_PAIRS = 3
MOST_STEPS = 4 * 10**9  # additions for pairs that nobody has asked for: some seconds
NOTABLE = 0.2  # so much rarer or more frequent than by independence; less is what fixed sizes make anyway
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
        How many of them hold each feature.
    curve : tuple of pairs of float and int
        Least qualities in the user's unit, falling, and how many sets reach them.
    method : str
        What counted or listed the sets.
    proved : Status
        Of the best quality.
    listed : tuple of sets
        The sets themselves where they were listed; empty where they were counted.
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
    listed: tuple[FeatureSet, ...] = ()
    sampling: Sampling | None = None

    @property
    def status(self) -> Status:
        """OPTIMAL if all sets are counted, INFEASIBLE if there are none at all."""
        if self.proved is Status.OPTIMAL and not self.is_complete:
            return Status.FEASIBLE
        return self.proved

    @property
    def feature_shares(self) -> tuple[float, ...]:
        """The share of the sets that hold each feature; of the listed ones where these are not all."""
        return tuple(count / max(1, self.n_sets) for count in self.feature_counts)

    @property
    def always(self) -> tuple[int, ...]:
        """Features in all of the sets."""
        return tuple(j for j, n in enumerate(self.feature_counts) if self.n_sets and n == self.n_sets)

    @property
    def never(self) -> tuple[int, ...]:
        """Features in none of the sets."""
        return tuple(j for j, n in enumerate(self.feature_counts) if n == 0)

    def together(self, features: Iterable[int]) -> int:
        """Return how many of the sets hold all these features.

        Pairs replace each other where this is far below, and go together where it is far above, the product
        of their shares times `n_sets`.

        Parameters
        ----------
        features : iterable of int
        """
        n = self.problem.n_features
        wanted = {integer_in("features", j, 0, n - 1) for j in features}
        if self._sums is None:
            return sum(wanted <= set(members) for members in self.listed)
        return sum(near.together(wanted) for near in self._sums)

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """How often two features are together, of those that are often, but not always, in the sets.

        ``n_sets`` is exact; ``independent`` is what it would be if one had nothing to do with the other: of
        features that stand in for each other there are fewer sets, of those that belong together more. The
        pairs that differ most come first.
        """
        found = []
        for i, j in combinations(self._often(MOST_SHOWN), 2):
            independent = self.feature_shares[i] * self.feature_shares[j] * self.n_sets
            names = [self.problem.feature_names[feature] for feature in (i, j)]
            found.append({"features": names, "n_sets": self.together([i, j]), "independent": independent})
        return sorted(found, key=lambda pair: -abs(_rarer(pair)))

    @property
    def _pairs_are_quick(self) -> bool:
        """Whether the pairs are counted within seconds, so that they are told unasked."""
        pairs = MOST_SHOWN * (MOST_SHOWN - 1) // 2
        steps = sum(near.n_steps for near in self._sums or ())
        return self.is_complete and steps * pairs <= MOST_STEPS

    def _often(self, most: int) -> list[int]:
        """Return the features that are in most of the sets, but not in all."""
        order = np.argsort([-count for count in self.feature_counts], kind="stable")
        return [j for j in order.tolist() if 0 < self.feature_counts[j] < self.n_sets][:most]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per feature: in how many sets it is, and in which share of them."""
        import pandas as pd

        columns = {"n_sets": self.feature_counts, "share": self.feature_shares}
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

        if not self.is_complete or not self.n_sets:
            raise InputError(f"plot: needs all sets, but {self._facts()[0][1]}")
        chosen = [*self.always, *self._often(most)][:most]
        names = [self.problem.feature_names[j] for j in chosen]
        return draw_shares_and_growth(names, [self.feature_shares[j] for j in chosen], self.curve)

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
        if not self.is_complete or not self.n_sets:
            raise InputError(f"draw: needs all sets, but {self._facts()[0][1]}")
        if self._sums is None:
            return [self.listed[random.randrange(self.n_sets)] for _ in range(n_draws)]
        places, drawn = sorted(random.randrange(self.n_sets) for _ in range(n_draws)), []
        for near in self._sums:
            drawn += near.draws(sum(place < near.n_sets for place in places), random)
            places = [place - near.n_sets for place in places if place >= near.n_sets]
        random.shuffle(drawn)
        return drawn

    @cached_property
    def _sums(self) -> list[NearOptimalSums] | None:
        return _sums_of(self.problem) if self.method == COUNTED and self.is_complete else None

    def _found(self) -> dict[str, Any]:
        names = self.problem.feature_names
        return {
            "n_sets": self.n_sets,
            "is_complete": self.is_complete,
            "best_quality": self.best_quality,
            "min_quality": self.problem.min_quality,
            "feature_counts": dict(zip(names, self.feature_counts, strict=True)),
            "feature_shares": dict(zip(names, self.feature_shares, strict=True)),
            "always": [names[j] for j in self.always],
            "never": [names[j] for j in self.never],
            "pairs": self.pairs if self._pairs_are_quick else None,
            "n_rivals": None if self.sampling is None else self.sampling.rivals,
            "rivals_interval": None if self.sampling is None else self.sampling.rivals_interval,
            "curve": [list(point) for point in self.curve],
            "method": self.method,
            "result": self._result_data(),
        }

    def _facts(self) -> Facts:
        if self.proved is Status.INFEASIBLE:
            return [("answer", "no such sets exist (proved)")]
        if self.proved is not Status.OPTIMAL:
            return [("answer", "the best quality is not proved")]
        sets = "set" if self.n_sets == 1 else "sets"
        found = f"{self.n_sets:,} {sets}"
        said = f"{found}, and no others (proved)" if self.is_complete else f"at least {found}"
        least, best = (
            values.to_float(self.problem, n or 0) for n in (self.problem.min_quality, self.best_quality)
        )
        facts = [("answer", said), ("quality", f"at least {least:.5g}, the best set has {best:.5g}")]
        if not self.is_complete:
            return facts
        names = self.problem.feature_names
        facts.append(("in all", listed_names(names[j] for j in self.always) or "no feature"))
        facts.append(("in none", f"{len(self.never)} of {len(names)} features"))
        shares = [f"{names[j]} {percent(self.feature_shares[j])}" for j in self._often(MOST_SHOWN)]
        facts += [("often", ", ".join(shares))] if shares else []
        for name, sign in (("instead", 1), ("together", -1)):
            known = self.pairs if self._pairs_are_quick else []
            pairs = [pair for pair in known if sign * _rarer(pair) > NOTABLE][:MOST_PAIRS]
            facts += [(name, "; ".join(map(_pair_text, pairs)))] if pairs else []
        rivals = "" if self.sampling is None else self.sampling.rivals_text("the best one by these rows")
        facts += [("error", rivals)] if rivals else []
        fewer = [f"{number:,} reach {least:.5g}" for least, number in self.curve[:: POINTS // 4]]
        return [*facts, ("curve", ", ".join(fewer))]

    def _effort(self) -> tuple[str, str]:
        return "counted by", f"{self.method}, {self.runtime:.2f} s"


def atlas(problem: Problem, loss: float | None = DEFAULT_LOSS, **options: Unpack[QuestionSolving]) -> Atlas:
    """Count the sets that lose at most a share of the best quality, and how often each feature is in them.

    Sums of qualities, with forced and forbidden features and ranges of sizes, are counted without listing
    (`pyfsel.results.near_optimal`). Other sets are listed, at most 100,000 of them.

    Parameters
    ----------
    problem : Problem
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
    InputError, UnsupportedError, BackendMissingError, BackendError, VerificationError
        As `pyfsel.solve`; UnsupportedError also where nothing lists the sets.

    Examples
    --------
    >>> problem = Problem(quality=[9, 8, 8, 3], n_sets=1, set_size=2, max_overlap=2)
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
        found = _Found(sets=dict.fromkeys(() if best is None else best.sets))
        if proved is Status.OPTIMAL:
            method = _find(asking, problem, method, found)
        known: dict[str, Any] = {
            "problem": problem,
            "result": None if best is None or not best.sets else best,
            "best_quality": quality,
            "proved": proved,
            "method": method,
            "is_complete": found.is_complete or proved is Status.INFEASIBLE,
            "sampling": None if best is None else best.sampling,
        }
        answer = Atlas(**known, **_summary(problem, quality, found), **asking.ending(known["is_complete"]))
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
    sets: dict[FeatureSet, None]
    sums: list[NearOptimalSums] | None = None
    counts: Any = 0
    is_complete: bool = False


def _is_counted(problem: Problem) -> bool:
    limits = {"groups", "budget"}.intersection(problem.side_constraints)
    return objective_of(problem).is_sum and not (limits or problem.conflicts or problem.previous_sets)


def _sums_of(problem: Problem, check: Callable[[], None] = lambda: None) -> list[NearOptimalSums]:
    least = problem.min_quality
    assert least is not None
    return [
        NearOptimalSums(problem.quality, size, least, problem.forced, problem.forbidden, check)
        for size in problem.sizes
    ]


def _find(asking: Asking, problem: Problem, method: str, found: _Found) -> str:
    """Count the sets, or list them if there are too many numbers to count by; return the method."""

    def check() -> None:
        if asking.is_stopped():
            raise OutOfTimeError

    if method == COUNTED:
        try:
            sums = _sums_of(problem, check)
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

    def take(sets: Sequence[Iterable[int]]) -> None:
        (members,) = (tuple(sorted(members)) for members in sets)
        if evidence := violations(problem, [members]):
            raise VerificationError(f"{method}: " + "; ".join(evidence))
        found.sets[members] = None

    least = problem.min_quality
    assert least is not None
    answer = asking.run(Enumeration(method, least, MOST_LISTED), problem, take)
    found.is_complete = answer.status is Status.OPTIMAL
    return method


def _summary(problem: Problem, best: int | None, found: _Found) -> dict[str, Any]:
    """Return the fields of an atlas that are counted."""
    counts = np.zeros(problem.n_features, dtype=object)
    steps: list[int] = []
    if best is not None and problem.min_quality is not None:
        loss = best - problem.min_quality
        steps = sorted({best - loss * i // POINTS for i in range(POINTS + 1)}, reverse=True)
    if found.sums is not None:
        n_sets, counts = sum(near.n_sets for near in found.sums), found.counts
        reached = [sum(near.reaching(least) for near in found.sums) for least in steps]
        listed: tuple[FeatureSet, ...] = ()
    else:
        listed = tuple(sorted(found.sets))
        n_sets = len(listed)
        for members in listed:
            counts[list(members)] += 1
        each = np.array([values.total(problem, [members]) for members in listed])
        reached = [int((each >= least).sum()) for least in steps]
    points = zip((values.to_float(problem, least) for least in steps), reached, strict=True)
    curve = tuple(points) if found.is_complete else ()
    return {"n_sets": n_sets, "feature_counts": tuple(counts.tolist()), "curve": curve, "listed": listed}


def _confirmation(asking: Asking, answer: Atlas, best: Result | None) -> Confirmation | None:
    """Return what came of proving the best quality again; the number is not counted a second time."""
    if best is None or answer.status not in PROVED:
        return None
    optimum = asking.confirmation([(best.problem, best.sets)])
    if optimum is None or answer.status is Status.INFEASIBLE:
        return optimum
    why = "the number of sets is counted by one method"
    return Confirmation.of_all([optimum, Confirmation.not_confirmed(why, 0.0)])
