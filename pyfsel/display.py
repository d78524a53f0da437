"""How a result looks: a table for terminals, HTML for notebooks."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import Group as FeatureGroup
from pyfsel.result import Result, Status, StopReason

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

    from pyfsel.cheapest import CheapestSets

SIGNIFICANT_DIGITS = 5
SMALLEST_FIXED, LARGEST_FIXED = 1e-4, 1e9
MOST_SHOWN_OVERLAPS = 8
MOST_NAMED = 8
TWO_DIGITS = 10
MEANING = {
    Status.OPTIMAL: "proved",
    Status.FEASIBLE: "better sets may exist",
    Status.INFEASIBLE: "proved: no such sets exist",
    Status.NOT_SOLVED: "nothing was found, nothing is proved",
}
COLOURS = {
    Status.OPTIMAL: "green",
    Status.FEASIBLE: "yellow",
    Status.INFEASIBLE: "magenta",
    Status.NOT_SOLVED: "red",
}
STOPS = {
    StopReason.FINISHED: "",
    StopReason.TIME_LIMIT: "stopped by the time limit",
    StopReason.MEMORY_LIMIT: "stopped by the memory limit",
    StopReason.INTERRUPTED: "interrupted",
    StopReason.ERROR: "stopped by an error of the backend",
}


def listed_names(names: Iterable[str]) -> str:
    """Return names with commas between; those that hold a comma are in double quotes, as for ``--group``.

    Examples
    --------
    >>> listed_names(["age", "weight, kg"])
    'age, "weight, kg"'
    """
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


class NameList:
    """Feature names, broken between names and not inside them where that is possible.

    The `new` ones are highlighted.
    """

    def __init__(self, names: Sequence[str], new: Sequence[bool]) -> None:
        self.names = [_quoted(name) for name in names]
        self.new = new

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.cells import cell_len
        from rich.text import Text

        line, width = Text(), 0
        for position, (name, is_new) in enumerate(zip(self.names, self.new, strict=True)):
            last = position == len(self.names) - 1
            needed = cell_len(name) + (0 if last else 1)
            if width and width + 1 + needed > options.max_width:
                yield line
                line, width = Text(), 0
            if width:
                line.append(" ")
                width += 1
            line.append(name, style="bold" if is_new else "")
            line.append("" if last else ",")
            width += needed
        yield line


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
    return Group(_sets_table(result), Padding(facts, (1, 0, 0, 0)))


def cheapest_table(found: CheapestSets, overlap_rule: str = "") -> RenderableType:
    """Return what `rich` prints of the cheapest sets; parameters as for `result_table`."""
    from rich.console import Group
    from rich.padding import Padding

    facts = [("status", _status(found.solved, "cheapest"))]
    if found.cost is not None:
        kind = "cost" if len(found.sets) == 1 else f"{_sum_or('largest', found.problem)} of the costs"
        facts.append(("cost", f"{found.cost:.10g}, the {kind}"))
    if found.cost_bound is not None:
        gap = "" if found.solved.gap is None else f", gap {_percent(found.solved.gap)}"
        facts.append(("bound", f"at least {found.cost_bound:.10g}{gap}"))
    table = facts_table(facts + _question_facts(found.result, overlap_rule))
    if not found.sets:
        return table
    return Group(_sets_table(found.result), Padding(table, (1, 0, 0, 0)))


def result_text(result: Result, width: int = 100) -> str:
    """Return the table of a result as plain text of at most so many columns."""
    return plain_text(result_table(result), width)


def plain_text(table: RenderableType, width: int = 100) -> str:
    """Return what `rich` prints as plain text of at most so many columns."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


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


def aligned(numbers: Sequence[float]) -> list[str]:
    """Return numbers as text with the same decimals, which show five digits of the largest one.

    Examples
    --------
    >>> aligned([0.2, 0.123456])
    ['0.20000', '0.12346']
    >>> aligned([48.0])
    ['48']
    """
    if all(float(number).is_integer() for number in numbers):
        return [f"{number:.0f}" for number in numbers]
    largest = max(map(abs, numbers))
    if not SMALLEST_FIXED <= largest < LARGEST_FIXED:
        return [f"{number:.{SIGNIFICANT_DIGITS - 1}e}" for number in numbers]
    decimals = max(0, SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(largest)))
    return [f"{number:.{decimals}f}" for number in numbers]


def _heads(result: Result) -> list[str]:
    cost = [] if result.problem.costs is None else ["cost"]
    return ["set", "quality", "relative", *cost, _shared_head(result), "features"]


def _shared_head(result: Result) -> str:
    if _shows_each_overlap(result):
        return f"shared\nwith {_spaced(result, range(len(result.sets) - 1))}"
    return "most\nshared"


def _shows_each_overlap(result: Result) -> bool:
    return 1 < len(result.sets) <= MOST_SHOWN_OVERLAPS and not result.problem.previous_sets


def _spaced(result: Result, numbers: Iterable[int]) -> str:
    width = len(str(result.problem.max_overlap))
    return " ".join(f"{number:{width}}" for number in numbers)


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


def _sets_table(result: Result) -> RenderableType:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in _heads(result):
        is_number = head in ("set", "quality", "relative", "cost")
        table.add_column(
            head,
            justify="right" if is_number else "left",
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
    facts = [("status", _status(result))]
    if result.objective is not None:
        facts.append(("objective", f"{_number(result.objective)}, the {_aggregate(result)}"))
    if result.bound is not None:
        facts.append(("bound", _bound(result)))
    return facts + _question_facts(result, overlap_rule)


def _status(result: Result, best: str = "best") -> str:
    stop = STOPS[result.stop_reason]
    return f"{result.status} ({_meaning(result, best)}{'; ' + stop if stop else ''})"


def _question_facts(result: Result, overlap_rule: str) -> list[tuple[str, str]]:
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
    facts.append(("search", f"{result.search} by {result.backend}, {result.runtime:.2f} s"))
    steps = [str(step.status) for step in result.steps]
    if len(set(steps)) > 1:
        facts.append(("steps", ", ".join(steps)))
    if result.message:
        facts.append(("note", result.message))
    return facts


def _known_sets(problem: Problem) -> str:
    known = len(problem.previous_sets)
    return "the known set" if known == 1 else f"each of {known} known sets"


def side_constraint_texts(problem: Problem) -> list[str]:
    """Return in words what each set must satisfy besides its size."""
    texts = []
    if problem.forced:
        texts.append(f"holds {_names(problem, problem.forced)}")
    if problem.forbidden:
        texts.append(f"does not hold {_names(problem, problem.forbidden)}")
    texts += [_group_text(problem, group) for group in problem.groups]
    if problem.budget is not None:
        texts.append(f"costs at most {problem.budget / problem.cost_scale:.10g}")
    if problem.min_quality is not None:
        texts.append(f"has a quality of at least {_number(values.to_float(problem, problem.min_quality))}")
    return texts


def _names(problem: Problem, features: FeatureSet) -> str:
    shown = problem.names_of(features[:MOST_NAMED])
    more = len(features) - len(shown)
    return listed_names(shown) + (f" and {more} more" if more else "")


def _group_text(problem: Problem, group: FeatureGroup) -> str:
    size, rules = len(group.features), []
    if group.at_least:
        rules.append(f"at least {group.at_least}")
    if group.at_most is not None and group.at_most < size:
        rules.append(f"at most {group.at_most}")
    if group.all_or_nothing:
        rules.append("all or none")
    return f"holds {', '.join(rules or ['any'])} of {_names(problem, group.features)}"


def _meaning(result: Result, best: str) -> str:
    meaning = MEANING[result.status]
    found, asked = len(result.sets), result.problem.n_sets
    if result.status is Status.OPTIMAL and result.search == "sequential" and found > 1:
        meaning = f"{meaning}: each set is a {best} one given those before it"
    return meaning if found in (0, asked) else f"{found} of {asked} sets; {meaning}"


def _aggregate(result: Result) -> str:
    if len(result.sets) == 1:
        return f"{result.problem.objective} quality of the set"
    return f"{_sum_or('smallest', result.problem)} of the {result.problem.objective} qualities"


def _sum_or(other: str, problem: Problem) -> str:
    return "sum" if problem.aggregate == "sum" else other


def _bound(result: Result) -> str:
    assert result.bound is not None
    loss = values.rounding_loss(result.problem)
    rounding = f", rounding of at most {loss:.1g} included" if loss else ""
    gap = "" if result.gap is None else f", gap {_percent(result.gap)}"
    return f"{_number(result.bound)}{gap}{rounding}"


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= TWO_DIGITS else f"{percent:.2g} %"


def facts_table(facts: list[tuple[str, str]]) -> RenderableType:
    """Return named facts below each other; a status is coloured."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        colour = COLOURS[Status(text.split()[0])] if name == "status" else ""
        table.add_row(name, Text(text, style=colour))
    return table


def _number(number: float) -> str:
    return aligned([number])[0]
