"""What the laboratory reads from the items of a model, and how it changes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pyfsel.backends.minizinc.text import Item, Token, items_of_file, joined
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError

ANSWER = ("var", "bool", ":", "selected")
LARGEST_NAMED = 8


def is_preselection(item: Item) -> bool:
    """Return whether an item leaves features out beforehand, as ``lib/ranking.mzn`` does."""
    return item.is_constraint and "kept_features" in item.words


def aggregate_of(items: Sequence[Item]) -> str:
    """Return the aggregate that a model says that it has, or an empty text."""
    return next((item.value for item in items if item.assigned == "aggregated_by"), "")


def goal_of(items: Sequence[Item]) -> str:
    """Return satisfy, maximize or minimize.

    Raises
    ------
    InputError
        If there is no solve item.
    """
    return _solve_item(items)[1].text


def features_named(items: Sequence[Item]) -> list[int]:
    """Return small indices and members of sets in constraints that no shipped model has: likely features."""
    shipped = {item.text for file in models_dir().rglob("*.mzn") for item in items_of_file(file)}
    edited = [item for item in items if item.is_constraint and item.text not in shipped]
    numbers = {
        int(number.text)
        for item in edited
        for number, after in pairwise(item.tokens)
        if number.text.isdecimal() and after.text in ("]", ",", "}")
    }
    return sorted(number for number in numbers if number <= LARGEST_NAMED)


def all_solutions(items: Sequence[Item], objective: str) -> str:
    """Return the model that asks for any solution, and names its objective, an integer, in a variable."""
    item, goal = _solve_item(items)
    what = item.text[goal.end :].strip()
    named = f"var int: {objective} :: add_to_output = {what};\n" if what else ""
    rest = "".join(f"{_shown(other)};\n" for other in items if other is not item)
    return f"{rest}{item.text[: goal.begin]} satisfy;\n{named}"


def _shown(item: Item) -> str:
    """Return an item so that MiniZinc puts it out, if it declares the answer."""
    return f"{item.text} :: add_to_output" if item.words[-len(ANSWER) :] == ANSWER else item.text


def _solve_item(items: Sequence[Item]) -> tuple[Item, Token]:
    for item in items:
        if item.goal is not None:
            return item, item.goal
    raise InputError("model: has no solve item; `solve satisfy;` asks for any sets")


def text_without(items: Sequence[Item], dropped: Sequence[Item]) -> str:
    """Return a model without some of its items."""
    return joined(item for item in items if item not in dropped)
