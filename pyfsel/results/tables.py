"""The tables of answers, by their questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyfsel.problem.instance import Instance
from pyfsel.results.display import Bar, SetsTable, aligned, number_or_dash
from pyfsel.results.sampling import marked_names

if TYPE_CHECKING:
    import pandas as pd

MOST_SETS, MOST_FEATURES, MOST_ANSWERS = 20, 30, 10


def table_of_sets(instance: Instance, sets: Sequence[Any], head: str) -> SetsTable:
    """Return the table of sets: quality as % of set 0, or in the unit if that is not positive."""
    shown = sets[:MOST_SETS]
    if sets[0].quality > 0 and head == "quality":
        texts: list[str] = [Bar(f"{100 * one.relative:.0f}%", one.relative) for one in shown]
    else:
        texts = aligned([one.quality for one in shown], 3)
    several, priced = len(sets) > 1, sets[0].cost is not None
    heads = ["set", head, *(["cost"] if priced else []), *(["shared"] if several else [])]
    table = SetsTable(heads, left=("shared",) if several else ())
    seen = set()
    for i, one in enumerate(shown):
        cells = [str(i), texts[i], *([f"{one.cost:.10g}"] if one.cost is not None else [])]
        if several:
            cells.append(f"{max(one.shared)} of {len(one)}" if one.shared else "")
        names = marked_names(instance, one.indices)
        table.add_row(cells, names, [i > 0 and name not in seen for name in names])
        seen |= set(names)
    return table


def table_of_features(instance: Instance, frame: pd.DataFrame) -> SetsTable:
    """Return the table of an atlas: in which proportion of the sets each feature is."""
    frame = frame.assign(name=marked_names(instance, tuple(range(len(frame)))))
    ordered = frame[frame["n_sets"] > 0].sort_values("n_sets", ascending=False, kind="stable")
    table = SetsTable(["sets"], names_head="feature")
    for _, row in ordered.head(MOST_FEATURES).iterrows():
        table.add_row([f"{100 * row['share']:.0f}%"], [row["name"]])
    return table


def table_of_answers(instance: Instance, families: Sequence[Sequence[Sequence[int]]]) -> SetsTable:
    """Return the table of equally good answers."""
    table = SetsTable(["answer"], names_head="features")
    for number, family in enumerate(families[:MOST_ANSWERS]):
        for place, members in enumerate(family):
            table.add_row(["" if place else str(number)], marked_names(instance, tuple(members)))
    if len(families) > MOST_ANSWERS:
        table.add_row(["…"], [f"{len(families) - MOST_ANSWERS:,} more"])
    return table


def table_of_cells(frame: pd.DataFrame) -> SetsTable:
    """Return the table of a sweep."""
    table = SetsTable(["k", "sets", "dissimilarity", "shared", "quality"], names_head="status")
    for _, row in frame.iterrows():
        numbers = (row["k"], row["n_sets"], f"{row['dissimilarity']:.3g}", row["shared"])
        table.add_row([*map(str, numbers), number_or_dash(row["relative"], ".0%")], [str(row["status"])])
    return table
