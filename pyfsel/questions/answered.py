"""What all answers to questions have in common: how they were found, as data for JSON and as tables."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.wording import number_of
from pyfsel.questions.asking import Trial
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.claims import Claim
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import Facts, Part, Shown, aligned
from pyfsel.results.drawing import question_facts, sets_table
from pyfsel.results.result import Result
from pyfsel.results.saved_entry import plain


@dataclass(frozen=True, repr=False, kw_only=True)
class Answered(Shown):
    """An answer to a question; classes for one question add what was found and what is proved of it.

    Parameters
    ----------
    problem : Instance
        What was asked.
    result : Result or None
        The sets that were found, if any.
    runtime : float
        Seconds.
    stop_reason : StopReason
    trials : tuple of Trial
        The problems that were solved on the way.
    message : str
    confirmation : Confirmation or None
        What came of proving again on what the answer rests, if that was asked for and it is proved.
    """

    question: ClassVar[str]

    problem: Instance
    result: Result | None = None
    runtime: float
    stop_reason: StopReason
    trials: tuple[Trial, ...] = ()
    message: str = ""
    confirmation: Confirmation | None = None

    @property
    def sets(self) -> tuple[FeatureSet, ...]:
        """The sets found."""
        return () if self.result is None else self.result.sets

    @property
    @abstractmethod
    def status(self) -> Status:
        """OPTIMAL or INFEASIBLE if the answer is proved."""

    @property
    @abstractmethod
    def claim(self) -> Claim:
        """What is proved, and of what."""

    @abstractmethod
    def _found(self) -> dict[str, Any]:
        """Return what was found, for `to_dict`."""

    @abstractmethod
    def _facts(self) -> Facts:
        """Return the answer in words, the most important first."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "question": self.question,
            "status": str(self.status),
            "scope": str(self.claim.scope),
            "claim": str(self.claim),
            **self._found(),
            "runtime": self.runtime,
            "stop_reason": str(self.stop_reason),
            "trials": plain(self.trials),
            "message": self.message,
            "confirmation": plain(self.confirmation),
        }

    def _result_data(self) -> dict[str, Any] | None:
        return None if self.result is None else self.result.to_dict()

    def _all_facts(self) -> Facts:
        """Return the answer in words, what is proved, whether it was confirmed, and how much was solved."""
        answer, *facts = self._facts()
        facts = [answer, ("status", f"{self.status}  {self.claim}"), *facts]
        if self.confirmation is not None:
            facts.append(("proof", str(self.confirmation)))
        facts.append(self._effort())
        return [*facts, ("note", self.message)] if self.message else facts

    def _effort(self) -> tuple[str, str]:
        return "question", f"{number_of(len(self.trials), 'problem')} solved, {self.runtime:.2f} s"

    def _best(self) -> float | None:
        """Return the quality to which those of the sets are related, if that is not the first set's."""
        return None

    def _shown(self) -> Result | None:
        """Return what is shown with its qualities below the answer."""
        return self.result

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: the answer in words, and the sets."""
        shown = self._shown()
        sets: list[Part] = []
        if shown is not None:
            sets = [*sets_table(shown, self._best()), question_facts(shown, overlap_rule)]
        return [self._all_facts(), *sets]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._facts()[0][1]}>"


@dataclass(frozen=True, repr=False, kw_only=True)
class AnsweredBesideBest(Answered):
    """An answer about sets that lose at most some quality, compared with the best set.

    Parameters
    ----------
    best_quality : int or None
        Integer value of the best set, which the loss refers to.
    """

    best_quality: int | None

    def _best(self) -> float | None:
        return None if self.best_quality is None else values.to_float(self.problem, self.best_quality)

    def _threshold(self) -> Facts:
        """Return what is asked of each set, and how the worst one found compares with the best set."""
        problem, best = self.problem, self.best_quality
        if problem.min_quality is None:
            return []
        said = f"at least {quality_text(problem, problem.min_quality)} for each set"
        if best is not None:
            said += f", the best set has {quality_text(problem, best)}"
        if self.sets and best is not None and best > 0:
            worst = int(values.values(problem, self.sets).min())
            said += f", the worst one found {100 * worst / best:.1f} % of it"
        return [("quality", said)]


def quality_text(problem: Instance, integer: int) -> str:
    """Return an integer value in the user's unit."""
    return aligned([values.to_float(problem, integer)])[0]
