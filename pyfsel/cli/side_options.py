"""What the options of side constraints mean: a group in words, and a file of costs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from pyfsel.cli.files import read_text
from pyfsel.errors import InputError
from pyfsel.problem.side_constraints import Group

RULES = "at-least=N, at-most=N or all-or-nothing"


def group_from_text(text: str) -> Group:
    """Return the group of a text such as ``age,"weight, kg":at-most=1``.

    Names stand before the last colon, as in a line of CSV: those with commas in double quotes. After it stand
    one or more rules, with commas between.

    Raises
    ------
    InputError
        If the text has no names or no known rule.

    Examples
    --------
    >>> group_from_text('colour_*:at-most=1')
    Group(features=('colour_*',), at_least=0, at_most=1, all_or_none=False)
    >>> group_from_text('"weight, kg",age:at-least=1').features
    ('weight, kg', 'age')
    """
    listed, _, rules = text.rpartition(":")
    if listed.count('"') % 2:
        raise InputError(f"--group={text!r}: a double quote is not closed")
    names = tuple(name.strip() for line in csv.reader([listed], skipinitialspace=True) for name in line)
    if not listed.strip() or not all(names):
        raise InputError(f"--group={text!r}: must be NAME,NAME,…:RULE; the rules are {RULES}")
    limits: dict[str, Any] = {}
    for rule in rules.split(","):
        limits |= _limit(text, rule.strip())
    return Group(names, **limits)


def _limit(text: str, rule: str) -> dict[str, Any]:
    if rule == "all-or-nothing":
        return {"all_or_none": True}
    name, _, number = rule.partition("=")
    if name.strip() not in ("at-least", "at-most") or not number.strip().isdecimal():
        raise InputError(f"--group={text!r}: {rule!r} is no rule, must be {RULES}")
    return {name.strip().replace("-", "_"): int(number)}


def read_costs(path: Path) -> dict[str, float]:
    """Return the costs of a CSV file with the columns feature and cost.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, or a line has no number or names a feature again.
    """
    lines = csv.DictReader(io.StringIO(read_text(path).removeprefix("\ufeff")), skipinitialspace=True)
    if not {"feature", "cost"} <= set(lines.fieldnames or ()):
        raise InputError(f"{path}: must begin with the line feature,cost")
    costs: dict[str, float] = {}
    for line in lines:
        if None in line:
            raise InputError(f"{path}: line {lines.line_num}: must hold as many cells as the first line")
        name, cost = (line["feature"] or "").strip(), line["cost"]
        if name in costs:
            raise InputError(f"{path}: line {lines.line_num}: {name!r} stands more than once")
        try:
            costs[name] = float(cost)
        except (TypeError, ValueError):
            raise InputError(
                f"{path}: line {lines.line_num}: {cost!r} is no number, the cost of {name!r}"
            ) from None
    return costs
