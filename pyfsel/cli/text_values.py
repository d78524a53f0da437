"""From texts of the command line to values: sizes, rules, files of costs and of earlier sets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.checks import LARGEST_INTEGER, finite_number, number_of_jobs, one_of, share
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.problem.side_constraints import Group
from pyfsel.problem.text_files import parsed_json, read_text

RULES = ("at_least", "at_most", "all_or_none")


def _as(kind: Callable[[str], Any], text: str, what: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"{text!r} is not {what}") from None


def integer(text: str) -> int:
    """Return a whole number."""
    found: int = _as(int, text, "a whole number")
    if abs(found) > LARGEST_INTEGER:
        raise InputError(f"{text} is too large. Expected at most 2**53")
    return found


def number(text: str) -> float:
    """Return a finite number."""
    found: float = _as(float, text, "a number")
    if not isfinite(found):
        raise InputError(f"{text!r} is not a finite number")
    return found


def seconds(text: str) -> float:
    """Return a positive number of seconds."""
    found = number(text)
    if found <= 0:
        raise InputError(f"{text} is not a positive number of seconds")
    return found


def _at_least(least: int, text: str) -> int:
    found = integer(text)
    if found < least:
        raise InputError(f"{text} is below {least}. Expected a whole number of at least {least}")
    return found


count, natural = partial(_at_least, 1), partial(_at_least, 0)


def folds(text: str) -> int | str:
    """Return a number of folds, or a text such as time:COLUMN; 0 leaves out the scores of a report."""
    from pyfsel.selectors.splits import TIME

    if text.startswith(TIME):
        return text
    if not text.isdecimal() or int(text) == 1:
        raise InputError(f"{text!r} is not a number of folds. Expected at least 2, or time:COLUMN")
    return integer(text)


def jobs(text: str) -> int:
    """Return a number of processes."""
    found = integer(text)
    number_of_jobs(found)
    return found


def near_duplicates(text: str) -> str:
    """Return what is done about near-duplicates."""
    from pyfsel.interface.scores import copying_of

    copying_of(text)
    return text


def scoring(text: str) -> str:
    """Return the name of a score of scikit-learn."""
    from pyfsel.selectors.evaluation.models import check_scoring_name

    check_scoring_name(text)
    return text


def size(text: str) -> int | tuple[int, int]:
    """Return a size, or a range such as 3-5."""
    low, dash, high = text.partition("-")
    if not (dash and low):
        return count(text)
    found = count(low), integer(high)
    if found[0] > found[1]:
        raise InputError(f"{text!r} is not a range. Expected the minimum first, such as 3-5")
    return found


def sizes(text: str) -> list[int]:
    """Return the sizes of 2,4,8 or 1-10."""
    found: list[int] = []
    for part in text.split(","):
        one = size(part)
        found += range(one[0], one[1] + 1) if isinstance(one, tuple) else [one]
    return found


def thresholds(text: str) -> list[float]:
    """Return numbers from 0 to 1 with commas between; none for "none"."""
    return [] if text == "none" else [number(part) for part in text.split(",")]


def models(text: str) -> str | list[str]:
    """Return the name of a model, or names with commas between."""
    from pyfsel.selectors.evaluation.models import MODELS

    names = text.split(",")
    for name in names:
        one_of("model", name, MODELS)
    return names if len(names) > 1 else text


def rules(text: str) -> list[Any]:
    """Return dissimilarities with commas between."""
    return [as_dissimilarity(part) for part in text.split(",")]


def proportion(text: str) -> float:
    """Return 0.05, also of 5%."""
    return share("loss", number(text[:-1]) / 100 if text.endswith("%") else number(text))


def quality(text: str) -> float | str:
    """Return a number, or a text such as 90%."""
    from pyfsel.solving.least_share import split_share

    if split_share(text)[1] is not None:
        return text
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text, re.IGNORECASE):
        raise InputError(f"{text!r} is not a number. Expected one, or a percentage such as 90%")
    return finite_number("min_quality", float(text))


def measure(text: str) -> str:
    """Return the name of a relevance score."""
    from pyfsel.measures.registry import QUALITY, find

    return find(QUALITY, text).name


def solver(text: str) -> str:
    """Return a solver after a look whether there is one."""
    from pyfsel.backends import get_backend
    from pyfsel.interface.solving import as_solver

    found = as_solver(text)["backend"]
    if isinstance(found, str) and found != "auto":
        get_backend(found, "solver")
    return text


def solver_name(text: str) -> str:
    """Return the name of a solver that confirms."""
    from pyfsel.backends import get_backend

    if text != "auto":
        get_backend(text, "confirm")
    return text


def group(text: str) -> Group:
    """Return the group of a text such as ``age,"weight, kg":at_most=1``.

    Names are written before the last colon, as in a line of CSV: those with commas in double quotes. One or
    more rules follow, with commas between.

    Raises
    ------
    InputError
        If the text has no names or no known rule.

    Examples
    --------
    >>> group("colour_*:at_most=1")
    Group(features=('colour_*',), at_least=0, at_most=1, all_or_none=False)
    >>> group('"weight, kg",age:at_least=1').features
    ('weight, kg', 'age')
    """
    listed, _, given = text.rpartition(":")
    if listed.count('"') % 2:
        raise InputError("a double quote is not closed")
    names = tuple(name.strip() for line in csv.reader([listed], skipinitialspace=True) for name in line)
    if not listed.strip() or not all(names):
        raise InputError("names or rules are missing. Expected NAME,NAME,…:RULE")
    limits: dict[str, Any] = {}
    for rule in given.split(","):
        word, sign, count = (part.strip() for part in rule.partition("="))
        one_of("rule", word, RULES)
        if bool(sign) is (word == "all_or_none") or (sign and not count.isdecimal()):
            raise InputError(f"{rule!r} is not a rule. Expected at_least=N, at_most=N or all_or_none")
        limits[word] = int(count) if sign else True
    return Group(names, **limits)


def costs(text: str) -> dict[str, float]:
    """Return the costs of a CSV file with the columns feature and cost.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, or a line has no number or repeats a feature.
    """
    lines = csv.DictReader(io.StringIO(read_text(text).removeprefix("\ufeff")), skipinitialspace=True)
    if not {"feature", "cost"} <= set(lines.fieldnames or ()):
        raise InputError(f"{text}: has no columns feature and cost. Expected feature,cost in its first line")
    found: dict[str, float] = {}
    for line in lines:
        where, name, cost = f"{text}: line {lines.line_num}", (line["feature"] or "").strip(), line["cost"]
        if None in line:
            raise InputError(f"{where}: has more cells than the first line")
        if name in found:
            raise InputError(f"{where}: {name!r} is repeated")
        try:
            found[name] = float(cost)
        except (TypeError, ValueError):
            raise InputError(f"{where}: {cost!r} is not a number, the cost of {name!r}") from None
    return found


def previous(text: str) -> list[list[str]]:
    """Return the sets in a JSON file of select or solve, or in a JSON list of lists of names.

    Raises
    ------
    InputError
        If the file has no sets.
    """
    data = parsed_json(text, read_text(text))
    entries = data.get("sets") if isinstance(data, dict) else data
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{text}: has no sets. Expected the JSON of select or solve, or a list of lists")
    return [list(entry["names"] if isinstance(entry, dict) else entry) for entry in entries]
