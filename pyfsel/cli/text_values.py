"""From texts of the command line to values: sizes, rules, files of costs and of earlier sets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite, nan
from typing import Any

from pyfsel.errors import InputError
from pyfsel.objectives import as_objective
from pyfsel.problem.checks import LARGEST_INTEGER, integer_in, number_of_jobs, one_of, seconds, share
from pyfsel.problem.fields import Group
from pyfsel.problem.rules import as_dissimilarity, sizes_of
from pyfsel.problem.text_files import parsed_json, read_text

RULES = ("at_least", "at_most", "all_or_none")


def number(text: str) -> float:
    """Return a finite number; 5% is 0.05."""
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = nan
    if not isfinite(found):
        raise InputError("is not a finite number, or a percentage such as 5%")
    return found


def integer(text: str) -> int:
    """Return a whole number."""
    if not re.fullmatch(r"\s*[+-]?\d{1,16}\s*", text) or abs(int(text)) > LARGEST_INTEGER:
        raise InputError("is not a whole number of at most 2**53")
    return int(text)


def size(text: str) -> int | tuple[int, int]:
    """Return a size, or a range such as 3-5."""
    low, dash, high = text.partition("-")
    return (integer(low), integer(high)) if dash and low else integer(text)


def folds(text: str) -> int | str:
    """Return a number of folds, or a text such as time:COLUMN; 0 leaves out the scores of a report."""
    if re.match("time:.", text):
        return text
    if not text.isdecimal() or int(text) == 1:
        raise InputError("is not a number of folds. Expected at least 2, or time:COLUMN")
    return integer(text)


def times(text: str) -> str:
    """Return a text such as time:COLUMN."""
    if not re.match("time:.", text):
        raise InputError("halves are made in time only. Expected time:COLUMN")
    return text


def models(text: str) -> str | list[str]:
    """Return the name of a model, or names with commas between."""
    from pyfsel.selectors.evaluation.models import MODELS

    names = text.split(",")
    for name in names:
        one_of("model", name, MODELS)
    return names if len(names) > 1 else text


def quality(text: str) -> float | str:
    """Return a number, or a text such as 90%."""
    from pyfsel.solving.least_share import split_share

    return text if split_share(text)[1] is not None else number(text)


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
    expected = "the JSON of select or solve, or a list of lists"
    data = parsed_json(text, read_text(text), expected)
    found = data.get("sets") if isinstance(data, dict) else data
    entries = found if isinstance(found, list) else ()
    sets: list[Any] = [one.get("names") if isinstance(one, dict) else one for one in entries]
    if not sets or not all(isinstance(one, list) for one in sets):
        raise InputError(f"{text}: has no sets. Expected {expected}")
    return sets


READERS: Mapping[str, Callable[[str], Any]] = {
    "int": integer,
    "float": number,
    "Group": group,
    "Mapping[Feature, float] | Any": costs,
    "float | str": quality,
    "Iterable[Feature]": previous,
    "k": size,
    "dissimilarity": as_dissimilarity,
    "objective": as_objective,
    "random_state": integer,
    "cv": folds,
    "Times": times,
    "model": models,
}
"""How texts become values, by the type of a parameter, or by its name if the type does not say it."""


def _relevance_score(name: str, text: str) -> None:
    from pyfsel.measures.registry import QUALITY, find

    find(QUALITY, text, name)


def _solver(name: str, text: str) -> None:
    """Look whether there is such a solver, or one that confirms."""
    from pyfsel.backends import get_backend
    from pyfsel.interface.solving import as_solver

    found = as_solver(text)["backend"]
    if isinstance(found, str) and found != "auto":
        get_backend(found, name)


def _near_duplicates(name: str, text: str) -> None:
    from pyfsel.interface.scores import copying_of

    copying_of(text)


def _score(name: str, text: str) -> None:
    from pyfsel.selectors.evaluation.models import check_scoring_name

    check_scoring_name(text)


NUMBERS = "n_sets n_threads memory_limit limit pairs keep_best at_most max_evaluations"
"""Parameters that are whole numbers of at least 1."""
CHECKS: Mapping[str, Callable[[str, Any], object]] = {
    "k": lambda name, k: sizes_of(k),
    "time_limit": seconds,
    "loss": share,
    "random_state": partial(integer_in, low=0, high=None),
    "n_jobs": lambda name, number: number_of_jobs(number),
    "measure": _relevance_score,
    "solver": _solver,
    "confirm": _solver,
    "near_duplicates": _near_duplicates,
    "scoring": _score,
    **dict.fromkeys(NUMBERS.split(), partial(integer_in, low=1, high=None)),
}
"""What is looked at before anything costs time, by the name of the parameter in all functions."""
