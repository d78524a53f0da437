"""Parts of which the answers to questions are drawn: how a question ended, thresholds, qualities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import StopReason
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import aligned, facts_table, plain_text
from pyfsel.results.drawing import STOPS, result_html, result_table
from pyfsel.results.notebook import html_facts
from pyfsel.results.result import Result

if TYPE_CHECKING:
    from rich.console import RenderableType

Facts = list[tuple[str, str]]


class Ended(Protocol):
    """What all answers tell about the way they were found."""

    @property
    def trials(self) -> Sequence[object]: ...
    @property
    def runtime(self) -> float: ...
    @property
    def stop_reason(self) -> StopReason: ...
    @property
    def message(self) -> str: ...
    @property
    def confirmation(self) -> Confirmation | None: ...


class Drawn:
    """An answer that draws itself from its facts and the result with its sets."""

    result: Result | None

    def _facts(self) -> Facts:
        """Return the answer in words, the most important first."""
        raise NotImplementedError

    def _best(self) -> float | None:
        """Return the quality to which those of the sets are related, if that is not the first set's."""
        return None

    def table(self, overlap_rule: str = "") -> RenderableType:
        """Return what `rich` prints; `overlap_rule` says what the limit on shared features comes from."""
        return answer_table(self._facts(), self.result, overlap_rule, self._best())

    def __str__(self) -> str:
        return plain_text(self.table())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._facts()[0][1]}>"

    def _repr_html_(self) -> str:
        sets = "" if self.result is None else result_html(self.result, self._best())
        return f"<div>{html_facts(self._facts())}{sets}</div>"


def answer_table(
    facts: Facts, result: Result | None, overlap_rule: str, best: float | None = None
) -> RenderableType:
    """Return what `rich` prints of an answer: the facts, and below them the sets with what is proved of them.

    Parameters
    ----------
    facts : list of (name, text)
    result : Result or None
    overlap_rule : str
        What the limit on shared features comes from.
    best : float, optional
        As for `result_table`.
    """
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [facts_table(facts)]
    if result is not None:
        parts += [Text(), result_table(result, overlap_rule, best)]
    return Group(*parts)


def effort(answer: Ended) -> Facts:
    """Return how much was solved, whether it was confirmed, and why it ended if that needs words."""
    solved = "1 problem" if len(answer.trials) == 1 else f"{len(answer.trials)} problems"
    return [*proof(answer), ("question", f"{solved} solved, {answer.runtime:.2f} s"), *ending(answer)]


def proof(answer: Ended) -> Facts:
    """Return whether the proofs were confirmed, if that was asked for."""
    return [] if answer.confirmation is None else [("proof", str(answer.confirmation))]


def ending(answer: Ended) -> Facts:
    """Return why the question ended, if that needs words."""
    said = "; ".join(part for part in (STOPS[answer.stop_reason], answer.message) if part)
    return [("ended", said)] if said else []


def threshold(problem: Problem, best: int | None, sets: Sequence[FeatureSet]) -> Facts:
    """Return what is asked of each set, and how the worst of the sets found compares with the best set."""
    if problem.min_quality is None:
        return []
    said = f"at least {quality_text(problem, problem.min_quality)} for each set"
    if best is not None:
        said += f", the best set has {quality_text(problem, best)}"
    if sets and best is not None and best > 0:
        worst = int(values.values(problem, sets).min())
        said += f", the worst one found {100 * worst / best:.1f} % of it"
    return [("quality", said)]


def best_quality(problem: Problem, best: int | None) -> float | None:
    """Return the quality of the best set in the user's unit, if there is one."""
    return None if best is None else values.to_float(problem, best)


def quality_text(problem: Problem, integer: int) -> str:
    """Return an integer value in the user's unit."""
    return aligned([values.to_float(problem, integer)])[0]
