"""What is left of a backend's claims after the independent check, and how it looks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import InputError, VerificationError
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import set_costs
from pyfsel.problem.text_files import parsed_json, read_text, write_text
from pyfsel.results.answer import PROVED_BY, Incumbent, ProvedBound, Status, StopReason, check_claim
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import (
    NameList,
    aligned,
    facts_table,
    listed_names,
    number_text,
    percent,
    plain_text,
    side_constraint_texts,
)
from pyfsel.results.saved_entry import Entry

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


@dataclass(frozen=True)
class Step:
    """One step of a sequential search: a set that is best given the sets before it, or why there is none."""

    status: Status
    features: FeatureSet | None
    objective: int | None
    bound: int | None
    stop_reason: StopReason
    runtime: float
    backend: str


@dataclass(frozen=True)
class Result:
    """Verified sets and what is proved about them.

    Building one checks the sets against the problem and the claims against the recomputed objective.

    Parameters
    ----------
    problem : Problem
    sets : sequence of sets of int
        0-based; simultaneous search lists them by decreasing quality, sequential search as found, the first
        being the original set. A sequential result can hold fewer sets than the problem asks for.
    status : Status
    integer_bound : int or None
        Upper bound on the integer objective (in sequential search: the steps' bounds, aggregated).
    backend : str
        Name of the backend that found the sets.
    search : {"simultaneous", "sequential"}
    runtime : float
        Wall-clock seconds.
    stop_reason : StopReason
    message : str
        Why this backend was chosen, what is missing, where the sets come from.
    steps : sequence of Step
        The steps of a sequential search.
    incumbents : sequence of Incumbent
    bounds : sequence of ProvedBound
        Falling bounds as they were proved; in sequential search those of one step after the other.
    statistics : mapping
        What the solver reports of itself.
    confirmation : Confirmation or None
        What came of proving the claims again, if that was asked for and anything was claimed to be proved.

    Raises
    ------
    VerificationError
        If a set violates the problem or a claim contradicts the recomputed objective.
    """

    problem: Problem
    sets: tuple[FeatureSet, ...]
    status: Status
    integer_bound: int | None
    backend: str
    search: str
    runtime: float
    stop_reason: StopReason
    message: str = ""
    steps: tuple[Step, ...] = ()
    incumbents: tuple[Incumbent, ...] = ()
    bounds: tuple[ProvedBound, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        check_claim(self.backend, self._found_problem, self.status, self.sets, self.integer_bound)
        stepwise = tuple(step.features for step in self.steps if step.features is not None)
        if self.steps and stepwise != self.sets:
            raise VerificationError(f"{self.backend}: the steps found {stepwise}, the result has {self.sets}")

    @property
    def _found_problem(self) -> Problem:
        """The problem with as many sets as were found (a sequential search may end early)."""
        if self.search == "sequential" and 0 < len(self.sets) < self.problem.n_sets:
            return self.problem.replace(n_sets=len(self.sets))
        return self.problem

    @property
    def integer_objective(self) -> int | None:
        """The objective in the problem's integers, None without sets."""
        return values.total(self.problem, self.sets) if self.sets else None

    @property
    def proved_by(self) -> str | None:
        """Who proved the claims, the backend or some of its searches; None if nothing is proved."""
        proved = self.status in (Status.OPTIMAL, Status.INFEASIBLE)
        return str(self.statistics.get(PROVED_BY, self.backend)) if proved else None

    @property
    def qualities(self) -> list[float]:
        """Quality of each set, computed from the user's own numbers."""
        return values.qualities(self.problem, self.sets)

    @property
    def costs(self) -> list[float] | None:
        """Cost of each set in the user's unit; None if the problem has no costs."""
        return set_costs(self.problem, self.sets)

    @property
    def objective(self) -> float | None:
        """The aggregated quality, computed from the user's own numbers; None without sets."""
        if not self.sets:
            return None
        return sum(self.qualities) if self.problem.aggregate == "sum" else min(self.qualities)

    @property
    def bound(self) -> float | None:
        """Proved upper bound on the objective, the rounding loss of quantising included."""
        if self.integer_bound is None:
            return None
        loss = values.rounding_loss(self.problem)
        return values.to_float(self.problem, self.integer_bound) + loss

    @property
    def gap(self) -> float | None:
        """Relative distance of objective and bound, in integers: 0.0 means proved optimal."""
        if self.integer_bound is None or self.integer_objective is None:
            return None
        distance = self.integer_bound - self.integer_objective
        return distance / max(1, abs(self.integer_objective))

    @property
    def feature_sets(self) -> list[list[str]]:
        """The sets as lists of feature names."""
        return [self.problem.names_of(s) for s in self.sets]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: features, quality, quality relative to the original, largest overlap.

        With costs there is a column for them.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "features": self.feature_sets,
                "indices": [list(s) for s in self.sets],
                "quality": self.qualities,
                "relative_quality": self.relative_qualities,
                **({} if self.costs is None else {"cost": self.costs}),
                "largest_overlap": self.largest_overlaps,
                "status": [str(s.status) for s in self.steps if s.features is not None]
                or [str(self.status)] * len(self.sets),
            },
            index=pd.RangeIndex(len(self.sets), name="set"),
        )

    @property
    def relative_qualities(self) -> list[float]:
        """Quality of each set divided by that of the first; NaN where that is not positive."""
        found = self.qualities
        return [q / found[0] if found[0] > 0 else float("nan") for q in found]

    @property
    def largest_overlaps(self) -> list[int]:
        """Most features that each set shares with another one, the previous sets included."""
        members = [frozenset(s) for s in (*self.sets, *self.problem.previous_sets)]
        return [
            max((len(mine & other) for j, other in enumerate(members) if j != i), default=0)
            for i, mine in enumerate(members[: len(self.sets)])
        ]

    def _sets_to_dicts(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = [
            {"features": names, "indices": list(s), "quality": q}
            for names, s, q in zip(self.feature_sets, self.sets, self.qualities, strict=True)
        ]
        for entry, cost in zip(listed, self.costs or (), strict=self.costs is not None):
            entry["cost"] = cost
        return listed

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what `from_dict` needs to build the result again."""
        return {
            "status": str(self.status),
            "objective": self.objective,
            "bound": self.bound,
            "gap": self.gap,
            "backend": self.backend,
            "runtime": self.runtime,
            "stop_reason": str(self.stop_reason),
            "search": self.search,
            "message": self.message,
            "feature_sets": self._sets_to_dicts(),
            "integer_objective": self.integer_objective,
            "integer_bound": self.integer_bound,
            "steps": [
                {
                    "status": str(step.status),
                    "indices": None if step.features is None else list(step.features),
                    "integer_objective": step.objective,
                    "integer_bound": step.bound,
                    "stop_reason": str(step.stop_reason),
                    "runtime": step.runtime,
                    "backend": step.backend,
                }
                for step in self.steps
            ],
            "incumbents": [
                {
                    "time": i.time,
                    "integer_objective": i.objective,
                    "sets": [list(s) for s in i.sets],
                }
                for i in self.incumbents
            ],
            "bounds": [{"time": b.time, "integer_bound": b.bound} for b in self.bounds],
            "statistics": _plain(self.statistics),
            "confirmation": None if self.confirmation is None else self.confirmation.to_dict(),
            "problem": self.problem.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Build a result from what `to_dict` returns; everything is verified again.

        Raises
        ------
        InputError
            If a field is missing or has no valid value.
        VerificationError
            If the sets or the claims do not stand.
        """
        entry = Entry("result", data)
        confirmation = entry.data.get("confirmation")
        problem = entry.get("problem", Mapping)
        return cls(
            problem=Problem.from_dict(problem),
            sets=tuple(s.features("indices") for s in entry.entries("feature_sets")),
            status=entry.word("status", Status),
            integer_bound=entry.integer_or_none("integer_bound"),
            backend=entry.get("backend", str),
            search=entry.get("search", str),
            runtime=entry.number("runtime"),
            stop_reason=entry.word("stop_reason", StopReason),
            message=entry.get("message", str),
            steps=tuple(
                Step(
                    status=step.word("status", Status),
                    features=None if step.get("indices", object) is None else step.features("indices"),
                    objective=step.integer_or_none("integer_objective"),
                    bound=step.integer_or_none("integer_bound"),
                    stop_reason=step.word("stop_reason", StopReason),
                    runtime=step.number("runtime"),
                    backend=step.get("backend", str),
                )
                for step in entry.entries("steps")
            ),
            incumbents=tuple(
                Incumbent(i.number("time"), i.get("integer_objective", int), i.feature_sets("sets"))
                for i in entry.entries("incumbents")
            ),
            bounds=tuple(
                ProvedBound(b.number("time"), b.get("integer_bound", int))
                for b in (entry.entries("bounds") if "bounds" in data else ())
            ),
            statistics=entry.get("statistics", Mapping),
            confirmation=None if confirmation is None else Confirmation.from_dict(confirmation),
        )

    def save(self, path: str | Path) -> None:
        """Write the result and its problem as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read what `save` writes and verify it again."""
        data = parsed_json(str(path), read_text(path))
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{path}: is no saved result ({error})") from None

    def __str__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        return result_html(self)


def _plain(value: Any) -> Any:
    """Return what JSON can hold: a solver reports numbers of NumPy, times and more."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(value)


MOST_SHOWN_OVERLAPS = 8
MEANING = {
    Status.OPTIMAL: "proved",
    Status.FEASIBLE: "better sets may exist",
    Status.INFEASIBLE: "proved: no such sets exist",
    Status.NOT_SOLVED: "nothing was found, nothing is proved",
}


STOPS = {
    StopReason.FINISHED: "",
    StopReason.TIME_LIMIT: "stopped by the time limit",
    StopReason.MEMORY_LIMIT: "stopped by the memory limit",
    StopReason.INTERRUPTED: "interrupted",
    StopReason.ERROR: "stopped by an error of the backend",
}


def result_table(result: Result, overlap_rule: str = "") -> RenderableType:
    """Return what `rich` prints of a result: the sets, and under them what is proved.

    Parameters
    ----------
    result : Result
    overlap_rule : str
        What the limit on shared features comes from, such as "dice dissimilarity ≥ 0.6".
    """
    from rich.console import Group
    from rich.padding import Padding

    facts = facts_table(_facts(result, overlap_rule))
    if not result.sets:
        return facts
    return Group(sets_table(result), Padding(facts, (1, 0, 0, 0)))


def result_text(result: Result, width: int = 100) -> str:
    """Return the table of a result as plain text of at most so many columns."""
    return plain_text(result_table(result), width)


def result_html(result: Result) -> str:
    """Return the notebook display; every text of the user is escaped."""
    left = 'style="text-align:left"'
    rows = "".join(
        f"<tr><th>{number}</th>{''.join(f'<td>{cell.strip()}</td>' for cell in cells)}"
        f"<td {left}>{escape(listed_names(names))}</td></tr>"
        for number, *cells, names in _rows(result)
    )
    heads = "".join(f"<th>{escape(head).replace(chr(10), '<br>')}</th>" for head in _heads(result))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if result.sets else ""
    facts = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>"
        for name, text in _facts(result, "")
    )
    return f"<div>{table}<table>{facts}</table></div>"


def _spaced(result: Result, numbers: Iterable[int]) -> str:
    width = len(str(result.problem.max_overlap))
    return " ".join(f"{number:{width}}" for number in numbers)


def _heads(result: Result) -> list[str]:
    cost = [] if result.problem.costs is None else ["cost"]
    return ["set", "quality", "relative", *cost, _shared_head(result), "features"]


def _shared_head(result: Result) -> str:
    if _shows_each_overlap(result):
        return f"shared\nwith {_spaced(result, range(len(result.sets) - 1))}"
    return "most\nshared"


def _shows_each_overlap(result: Result) -> bool:
    return 1 < len(result.sets) <= MOST_SHOWN_OVERLAPS and not result.problem.previous_sets


def _rows(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of each set: texts, and last the names of its features."""
    qualities, relative = aligned(result.qualities), result.relative_qualities
    costs = [[f"{cost:.10g}"] for cost in result.costs or ()] or [[] for _ in result.sets]
    largest_overlaps = result.largest_overlaps
    for number, members in enumerate(result.sets):
        if _shows_each_overlap(result):
            overlaps = [len({*members} & {*earlier}) for earlier in result.sets[:number]]
            shared = f"     {_spaced(result, overlaps)}"
        else:
            shared = str(largest_overlaps[number])
        percent = "–" if math.isnan(relative[number]) else f"{100 * relative[number]:.1f} %"
        names = result.problem.names_of(members)
        yield str(number), qualities[number], percent, *costs[number], shared, names


def sets_table(result: Result) -> RenderableType:
    """Return the table of the sets, a row each."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in _heads(result):
        isnumber_text = head in ("set", "quality", "relative", "cost")
        table.add_column(
            head,
            justify="right" if isnumber_text else "left",
            vertical="top",
            no_wrap=head != "features",
            header_style="bold",
        )
    seen: set[str] = set()
    for number, *cells, names in _rows(result):
        new = [number != "0" and name not in seen for name in names]
        table.add_row(number, *cells, NameList(names, new))
        seen |= set(names)
    return table


def _facts(result: Result, overlap_rule: str) -> list[tuple[str, str]]:
    facts = [("status", status_text(result)), *proof_facts(result)]
    if result.objective is not None:
        facts.append(("objective", f"{number_text(result.objective)}, the {_aggregate(result)}"))
    if result.bound is not None:
        facts.append(("bound", _bound(result)))
    return facts + question_facts(result, overlap_rule)


def status_text(result: Result, best: str = "best") -> str:
    """Return the status, what it means, and why the run ended."""
    stop = STOPS[result.stop_reason]
    return f"{result.status} ({_meaning(result, best)}{'; ' + stop if stop else ''})"


def proof_facts(result: Result) -> list[tuple[str, str]]:
    """Return by whom the claims were proved and confirmed, if that was asked for."""
    if result.confirmation is None:
        return []
    what = "steps " if result.steps else ""
    return [("proof", f"{what}proved by {result.proved_by or result.backend}, {result.confirmation}")]


def question_facts(result: Result, overlap_rule: str) -> list[tuple[str, str]]:
    """Return what was asked, and how the sets were searched for."""
    problem, facts = result.problem, []
    rule = f" ({overlap_rule})" if overlap_rule else ""
    sizes = f"of {problem.sizes_text} out of {problem.n_features} features"
    smaller = "" if problem.overlap_factor is None else ", fewer if they are smaller"
    alone = problem.n_sets == 1 and not problem.previous_sets
    who = "any two share" if problem.n_sets > 1 else f"shares with {_known_sets(problem)}"
    limit = f"{who} at most {problem.max_overlap}{smaller}{rule}"
    number = "1 set" if problem.n_sets == 1 else f"{problem.n_sets} sets"
    facts.append(("asked", f"{number} {sizes}" if alone else f"{number} {sizes}, {limit}"))
    conditions = side_constraint_texts(problem)
    if conditions:
        facts.append(("each set", "; ".join(conditions)))
    facts.append(("search", f"{result.search} by {result.backend}, {result.runtime:.2f} s{_prover(result)}"))
    steps = [str(step.status) for step in result.steps]
    if len(set(steps)) > 1:
        facts.append(("steps", ", ".join(steps)))
    if result.message:
        facts.append(("note", result.message))
    return facts


def _prover(result: Result) -> str:
    return "" if result.proved_by in (None, result.backend) else f"; proved by {result.proved_by}"


def _known_sets(problem: Problem) -> str:
    known = len(problem.previous_sets)
    return "the known set" if known == 1 else f"each of {known} known sets"


def _meaning(result: Result, best: str) -> str:
    meaning = MEANING[result.status]
    found, asked = len(result.sets), result.problem.n_sets
    if result.status is Status.OPTIMAL and result.search == "sequential" and found > 1:
        meaning = f"{meaning}: each set is a {best} one given those before it"
    return meaning if found in (0, asked) else f"{found} of {asked} sets; {meaning}"


def _aggregate(result: Result) -> str:
    if len(result.sets) == 1:
        return f"{result.problem.objective} quality of the set"
    return f"{sum_or('smallest', result.problem)} of the {result.problem.objective} qualities"


def sum_or(other: str, problem: Problem) -> str:
    """Return how the sets' numbers become one: "sum", or the other word."""
    return "sum" if problem.aggregate == "sum" else other


def _bound(result: Result) -> str:
    assert result.bound is not None
    loss = values.rounding_loss(result.problem)
    rounding = f", rounding of at most {loss:.1g} included" if loss else ""
    gap = "" if result.gap is None else f", gap {percent(result.gap)}"
    return f"{number_text(result.bound)}{gap}{rounding}"
