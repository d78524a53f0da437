"""The answer to any question: sets, a status, and low ≤ truth ≤ high."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError, PyfselError
from pyfsel.interface.feature_set import FeatureSet, Listed, feature_sets
from pyfsel.interface.layout import ShownLayout
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.said import all_cautions, headline_of, in_full, question_facts, sampling_error
from pyfsel.interface.stated import QUESTIONS, best_of, differences, following, row_of, wrong_sets
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import resized
from pyfsel.problem.text_files import parsed_json, read_text
from pyfsel.results.backend_answer import PROVED, Status, StopReason
from pyfsel.results.claims import Claim, Scope, claim_about, claim_of
from pyfsel.results.display import Facts
from pyfsel.results.result import Result, follows_from_found
from pyfsel.results.saved_entry import Saved, plain, records

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from pyfsel.results.confirmation import Confirmation
    from pyfsel.solving.asking import Asking

FORMAT = "pyfsel-answer 1"
PICTURES = ("membership", "qualities")
UNSAVED = ("frame", "tables", "answers")
FOLLOWING = "status scope claim low high unit runtime solver stop_reason"
"""Fields of an answer that follow from what was found, as its sets do."""
MOST_DRAWN = 30


@dataclass(frozen=True, repr=False)
class Answer(Saved, ShownLayout, Listed[FeatureSet]):
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

    parts = "sets"

    @property
    def proved(self) -> bool:
        """Whether the answer is proved."""
        return self.status in PROVED

    def to_frame(self) -> pd.DataFrame:
        """Return the table that is shown: sets, features of an atlas, or cells of a sweep."""
        import pandas as pd

        if "frame" in self.details:
            return pd.DataFrame(self.details["frame"], copy=True)
        heads = "features indices quality relative cost error shared high status"
        rows = [
            one.to_dict()
            | {"features": list(one.names), "relative": one.relative, "shared": max(one.shared, default=0)}
            for one in self.sets
        ]
        frame = pd.DataFrame(rows, pd.RangeIndex(len(rows), name="set"), heads.split())
        return frame.drop(columns=[name for name in ("cost", "error") if frame[name].isna().all()])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what `load` needs."""
        saved = {
            each.name: plain(getattr(self, each.name))
            for each in fields(self)
            if each.name not in ("sets", "details", "problem", "source")
        }
        details = {name: plain(given) for name, given in self.details.items() if name not in UNSAVED}
        if "answers" in self.details:
            details["answers"] = [
                {name: given for name, given in cell.to_dict().items() if name != "problem"}
                for cell in self.details["answers"]
            ]
        if "frame" in self.details:
            details["frame"] = records(self.details["frame"])
        saved |= {"sets": plain(self.sets), "details": details, "problem": self.problem.instance.to_dict()}
        if follows_from_found(saved):
            found = self.source.to_dict()
            found.pop("problem", None)
            saved["found"] = found
        return {"format": FORMAT, **saved}

    @classmethod
    def load(cls, path: str | Path) -> Answer:
        """Read an answer and verify it again.

        The claims of `solve` with one goal must follow from the saved result of its search. Other answers
        state numbers that only another search can confirm.

        Raises
        ------
        InputError
            If the file is not a saved answer, or contains something false.
        """
        data = parsed_json(str(path), read_text(path), "a file that Answer.save wrote")
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise InputError(f"{path}: is not a saved answer. Expected a file that Answer.save wrote")
        try:
            instance = Instance.from_dict(data.get("problem", {}))
            if wrong := faults_of(instance, data):
                raise InputError("; ".join(wrong))
        except InputError as error:
            raise InputError(f"{path}: is not a saved answer ({error})") from None
        return read_answer(instance, data)

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
            return plots.draw_sweep(self.to_frame(), self.problem.dissimilarity.by)
        if self.question == "atlas" and kind is None and self.details.get("curve"):
            often = self.to_frame().sort_values("n_sets", ascending=False, kind="stable").head(MOST_DRAWN)
            return plots.draw_shares_and_growth(
                list(often.index), list(often["share"]), self.details["curve"]
            )
        if not self.sets:
            raise InputError(
                f"plot: this answer to {self.question!r} has no sets, so there is nothing to draw"
            )
        if one_of("kind", "membership" if kind is None else kind, PICTURES) == "membership":
            return plots.draw_membership([one.names for one in self.sets])
        return plots.draw_qualities(self.sets, self.details.get("head", "quality"), str(self.status))

    @property
    def tables(self) -> list[Any]:  # type: ignore[override]
        """The tables that are shown; those that the question has made itself come first."""
        from pyfsel.results import tables

        if self.details.get("tables"):
            return list(self.details["tables"])
        if self.question == "sweep":
            return [tables.table_of_cells(self.details["frame"])]
        instance = self.problem.instance
        if self.question == "atlas":
            frame = self.details["frame"]
            return [tables.table_of_features(instance, frame)] if (frame["n_sets"] > 0).any() else []
        if self.question == "ties":
            families = self.details["families"]
            return [tables.table_of_answers(instance, families)] if families else []
        head = self.details.get("head", "quality")
        return [tables.table_of_sets(instance, self.sets, head)] if self.sets else []

    @property
    def facts(self) -> Facts:  # type: ignore[override]
        """What only the curious need."""
        return list(self.details.get("facts", []))

    @property
    def sampling_error(self) -> str:  # type: ignore[override]
        """The sampling error of set 0; "" if nobody knows."""
        return str(self.details.get("sampling_error", ""))

    def __repr__(self) -> str:
        numbers = (
            ""
            if self.low is None
            else f", {self.low:.6g} ≤ truth ≤ {math.inf if self.high is None else self.high:.6g}"
        )
        return f"<Answer to {self.question}: {self.status}, {self.headline}{numbers}>"


def read_answer(instance: Instance, data: Mapping[str, Any]) -> Answer:
    """Return an answer about an instance: texts, times and claims as its plain data state them.

    All else is recomputed (`pyfsel.interface.stated`).
    """
    import pandas as pd

    details, found = dict(data["details"]), None
    problem = Problem.of_instance(instance, one_of("details.search", details["search"], SEARCHES))
    if follows_from_found(data):
        found = Result.from_dict({**data["found"], "problem": problem.instance})
    if data["question"] == "sweep":
        details |= _rows(instance, details)
    if "frame" in details:
        names = pd.Index(instance.feature_names, name="feature") if data["question"] == "atlas" else None
        # a column without any number is read as one of None, which has no format
        details["frame"] = pd.DataFrame(details["frame"], index=names).fillna(math.nan).infer_objects()
    answer = Answer.from_dict({**data, "problem": problem, "details": details, "source": found}, "answer")
    if found is None:
        return replace(answer, **following(answer))
    true = answer_of(found, problem)
    # an error needs the table
    sets = [replace(one, error=own.error) for one, own in zip(true, (*answer, *true), strict=False)]
    return replace(answer, sets=tuple(sets), **{name: getattr(true, name) for name in FOLLOWING.split()})


def faults_of(instance: Instance, data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an answer: its sets, and what is stated otherwise than it follows.

    Examples
    --------
    The rows of a sweep have the statuses of its answers:

    >>> from pyfsel.questions.sweep import sweep
    >>> problem = Problem([9, 8, 7], k=2, n_sets=2)
    >>> data = sweep(problem, dissimilarity=[1]).to_dict()
    >>> faults_of(problem.instance, data)
    []
    >>> data["details"]["frame"][0]["status"] = "OPTIMAL"
    >>> faults_of(problem.instance, data)
    ["details.frame[0].status is stated as 'OPTIMAL', recomputed it is 'FEWER'"]
    """
    try:
        for name, words in (("question", QUESTIONS.split()), ("scope", Scope), ("stop_reason", StopReason)):
            one_of(name, data[name], words)
        if wrong := wrong_sets(instance, data):
            return wrong
        expected = read_answer(instance, data).to_dict()
    except InputError as error:
        return [str(error).removeprefix("answer.")]
    except (PyfselError, LookupError, TypeError, ValueError, AttributeError) as error:
        return [f"the answer cannot be read ({error})"]
    return list(differences(data, expected))


def _rows(instance: Instance, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return rows and answers of a sweep, given the best quality of each size that it claims."""
    rows, answers, frame = [], [], details["frame"]
    for row, cell in zip(frame, details["answers"], strict=True):
        part = resized(instance, row["k"], n_sets=row["n_sets"], max_shared=row["shared"], evidence=None)
        answers.append(read_answer(part, cell))
        best = best_of((one["quality"], one["relative"]) for one in frame if one["k"] == row["k"])
        rows.append(row | plain(row_of(answers[-1], best)))
    return {"frame": rows, "answers": answers}


def answer_of(
    result: Result, problem: Problem, question: str = "solve", claim: Claim | None = None, **changes: Any
) -> Answer:
    """Return a result of the package as an answer.

    Parameters
    ----------
    result : Result
    problem : Problem
    question : str
    claim : Claim, optional
        What is proved, if it is not about qualities.
    **changes
        Other fields of the answer.
    """
    fields = {
        "status": result.status,
        "low": None if result.is_stepwise else result.objective,
        "high": result.bound,
        "unit": problem.unit,
        "headline": headline_of(result, problem),
        "cautions": all_cautions(
            problem,
            result,
            *([result.message] if result.stop_reason is StopReason.ERROR else []),
            compared=True,
        ),
        "runtime": result.runtime,
        "stop_reason": str(result.stop_reason),
        "solver": result.backend,
    }
    details = {"sampling_error": sampling_error(result, problem)}
    return _answer(question, problem, result, claim or claim_of(result), details, **fields | changes)


def answer_to(
    question: str,
    problem: Problem,
    asking: Asking,
    result: Result | None,
    status: Status,
    *,
    proved: str,
    left: str,
    none: str = "no such sets exist",
    scope: Scope = Scope.COUNT,
    confirmation: Confirmation | None = None,
    best: Result | None = None,
    closed: bool = False,
    facts: Facts | None = None,
    cautions: Iterable[str] = (),
    details: Mapping[str, Any],
    **fields: Any,
) -> Answer:
    """Return what another question found as an answer.

    Parameters
    ----------
    question, problem, status
        As for `Answer`.
    proved, left, none : str
        What is claimed if all is proved, what is left open, and the claim without sets; without full stops.
    scope : Scope
        What the proof is about.
    asking : Asking
        What has solved its problems.
    result : Result or None
        The sets.
    confirmation : Confirmation or None
        What came of proving the answer again.
    best : Result or None
        The best set, of whose quality the qualities of the sets are proportions; else of set 0.
    closed : bool
        Whether nothing is left to be found though the answer is not proved.
    facts : list of pairs of str, optional
        What only the curious need, in addition to what is known of the sets.
    cautions : iterable of str
        Cautions that come before the cautions about the sets.
    details : mapping
        What only this question has.
    **fields
        Headline, low, high and unit of the answer.
    """
    claim = claim_about(status, asking.stop_reason, proved, left, none, scope)
    stop_reason, message = asking.ended(closed or status in PROVED)
    proof = [] if confirmation is None else [("proof", str(confirmation))]
    answer = _answer(
        question,
        problem,
        result,
        claim,
        {"confirmation": plain(confirmation), **details},
        [*(facts or []), *proof],
        None if best is None else best.objective,
        status=status,
        cautions=all_cautions(
            problem,
            result,
            *([message] if message else []),
            *cautions,
            named=_named(result, details),
            compared=question == "solve",
        ),
        runtime=asking.runtime,
        stop_reason=str(stop_reason),
        solver=", ".join(asking.used),
        **fields,
    )
    return replace(answer, **following(answer))


def _named(result: Result | None, details: Mapping[str, Any]) -> set[int]:
    """Return the features that an answer names: in its atlas, in the families it lists, or in its sets."""
    if "frame" in details:
        return {*(details["frame"]["n_sets"] > 0).to_numpy().nonzero()[0].tolist()}
    families = details.get("families") or ([] if result is None else [result.sets])
    return {j for family in families for members in family for j in members}


def _answer(
    question: str,
    problem: Problem,
    result: Result | None,
    claim: Claim,
    details: Mapping[str, Any],
    facts: Facts | None = None,
    best: float | None = None,
    **fields: Any,
) -> Answer:
    """Return an answer with what all answers say alike about a result."""
    low, high = fields.get("low"), fields.get("high")
    if low is not None and high is not None:
        fields["high"] = max(low, high)  # floats that are added up in another order can differ a little
    said = [*problem.chosen, *(facts or []), *([] if result is None else question_facts(result))]
    common: dict[str, Any] = {
        "question": question,
        "problem": problem,
        "scope": str(claim.scope),
        "claim": in_full(problem.instance, claim.sentence),
        "sets": () if result is None else feature_sets(result, best),
        "details": {"search": problem.search, "facts": said, **details},
        "source": result,
        "low": None,
    }
    return Answer(**common | fields)
