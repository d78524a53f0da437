"""Sentences about held-out scores and selections that are repeated: the same words in all estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from pyfsel.results.display import Bar, number_or_dash

Record = dict[str, Any]
"""A row of a table, by the names of its columns."""
ALL_FEATURES = "all"
VOTE = "vote"
LEVEL = 0.05
"""A p-value up to this one is significant."""
FEW_GROUPS = 20
AT_MOST_ONE = ("r2", "explained_variance", "d2_")
"""Scores without a lower end, by how their names begin."""
SHOWN, REFUTED, NOT_SHOWN = "shown", "refuted", "not shown"
BETTER, WORSE = "better", "worse"
SAYINGS = {
    BETTER: "significantly better",
    SHOWN: "shown to be at most {margin:g} worse",
    REFUTED: "more than {margin:g} worse",
    WORSE: "significantly worse",
    NOT_SHOWN: "not shown to be at most {margin:g} worse",
}


def score_word(scoring: str) -> str:
    """Return the name of a score in words."""
    return {"r2": "R²"}.get(scoring, scoring.replace("_", " "))


def range_text(low: float, high: float, scoring: str, dash: str = "–", digits: int = 3) -> str:
    """Return an interval of a score in words; how bad an R² below −1 is does not matter.

    Examples
    --------
    >>> range_text(0.5, 0.75, "accuracy"), range_text(-0.1, 0.2, "r2"), range_text(-8e9, 0.9, "r2")
    ('0.500–0.750', '-0.100 to 0.200', 'below -1 to 0.900')
    """
    if isnan(low):
        return dash
    if scoring.startswith(AT_MOST_ONE) and low < -1:
        return f"below -1 to {high:.{digits}f}"
    ends = [f"{end:.{digits}f}" if round(end, digits) or not end else f"{end:.1g}" for end in (low, high)]
    return ("–" if low >= 0 else " to ").join(ends)


def kind_of(one: Record) -> str:
    """Return what is said of a set: significantly better or worse, or the verdict about the margin."""
    is_significant = one["p_value"] <= LEVEL
    if is_significant and one["difference"] > 0:
        return BETTER
    return WORSE if is_significant and one["verdict"] == NOT_SHOWN else str(one["verdict"])


def comparison_text(one: Record, margin: float) -> str:
    """Return what `compared` has found about a set, in words."""
    if isnan(one["difference_low"]):
        return "not compared: too few folds, or the same difference in each"
    ends = range_text(one["difference_low"], one["difference_high"], "difference")
    return f"{SAYINGS[kind_of(one)].format(margin=margin)} ({ends})"


def score_cells(row: Record, scoring: str) -> list[str]:
    """Return the cells of a table for a score: its mean, and the interval of the mean."""
    ends = range_text(row["score_low"], row["score_high"], scoring)
    return [Bar(number_or_dash(row["score"]), row["score"]), ends]


def stability_cell(index: float) -> str:
    """Return the cell of a table for an index of stability."""
    return Bar(number_or_dash(index, ".2f"), index)


def subject(name: str) -> str:
    """Return what a set is called in a sentence: "set 0", "the vote", or the name of its selector."""
    return f"set {name}" if name.isdecimal() else "the vote" if name == VOTE else name


def sentence(text: str) -> str:
    """Return a text with a capital letter, unless it begins with a name."""
    return f"{text[0].upper()}{text[1:]}" if text.startswith(("set", "the ")) else text


def listed(words: Sequence[str]) -> str:
    """Return words with commas, and "and" before the last one."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def said_of_sets(groups: Mapping[str, Sequence[str]]) -> str:
    """Return what is said of sets, by what is said, in one sentence; "" if nothing is.

    Examples
    --------
    >>> said_of_sets({"stable": ["0", "2"], "not stable": ["1"], "unknown": []})
    'Sets 0 and 2 are stable; set 1 is not stable'
    """
    said = []
    for what, names in groups.items():
        if all(map(str.isdecimal, names)) and len(names) > 1:
            said.append(f"sets {listed(names)} are {what}")
        elif names:
            said.append(f"{listed([*map(subject, names)])} {'is' if len(names) == 1 else 'are'} {what}")
    return sentence("; ".join(said))


def of_few_groups(n_groups: int | None) -> list[str]:
    """Return a caution if there are few groups of rows."""
    if n_groups is None or n_groups >= FEW_GROUPS:
        return []
    return [f"The rows are of only {n_groups} groups, so the intervals are wide and uncertain"]
