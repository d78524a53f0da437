"""Searches that take turns on one problem: what one of them proves at once can take the others very long.

Which of them has finished the proof stands in the statistics of the answer, as `proved_by`; it may have begun
with sets and bounds of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import PROVED_BY, Answer, StopReason
from pyfsel.results.control import Control, Limits

GROWTH = 3.0  # of a round: what all rounds before the last took is less than half of it
LARGEST_SHARE = 0.5  # so that the others have their turn before the time is up


class TakingTurns(Backend):
    """A backend that is several others in turn: of all, the default formulation.

    Attributes
    ----------
    kinds : tuple of classes of Backend
    seconds : tuple of float
        Of the first round.
    """

    kinds: ClassVar[tuple[type[Backend], ...]]
    seconds: ClassVar[tuple[float, ...]]

    def __init__(self) -> None:
        self.members = tuple(kind() for kind in self.kinds)
        self.basis = tuple(part for member in self.members for part in member.basis)

    def missing(self) -> str | None:
        return next((lack for member in self.members if (lack := member.missing())), None)

    def version(self) -> str | None:
        return next((version for member in self.members if (version := member.version())), None)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        refusals = (member.refusal(problem, formulation) for member in self.members)
        return next(filter(None, refusals), None)

    def solve(self, problem: Problem, control: Control) -> Answer:
        turns = [Turn(m.name, m.solve, s) for m, s in zip(self.members, self.seconds, strict=True)]
        return solve_in_turns(problem, control, turns)


@dataclass(frozen=True)
class Turn:
    """A search, how many seconds it gets in the first round, and the largest share of the time that is left.

    Its name is that of a backend, or says which search of a backend it is. The last one of a round gets all
    time that is left.
    """

    name: str
    solve: Callable[[Problem, Control], Answer]
    seconds: float
    share: float = LARGEST_SHARE


def solve_in_turns(problem: Problem, control: Control, turns: Sequence[Turn]) -> Answer:
    """Solve a problem by several exact searches in turn, until one has finished.

    Each round is three times as long as the one before, so that the time lost to restarts stays a share of
    the whole, and has another seed, as one can take ten times as long as another. A turn begins with the best
    sets and the best bound so far; a search that runs out of memory is not taken again.
    """
    best, bound, statistics, message = control.hint, control.known_bound, {}, ""
    why = StopReason.TIME_LIMIT
    left = list(turns)
    for number in count():
        for turn in tuple(left):
            share = turn.share if turn is not left[-1] else 1.0
            limits = turn_limits(control, turn.seconds * GROWTH**number, share)
            known = replace(
                control,
                limits=replace(limits, random_state=limits.random_state + number),
                hint=best,
                known_bound=bound,
            )
            answer = turn.solve(problem, known)
            control.compile_seconds += known.compile_seconds
            if answer.stop_reason is StopReason.FINISHED:
                return proved_by(turn.name, answer)
            best = better_hint(problem, best, answer.sets)
            bound = min((b for b in (bound, answer.bound) if b is not None), default=None)
            why, statistics, message = answer.stop_reason, dict(answer.statistics), answer.message
            if why is not StopReason.TIME_LIMIT:
                left.remove(turn)
        if control.expired() or not left:
            break
    return Answer.unproved(best, bound, why, statistics, message)


def proved_by(name: str, answer: Answer) -> Answer:
    """Return an answer whose statistics say which search has proved it."""
    return replace(answer, statistics={**answer.statistics, PROVED_BY: name})


def turn_limits(control: Control, seconds: float, share: float) -> Limits:
    """Return the limits of a turn: at most this share of the time that is left is used."""
    remaining = control.remaining()
    return control.limits.within(seconds if remaining is None else min(seconds, share * remaining))


def better_hint(
    problem: Problem, one: tuple[FeatureSet, ...] | None, other: tuple[FeatureSet, ...] | None
) -> tuple[FeatureSet, ...] | None:
    """Return the better of two solutions, either of which may be missing."""
    known = [sets for sets in (one, other) if sets is not None]
    return max(known, key=lambda sets: values.total(problem, sets), default=None)
