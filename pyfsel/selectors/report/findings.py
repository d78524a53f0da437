"""What a report is about: the answer, and what else is asked about the table for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

from pyfsel.errors import PyfselError
from pyfsel.explore import atlas, sweep
from pyfsel.interface.answer import Answer
from pyfsel.interface.evaluation import Evaluation
from pyfsel.interface.scores import Scores
from pyfsel.measures.relations import RELATED, Relations, relations
from pyfsel.results.answer import StopReason

NEAR_SECONDS = 20.0  # for nearly best sets, of which an interval is enough


@dataclass
class Findings:
    """All that a report is about.

    Parameters
    ----------
    answer : Answer
    scores : Scores
    name, target : str
        Of the table and of what is predicted; "" if unknown.
    evaluation : Evaluation or None
        Held-out scores.
    sizes : Evaluation or None
        Held-out scores of sets of several sizes.
    trade_off : Answer or None
        Quality against dissimilarity, for the same number of sets.
    near : Answer or None
        Single sets that are nearly as good as the best one.
    missing : list of str
        What was left out, with the reason.
    interrupted : bool
        Whether Ctrl-C left out the rest.
    """

    answer: Answer
    scores: Scores
    name: str = ""
    target: str = ""
    evaluation: Evaluation | None = None
    sizes: Evaluation | None = None
    trade_off: Answer | None = None
    near: Answer | None = None
    missing: list[str] = field(default_factory=list)
    interrupted: bool = False

    def look_up(self, name: str, words: str, find: Callable[[], Any]) -> None:
        """Find one more thing, unless Ctrl-C has ended the report; say what is left out and why."""
        if self.interrupted:
            return
        try:
            with catch_warnings():
                simplefilter("ignore", UserWarning)  # fitting has said it
                found = find()
        except PyfselError as error:
            self.missing.append(f"{words} ({error})")
            return
        except KeyboardInterrupt:
            self.interrupted = True
            return
        setattr(self, name, found)
        self.interrupted = found is not None and str(found.stop_reason) == StopReason.INTERRUPTED

    @cached_property
    def relations(self) -> Relations:
        """How much the sets say the same."""
        table = self.scores.table
        place = {name: j for j, name in enumerate(table.feature_names)}
        return relations(table, [[place[name] for name in one] for one in self.answer.sets])

    def of_relations(self, is_related: bool) -> Iterator[str]:
        """Yield a sentence for each alternative whose new features are related to set 0, or are not."""
        found = self.relations
        for number in range(1, len(found.sizes)):
            new, related, pair = found.new[number], found.related[number], found.closest[number]
            if pair is None or bool(related) is not is_related:
                continue
            measured = f"(absolute rank correlation at least {RELATED:g})"
            if is_related:
                count = "its new feature is" if new == 1 else f"{related} of its {new} new features are"
                yield (
                    f"Set {number} {'partly ' if related < new else ''}measures the same as set 0: {count} "
                    f"related to set 0 {measured}, such as {pair[0]} to {pair[1]} ({pair[2]:.2f})"
                )
            else:
                count = "its new feature is not" if new == 1 else f"none of its {new} new features is"
                yield f"Set {number} measures something else: {count} related to set 0 {measured}"


def trade_off_of(answer: Answer, **solving: Any) -> Answer | None:
    """Return what dissimilarity costs, for the same number of sets; None if that cannot be asked."""
    instance = answer.problem.instance
    return (
        None
        if instance.n_sets == 1 or instance.has_size_range
        else sweep(answer.problem, n_sets=[instance.n_sets], **solving)
    )


def near_of(answer: Answer, *, time_limit: float | None, **solving: Any) -> Answer:
    """Return how many single sets are nearly as good as the best one."""
    seconds = NEAR_SECONDS if time_limit is None else min(time_limit, NEAR_SECONDS)
    return atlas(answer.problem, time_limit=seconds, **solving)
