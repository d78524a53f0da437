"""How results look in a terminal and in a notebook: tables, named facts, texts, and what stands in them.

HTML is escaped, and bars of shares suit light and dark.
"""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from pyfsel.problem import values
from pyfsel.problem.checks import LARGEST_INTEGER
from pyfsel.problem.fields import Group as FeatureGroup
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

SIGNIFICANT_DIGITS = 5
SMALLEST_FIXED, LARGEST_FIXED = 1e-4, 1e9  # other numbers are written with exponents
MOST_NAMED = 8  # features, before "and … more"
LEFT = 'style="text-align:left"'
LEAST_NAME_WIDTH = 20  # columns of text


Facts: TypeAlias = list[tuple[str, str]]
"""Texts with their names."""


class Bar(str):
    """A text in a cell that says a share from 0 to 1, which notebooks draw as a bar; NaN has none."""

    share: float

    def __new__(cls, text: str, share: float) -> Self:
        """Return the text with its share."""
        cell = super().__new__(cls, text)
        cell.share = share
        return cell


def listed_names(names: Iterable[str]) -> str:
    """Return names with commas between; those that hold a comma are in double quotes, as for ``--group``.

    Examples
    --------
    >>> listed_names(["age", "weight, kg"])
    'age, "weight, kg"'
    """
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


@dataclass(frozen=True)
class NameList:
    """Feature names, broken between names and not inside them where that is possible.

    The `new` ones are highlighted.
    """

    names: Sequence[str]
    new: Sequence[bool]

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


@dataclass(frozen=True)
class SetsTable:
    """A table whose last column holds feature names.

    Without any names it has no such column.

    Parameters
    ----------
    heads : sequence of str
        Heads of the other columns; the first one numbers the sets.
    left : collection of str
        Heads of columns of words, which are justified to the left.
    names_head : str
    """

    heads: Sequence[str]
    left: Collection[str] = ()
    names_head: str = "features"
    rows: list[tuple[Sequence[str], NameList]] = field(default_factory=list, init=False)

    def add_row(self, cells: Sequence[str], names: Sequence[str], new: Sequence[bool] | None = None) -> None:
        """Add the cells of a set, and its names, of which the `new` ones are highlighted."""
        self.rows.append(
            (cells, NameList([listed_names([name]) for name in names], new or [False] * len(names)))
        )

    def html(self) -> str:
        """Return the table of a notebook."""
        heads = [*self.heads, self.names_head] if self._has_names else self.heads
        head = "".join(f"<th>{escape(text).replace(chr(10), '<br>')}</th>" for text in heads)
        body = ""
        for (first, *cells), names in self.rows:
            pairs = zip(cells, self.heads[1:], strict=True)
            own = [html_cell(cell, name in self.left) for cell, name in pairs]
            named = [html_cell(", ".join(names.names), left=True)] if self._has_names else []
            body += f"<tr><th>{escape(first)}</th>{''.join(own + named)}</tr>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    @property
    def _has_names(self) -> bool:
        return any(names.names for _, names in self.rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
        for head in self.heads:
            justify: Any = "left" if head in self.left else "right"
            table.add_column(head, justify=justify, header_style="bold", vertical="top", overflow="fold")
        if self._has_names:
            table.add_column(self.names_head, header_style="bold", vertical="top", min_width=LEAST_NAME_WIDTH)
        for cells, names in self.rows:
            table.add_row(*cells, *([names] if self._has_names else []))
        yield table


def plain_text(table: RenderableType, width: int) -> str:
    """Return what `rich` prints as plain text of at most this width."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def aligned(numbers: Sequence[float], digits: int = SIGNIFICANT_DIGITS) -> list[str]:
    """Return numbers as text with the same decimals, which show this number of digits of the largest one.

    Examples
    --------
    >>> aligned([0.2, 0.123456])
    ['0.20000', '0.12346']
    >>> aligned([48.0])
    ['48']
    """
    largest = max(map(abs, numbers), default=0)
    if largest <= LARGEST_INTEGER and all(float(number).is_integer() for number in numbers):
        return [f"{number:.0f}" for number in numbers]
    if not SMALLEST_FIXED <= largest < LARGEST_FIXED:
        return [f"{number:.{digits - 1}e}" for number in numbers]
    decimals = max(0, digits - 1 - math.floor(math.log10(largest)))
    return [f"{number:.{decimals}f}" for number in numbers]


def side_constraint_texts(problem: Instance) -> list[str]:
    """Return in words what each set must satisfy in addition to its size."""
    texts = []
    if problem.forced:
        texts.append(f"holds {_names(problem, problem.forced)}")
    if problem.forbidden:
        texts.append(f"does not hold {_names(problem, problem.forbidden)}")
    texts += [_group_text(problem, group) for group in problem.groups]
    if problem.budget is not None:
        texts.append(f"costs at most {problem.budget / problem.cost_scale:.10g}")
    if problem.min_quality is not None:
        least = values.to_float(problem, problem.min_quality) + values.set_rounding_loss(problem)
        texts.append(f"has a quality of at least {least:.6g}")
    return texts


def _names(problem: Instance, features: FeatureSet) -> str:
    shown = problem.names_of(features[:MOST_NAMED])
    more = len(features) - len(shown)
    return listed_names(shown) + (f" and {more} more" if more else "")


def _group_text(problem: Instance, group: FeatureGroup) -> str:
    size, rules = len(group.features), []
    if group.at_least:
        rules.append(f"at least {group.at_least}")
    if group.at_most is not None and group.at_most < size:
        rules.append(f"at most {group.at_most}")
    if group.all_or_none:
        rules.append("all or none")
    return f"holds {', '.join(rules or ['any'])} of {_names(problem, group.features)}"


def percent(share: float) -> str:
    """Return a share in percent, with at most three digits.

    Examples
    --------
    >>> percent(0.05), percent(1 / 3), percent(1)
    ('5%', '33.3%', '100%')
    """
    return f"{100 * share:.3g}%"


def facts_table(facts: Facts) -> RenderableType:
    """Return named facts below each other."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        table.add_row(name, Text(text))
    return table


def number_or_dash(number: float, form: str = ".3f") -> str:
    """Return a number as text, a dash for NaN."""
    return "–" if math.isnan(number) else f"{number:{form}}"


def html_cell(text: str, left: bool = False) -> str:
    """Return a cell with a text; a `Bar` is drawn under its text.

    Examples
    --------
    >>> html_cell(Bar("5%", 0.05))
    '<td>5%<br><progress value="0.05"></progress></td>'
    """
    drawn = ""
    if isinstance(text, Bar) and not math.isnan(text.share):
        drawn = f'<br><progress value="{min(max(text.share, 0.0), 1.0):.2f}"></progress>'
    return f"<td{' ' + LEFT if left else ''}>{escape(text.strip())}{drawn}</td>"


def html_facts(facts: Facts) -> str:
    """Return a table of named facts."""
    rows = (f"<tr><th {LEFT}>{escape(name)}</th>{html_cell(text, left=True)}</tr>" for name, text in facts)
    return f"<table>{''.join(rows)}</table>"


def templates(package: str, **options: Any) -> Environment:
    """Return the templates in the folder ``report`` of a package, which escape texts and know all names."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader(package, "report")
    options |= {"autoescape": True, "undefined": StrictUndefined}
    return Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, **options)
