"""The answer to any question: sets, a status, and low ≤ truth ≤ high."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import ROUND_CEILING
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, overload

from pyfsel.errors import InputError
from pyfsel.interface.layout import Layout, Shown
from pyfsel.interface.problem import Problem
from pyfsel.problem import values
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.rows import resized
from pyfsel.problem.text_files import parsed_json, read_text
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import PROVED, Status, StopReason
from pyfsel.results.claims import QUALITY, Claim, Scope, Terms, claim_about, claim_of, rounded
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.copies import loses_nothing, near_groups
from pyfsel.results.display import Facts, listed_names
from pyfsel.results.facts import question_facts
from pyfsel.results.result import Result
from pyfsel.results.saved_entry import Saved, plain, value_of
from pyfsel.results.stated import wrong_in_answer
from pyfsel.results.tables import tables_of
from pyfsel.solving.asking import Asking
from pyfsel.solving.min_then_sum import MinThenSum

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Item = TypeVar("Item")
FORMAT = "pyfsel-answer 1"
PICTURES = ("membership", "qualities")
UNSAVED = ("frame", "tables", "answers")
MOST_DRAWN = 30
MOST_GROUPS = 3


class Listed(Sequence[Item]):
    """Iterates over the parts of a tuple."""

    @property
    def _listed(self) -> tuple[Item, ...]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._listed)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._listed[index]


@dataclass(frozen=True)
class FeatureSet(Saved, Listed[str]):
    """One set of features; it iterates over their names.

    Parameters
    ----------
    names : tuple of str
    indices : tuple of int
        The 0-based positions of the features in the problem.
    quality : float
        In the unit of the answer.
    relative : float
        The quality as a proportion of the quality of set 0; NaN if set 0 has no positive quality.
    high : float or None
        No set that differs enough from the earlier ones has a larger quality; None if that is not proved.
    status : Status
    shared : tuple of int
        The number of features shared with each earlier set.
    cost : float or None
    error : float or None
        Half the width of the 95% interval of the quality.
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    quality: float
    relative: float
    high: float | None = None
    status: Status = Status.FEASIBLE
    shared: tuple[int, ...] = ()
    cost: float | None = None
    error: float | None = None

    @property
    def _listed(self) -> tuple[str, ...]:
        return self.names

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return super().to_dict() | {"relative": None if math.isnan(self.relative) else self.relative}

    @classmethod
    def from_dict(cls, data: Any, where: str = "set") -> Self:
        """Return what `to_dict` has written."""
        is_nan = isinstance(data, Mapping) and data.get("relative") is None
        found = super().from_dict({**data, "relative": 0.0} if is_nan else data, where)
        return replace(found, relative=math.nan) if is_nan else found


@dataclass(frozen=True, repr=False)
class Answer(Saved, Shown, Listed[FeatureSet]):
    """The answer to a question about a problem; it iterates over its sets.

    Parameters
    ----------
        question : str
            "solve", "atlas", "ties", "most_sets", "most_dissimilar", "cheapest" or "sweep".
        status : Status
        scope : {"each", "joint", "count", "none"}
            What is proved: each set given the earlier ones, all sets together, a number, or nothing.
        claim : str
            What is proved, in a sentence.
        low, high : float or None
            low ≤ truth ≤ high, for the number that was requested. None for a sequential search, in which each
            set has its own bound.
        unit : str
            The unit of `low` and `high`.
        sets : tuple of FeatureSet
        headline : str
        cautions : tuple of str
            Warnings to read before you use the sets, the most important first.
        problem : Problem
        runtime : float
            Seconds.
        stop_reason : str
        solver : str
        details : mapping
            Values that only this question has, such as the counts of features of an atlas.

    Examples
    --------
        >>> from pyfsel.interface.problem import Problem
        >>> from pyfsel.interface.solving import solve
        >>> answer = solve(Problem([9, 8, 7, 3, 2, 1], k=3, n_sets=2, dissimilarity="shared:1", search="sum"))
        >>> answer.status, answer.low, answer.high, answer[1].indices
        (<Status.OPTIMAL: 'OPTIMAL'>, 38.0, 38.0, (0, 3, 4))
    """

    question: str
    status: Status
    scope: str
    claim: str
    low: float | None
    high: float | None
    unit: str
    sets: tuple[FeatureSet, ...]
    headline: str
    cautions: tuple[str, ...]
    problem: Problem
    runtime: float
    stop_reason: str
    solver: str
    details: Mapping[str, Any] = field(default_factory=dict)
    source: Any = field(default=None, compare=False)
    """What the package found, with its whole history; not part of the interface."""

    @property
    def _listed(self) -> tuple[FeatureSet, ...]:
        return self.sets

    @property
    def proved(self) -> bool:
        """Whether the answer is proved."""
        return self.status in PROVED

    @cached_property
    def _frame(self) -> pd.DataFrame:
        import pandas as pd

        if "frame" in self.details:
            return cast("pd.DataFrame", self.details["frame"])
        rows = [
            {
                "features": list(one.names),
                "indices": list(one.indices),
                "quality": one.quality,
                "relative": one.relative,
                **({} if one.cost is None else {"cost": one.cost}),
                **({} if one.error is None else {"error": one.error}),
                "shared": max(one.shared, default=0),
                "high": one.high,
                "status": str(one.status),
            }
            for one in self.sets
        ]
        return pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="set"))

    def to_frame(self) -> pd.DataFrame:
        """Return the table that is shown: sets, features of an atlas, or cells of a sweep."""
        return self._frame.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what `load` needs."""
        later = ("sets", "details", "problem", "source")
        saved = {
            each.name: plain(getattr(self, each.name)) for each in fields(self) if each.name not in later
        }
        details = {name: plain(given) for name, given in self.details.items() if name not in UNSAVED}
        if "answers" in self.details:
            details["answers"] = [_without_problem(cell) for cell in self.details["answers"]]
        if "frame" in self.details:
            details["frame"] = json.loads(self._frame.to_json(orient="records"))
        saved |= {"sets": plain(self.sets), "details": details, "problem": self.problem.instance.to_dict()}
        if self.question == "solve" and self.source is not None:
            found = self.source.to_dict()
            found.pop("problem", None)
            saved["found"] = found
        return {"format": FORMAT, **saved}

    @classmethod
    def load(cls, path: str | Path) -> Answer:
        """Read an answer and verify its sets again.

        For an answer of `solve`, the claims are derived again from the saved result of the search. The
        answers to other questions state numbers that only another search can confirm.

        Raises
        ------
        InputError
            If the file is not a saved answer, or contains something false.
        """
        data = parsed_json(str(path), read_text(path))
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise InputError(f"{path}: is not a saved answer. Expected a file that Answer.save wrote")
        try:
            found = read_answer(Instance.from_dict(data["problem"]), data)
            return replace(found, details={**data["details"], **found.details})
        except (InputError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: is not a saved answer ({error})") from None

    def plot(self, kind: str | None = None) -> Figure:
        """Draw the answer.

        Parameters
        ----------
        kind : {"membership", "qualities"}, optional
            For sets: which features are in which set, or the qualities, with the bound of each set if it is
            known. By default, an atlas and a sweep have their own plots.
        """
        from pyfsel.results import plots

        if self.question == "sweep" and kind is None:
            return plots.draw_sweep(self._frame, self.problem.dissimilarity.by)
        if self.question == "atlas" and kind is None and self.details.get("curve"):
            often = self._frame.sort_values("n_sets", ascending=False, kind="stable").head(MOST_DRAWN)
            return plots.draw_shares_and_growth(
                list(often.index), list(often["share"]), self.details["curve"]
            )
        if not self.sets:
            raise InputError(
                f"plot: this answer to {self.question!r} has no sets, so there is nothing to draw"
            )
        kind = kind or "membership"
        one_of("kind", kind, PICTURES)
        if kind == "membership":
            return plots.draw_membership([one.names for one in self.sets])
        return plots.draw_qualities(self.sets, self.details.get("head", "quality"), str(self.status))

    def layout(self) -> Layout:
        """Return what is shown of the answer."""
        return Layout(
            headline=self.headline,
            tables=tables_of(self),
            status=str(self.status),
            claim=self.claim,
            cautions=self.cautions,
            error=self.details.get("sampling_error", ""),
            details=self.details.get("facts", []),
        )

    def __repr__(self) -> str:
        numbers = "" if self.low is None else f", {self.low:.6g} ≤ truth ≤ {self.high or math.inf:.6g}"
        return f"<Answer to {self.question}: {self.status}, {self.headline}{numbers}>"


def read_answer(instance: Instance, data: Mapping[str, Any]) -> Answer:
    """Return an answer about an instance from its plain data; its sets are verified again."""
    details = value_of(Mapping, data["details"], "answer.details")
    problem = Problem.of_instance(instance, value_of(str, details["search"], "answer.details.search"))
    if data["question"] != "solve":
        return _as_stated(problem, data)
    if problem.search != "min_then_sum":
        return answer_of(Result.from_dict({**data["found"], "problem": instance}), problem)
    found = MinThenSum.from_dict(
        {**data["found"], "problem": instance.replace(aggregate="min")}, "answer.found"
    )
    asking = Asking()
    asking.stop_reason = value_of(StopReason, data["stop_reason"], "answer.stop_reason")
    ended = {name: data[name] for name in ("runtime", "stop_reason", "solver")}
    return replace(answer_to_min_then_sum(found, problem, asking), **ended)


def _as_stated(problem: Problem, data: Mapping[str, Any]) -> Answer:
    """Return the answer to another question as it is stated, if nothing in it contradicts the problem."""
    import pandas as pd

    instance, details = problem.instance, dict(data["details"])
    wrong = wrong_in_answer(instance, data)
    if wrong:
        raise InputError("; ".join(wrong))
    if "answers" in details:
        details["answers"] = [read_answer(*part) for part in solved_parts(instance, data)]
    if "frame" in details:
        names = pd.Index(instance.feature_names, name="feature") if data["question"] == "atlas" else None
        details["frame"] = pd.DataFrame(details["frame"], index=names)
    return Answer.from_dict({**data, "problem": problem, "details": details, "source": None}, "answer")


def solved_parts(instance: Instance, data: Mapping[str, Any]) -> list[tuple[Instance, Mapping[str, Any]]]:
    """Return problem and plain data of each answer of `solve` in an answer: itself, or all in a sweep."""
    if data["question"] != "sweep":
        return [(instance, data)] if data["question"] == "solve" else []
    whole, details = instance.replace(evidence=None), data["details"]
    return [
        (resized(whole, row["k"], n_sets=row["n_sets"], max_shared=row["shared"]), cell)
        for row, cell in zip(details["frame"], details["answers"], strict=True)
    ]


def _without_problem(answer: Answer) -> dict[str, Any]:
    return {name: given for name, given in answer.to_dict().items() if name != "problem"}


def feature_sets(result: Result) -> tuple[FeatureSet, ...]:
    """Return the sets of a result."""
    bounds = result.step_bounds if result.is_stepwise else []
    margins = () if result.sampling is None else result.sampling.margins
    statuses = [step.status for step in result.steps if step.features is not None]
    costs = result.costs
    qualities, relative = result.qualities, result.relative_qualities
    return tuple(
        FeatureSet(
            names=tuple(result.problem.names_of(members)),
            indices=members,
            quality=qualities[i],
            relative=relative[i],
            high=bounds[i] if i < len(bounds) else None,
            status=statuses[i] if i < len(statuses) else result.status,
            shared=tuple(len({*members} & {*other}) for other in result.sets[:i]),
            cost=None if costs is None else costs[i],
            error=margins[i] if i < len(margins) else None,
        )
        for i, members in enumerate(result.sets)
    )


def answer_of(
    result: Result, problem: Problem, question: str = "solve", *, terms: Terms = QUALITY, **changes: Any
) -> Answer:
    """Return a result of the package as an answer.

    Parameters
    ----------
    result : Result
    problem : Problem
    question : str
    terms : Terms
        The words for what makes a set good.
    **changes
        Other fields of the answer.
    """
    result = problem.noted(result)
    claim = claim_of(result, terms)
    answer = Answer(
        question=question,
        status=result.status,
        scope=str(claim.scope),
        claim=in_full(result.problem, str(claim)),
        low=None if result.is_stepwise else result.objective,
        high=result.bound,
        unit=problem.unit,
        sets=feature_sets(result),
        headline=headline_of(result, problem),
        cautions=all_cautions(problem, result, compared=True),
        problem=problem,
        runtime=result.runtime,
        stop_reason=str(result.stop_reason),
        solver=result.backend,
        details={
            "search": problem.search,
            "facts": [*problem.chosen, *question_facts(result)],
            "sampling_error": sampling_error(result, problem),
        },
        source=result,
    )
    return replace(answer, **changes)


def answer_to(
    question: str,
    problem: Problem,
    asking: Asking,
    *,
    result: Result | None,
    status: Status,
    claim: Claim,
    headline: str,
    low: float | None,
    high: float | None,
    unit: str,
    confirmation: Confirmation | None = None,
    best: int | None = None,
    closed: bool = False,
    facts: Facts | None = None,
    cautions: Iterable[str] = (),
    **details: Any,
) -> Answer:
    """Return what another question found as an answer.

    Parameters
    ----------
    question, problem, status, claim, headline, low, high, unit
        As for `Answer`.
    asking : Asking
        What has solved its problems.
    result : Result or None
        The sets.
    confirmation : Confirmation or None
        What came of proving the answer again.
    best : int or None
        The integer value of the best set, of which the qualities of the sets are proportions; else of set 0.
    closed : bool
        Whether nothing is left to be found though the answer is not proved.
    facts : list of pairs of str, optional
        What only the curious need, in addition to what is known of the sets.
    cautions : iterable of str
        Cautions that come before the cautions about the sets.
    **details
        What only this question has.
    """
    stop_reason, message = asking.ended(closed or status in PROVED)
    facts = [*problem.chosen, *(facts or []), *([] if result is None else question_facts(result))]
    if confirmation is not None:
        facts.insert(0, ("proof", str(confirmation)))
    return Answer(
        question=question,
        status=status,
        scope=str(claim.scope),
        claim=in_full(problem.instance, str(claim)),
        low=low,
        high=high,
        unit=unit,
        sets=() if result is None else _beside_best(result, best),
        headline=headline,
        cautions=all_cautions(problem, result, *([message] if message else []), *cautions),
        problem=problem,
        runtime=asking.runtime,
        stop_reason=str(stop_reason),
        solver=", ".join(asking.used),
        details={"search": problem.search, "facts": facts, "confirmation": plain(confirmation), **details},
        source=result,
    )


GOALS = {"sum": " with the largest total quality", "min": " with the largest minimum quality"}


def headline_of(result: Result, problem: Problem) -> str:
    """Return what was found, in one sentence."""
    instance, found = result.problem, len(result.sets)
    size = f"of {instance.sizes_text}"
    if not found:
        is_proved = result.status is Status.INFEASIBLE
        if instance.n_sets == 1:
            return f"No feature set {size} {'exists' if is_proved else 'was found'}{problem.origin}"
        known = "exist" if is_proved else "were found"
        return f"No {instance.n_sets} feature sets {size} {known}{problem.origin}"
    count = f"{found}" if found == instance.n_sets else f"{found} of {instance.n_sets}"
    noun = "feature set" if count == "1" else "feature sets"
    goal = GOALS.get(problem.search, "") if found > 1 and problem.search in GOALS else ""
    if goal and result.status is not Status.OPTIMAL:
        goal = goal.replace("the largest", "a large")
    equal = "equally good " if found > 1 and len(set(result.qualities)) == 1 and not goal else ""
    return f"{count} {equal}{noun} {size}{goal}{problem.origin}"


def all_cautions(
    problem: Problem, result: Result | None, *cautions: str, compared: bool = False
) -> tuple[str, ...]:
    """Return what to know before the sets of an answer are used, the most important first.

    Parameters
    ----------
    problem : Problem
        If it is of a table, what misleads there comes first.
    result : Result or None
        The sets.
    *cautions : str
        Of this answer.
    compared : bool
        Whether to say which sets say the same as set 0.
    """
    names = problem.instance.feature_names
    sets = [] if result is None else [[names[j] for j in one] for one in result.sets]
    misleading, alike = problem.cautions(sets, compared=compared)
    own = _of_merged(problem.instance, ()) if result is None else cautions_of(result)
    return tuple(dict.fromkeys((*misleading, *cautions, *own, *alike)))


def cautions_of(result: Result) -> Iterator[str]:
    """Yield what to know before the sets are used."""
    instance = result.problem
    groups = near_groups(instance, result.sets, result.near_copies)
    if groups:
        inside = {j for members in result.sets for j in members}
        near = {j for pair in result.near_copies for j in pair} & inside
        more = "" if len(groups) <= MOST_GROUPS else f" and {len(groups) - MOST_GROUPS} more groups"
        yield (
            f"{len(near)} of these {len(inside)} features are near-duplicates: "
            f'{"; ".join(groups[:MOST_GROUPS])}{more}. To count each group once: near_duplicates="merge"'
        )
    yield from _of_merged(instance, result.sets)
    if instance.evidence is not None:
        weak = instance.evidence.not_above_chance({j for members in result.sets for j in members})
        verb = "is" if len(weak) == 1 else "are"
        if len(weak):
            yield (
                f"{len(weak)} of these features (marked *) {verb} not significant (permutation test, "
                "family-wise error 5%)"
            )
        out = set(instance.evidence.not_above_chance().tolist()) & {*instance.forbidden}
        if instance.evidence.are_left_out and out:
            yield (
                f"Not significant and left out: {len(out)} of the {instance.n_features} features. "
                'To allow them: chance="mark"'
            )
    if len(result.sets) > 1 and len(set(result.qualities)) == 1:
        yield "These sets tie, so their order is arbitrary"


def _of_merged(instance: Instance, sets: Iterable[Iterable[int]]) -> Iterator[str]:
    """Yield that near-duplicates were merged, and for which others the features of the sets stand."""
    if not instance.copies:
        return
    inside = sorted({j for members in sets for j in members if instance.copies_of(j)})
    named = [f"{instance.feature_names[j]} for {listed_names(instance.copies_of(j))}" for j in inside]
    more = " and others" if len(named) > MOST_GROUPS else ""
    stand = f": {'; '.join(named[:MOST_GROUPS])}{more}" if named else ""
    best = ", the best of them" if loses_nothing(instance) else ""
    yield f'Near-duplicates count as one feature{best}{stand}. To count each: near_duplicates="note"'


def in_full(instance: Instance, claim: str) -> str:
    """Return a claim, with the words that near-duplicates were merged unless it says so itself."""
    if not instance.copies or "near-duplicates" in claim:
        return claim
    if loses_nothing(instance):
        return f"{claim} Near-duplicates count as one."
    return f"{claim} Of each group of near-duplicates only one was considered."


def sampling_error(result: Result, problem: Problem) -> str:
    """Return the sampling error of set 0 in words; "" if nobody knows."""
    if result.sampling is None or not result.sets or not result.sampling.margins:
        return ""
    quality, margin = result.qualities[0], result.sampling.margins[0]
    rivals = result.sampling.rivals
    text = f"Set 0 has {quality:.3g} ± {margin:.2g} {problem.unit} (95% interval)".replace("  ", " ")
    if rivals is None:
        return text
    if rivals == 0:
        return f"{text}; every other set of its size is significantly worse"
    least = "" if result.sampling.all_compared else "at least "
    others = "other set of its size is" if rivals == 1 else "other sets of its size are"
    return f"{text}; {least}{rivals:,} {others} not significantly different"


def _beside_best(result: Result, best: int | None) -> tuple[FeatureSet, ...]:
    """Return the sets, their qualities as proportions of the best one if that is positive."""
    sets = feature_sets(result)
    if best is None or best <= 0:
        return sets
    top = values.to_float(result.problem, best)
    return tuple(replace(one, relative=one.quality / top) for one in sets)


def answer_to_min_then_sum(found: MinThenSum, problem: Problem, asking: Asking) -> Answer:
    """Return what a search for the minimum and then the sum found; `low` and `high` are about the minimum."""
    result, instance = found.result, problem.instance
    numbers = {
        "low": found.minimum,
        "high": found.minimum_bound,
        "sum": None if result is None else result.integer_objective,
        "sum_high": None if result is None else result.integer_bound,
        "sum_alone": None if found.alone is None else found.alone.integer_objective,
    }
    in_unit: dict[str, Any] = {
        name: None if number is None else values.to_float(instance, number)
        for name, number in numbers.items()
    }
    number = "No feature sets" if result is None else number_of(len(result.sets), "feature set")
    goal = "with the largest minimum quality, then the largest sum"
    answer = answer_to(
        "solve",
        problem,
        asking,
        result=result,
        status=found.status,
        claim=_claim_of_both(instance, found.status, asking, in_unit["high"], in_unit["sum_high"]),
        headline=f"{number} of {instance.sizes_text} {goal}{problem.origin}",
        unit=problem.unit,
        confirmation=found.confirmation,
        costs_nothing=found.costs_nothing,
        **in_unit,
    )
    return replace(answer, source=found)


def _claim_of_both(
    instance: Instance, status: Status, asking: Asking, minimum: float | None, total: float | None
) -> Claim:
    """Return what is proved, with bounds that are rounded to the side on which they stay true."""
    loss = values.set_rounding_loss(instance) * instance.n_sets
    limits = ["" if one is None else rounded(one + loss, ROUND_CEILING) for one in (minimum, total)]
    joint = f"a larger minimum than {limits[0]}, and with that minimum a larger sum than {limits[1]}"
    left = [f"A minimum above {limits[0]} is impossible"] if limits[0] else []
    left += [f"With this minimum, a sum above {limits[1]} is impossible"] if limits[1] else []
    return claim_about(
        status,
        asking.stop_reason,
        f"Proved jointly: no {instance.n_sets} such sets have {joint}",
        ". ".join(left),
        "no such sets exist",
        Scope.JOINT,
    )
