"""The loop: the master proposes counts, they are realised or cut off, until the best are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pyfsel.algorithms.counts.family import CountVector, Family
from pyfsel.algorithms.counts.master import Master
from pyfsel.algorithms.counts.realise import Realiser, Verdict
from pyfsel.algorithms.incumbent import Incumbent
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality
from pyfsel.results.control import Control

VECTORS_BEFORE_RETRY = 10  # undecided ones: then the bound is worth another try, with more effort


@dataclass
class _Undecided:
    value: int
    counts: CountVector
    effort: int = 1


class CountsSearch(Incumbent):
    """Logic-based Benders decomposition of sum-aggregation with a univariate objective.

    The master (`Master`) knows the counts only and gives an upper bound. Its proposal is realised by sets
    (`Realiser`), which are then optimal, or it is refuted, and a cut excludes the part of it that cannot be
    realised, wherever it stands. A vector that stays undecided keeps the bound open, is set aside and tried
    again with more effort.

    Parameters
    ----------
    problem : Problem
        Univariate, sum-aggregation, without conflicts and previous sets.
    control : Control

    Attributes
    ----------
    best, value, bound
        See `Incumbent`; the bound is None before the search has begun, and if there are no such sets. The
        value of sets that it finds is what the master states that their counts are worth.
    finished : bool
        Whether `best` is proved optimal, or, if it is None, that there are no such sets.
    statistics : dict
        Cuts found, vectors left undecided, and how many vectors each method decided.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        super().__init__(problem, control)
        self.family = Family.of_problem(problem)
        self.order = by_quality(problem)
        quality = problem.quality[self.order].tolist()
        self.master = Master(quality, self.family)
        self.realiser = Realiser(self.family, control.limits.random_state, control.remaining)
        self.finished = False
        self.methods: Counter[str] = Counter()
        self.n_cuts = 0
        self._open_bound = problem.n_sets * sum(quality[: problem.set_size])
        self._exhausted = False
        self._undecided: list[_Undecided] = []

    def run(self) -> None:
        """Search until the time is up or the best sets are proved."""
        if self.control.hint is not None:
            self.improve(self.control.hint)
        try:
            since_retry = 0
            first = True
            while not self.finished and not self.control.expired():
                if self._exhausted or since_retry >= VECTORS_BEFORE_RETRY:
                    since_retry = 0
                    self._retry()
                else:
                    since_retry += self._take_proposal()
                if first:
                    first = False
                    self._find_good_sets()
                self._conclude()
        finally:
            self.realiser.close()
            self.statistics = {"cuts": self.n_cuts, "undecided": len(self._undecided), **self.methods}

    def _take_proposal(self) -> bool:
        """Realise the best counts left; return whether that stayed undecided."""
        least = None if self.value is None else self.value + 1
        self.master.keep_between(least, self._open_bound)
        proposal = self.master.propose(self.control.remaining(), self.control.limits.random_state)
        self._exhausted = proposal.exhausted
        if proposal.bound is not None:
            self._open_bound = proposal.bound
        if proposal.counts is None or proposal.bound is None:
            return False
        self._conclude()
        verdict = self.realiser.decide(proposal.counts)
        self._learn(proposal.counts, verdict, proposal.bound)
        if verdict.sets is None and verdict.impossible is None:
            self.master.forbid(proposal.counts)
            self._undecided.append(_Undecided(proposal.bound, proposal.counts))
            return True
        return False

    def _retry(self) -> None:
        """Try the best undecided counts again, with twice the effort."""
        if not self._undecided:
            return
        chosen = max(self._undecided, key=lambda u: (u.value, -u.effort))
        chosen.effort *= 2
        verdict = self.realiser.decide(chosen.counts, chosen.effort)
        if verdict.sets is not None or verdict.impossible is not None:
            self._undecided.remove(chosen)
        self._learn(chosen.counts, verdict, chosen.value)

    def _learn(self, counts: CountVector, verdict: Verdict, worth: int) -> None:
        self.methods[verdict.method] += 1
        if verdict.sets is not None:
            self.improve(self._placed(verdict.sets), worth)
        elif verdict.impossible is not None:
            self.n_cuts += 1
            self.master.forbid(verdict.impossible)

    def _find_good_sets(self) -> None:
        """Realise counts that leave part of the overlaps unused: as little as the local search needs."""
        too_little, enough = 0, self.family.all_overlaps
        while enough - too_little > 1 and not self.finished and not self.control.expired():
            spare = (too_little + enough) // 2
            proposal = self.master.propose(self.control.remaining(), self.control.limits.random_state, spare)
            if proposal.counts is None:
                enough = spare
                continue
            sets = self.realiser.search(proposal.counts)
            if sets is None:
                too_little = spare
            else:
                enough = spare
                self.improve(self._placed(sets), proposal.bound)

    def _placed(self, sets: Sequence[FeatureSet]) -> tuple[FeatureSet, ...]:
        return tuple(tuple(sorted(self.order[j] for j in members)) for members in sets)

    def value_of(self, members: FeatureSet) -> int:
        quality = dict(zip(self.order, self.master.quality, strict=True))
        return sum(quality[j] for j in members)

    def _conclude(self) -> None:
        """Update the bound, and see whether the search is over."""
        if self.value is not None:
            self._undecided = [u for u in self._undecided if u.value > self.value]
        limits = [u.value for u in self._undecided]
        if not self._exhausted:
            limits.append(self._open_bound)
        if self.value is not None:
            limits.append(self.value)
        if not limits:
            self.finished, self.bound = True, None
            return
        self.tighten(max(limits))
        self.finished = self.value == max(limits)
