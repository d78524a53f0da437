"""Notes about copies, for commands whose results have no place for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.cli.groups import CopyingSource
from pyfsel.cli.progress import note

if TYPE_CHECKING:
    from pyfsel.measures.tables.table import Columns

MERGED = "of each group of copies the first column stands for all; all that is found is among these"


def note_near_copies(
    source: CopyingSource, columns: Columns, sets: Iterable[Iterable[str]], quiet: bool
) -> None:
    """Tell which columns of some sets are nearly equal to others, or that copies were merged.

    Parameters
    ----------
    source : CopyingSource
    columns : Columns
        All columns, also those that were merged.
    sets : iterable of iterables of str
        Names of features.
    quiet : bool
    """
    from pyfsel.measures.from_table import near_copies
    from pyfsel.problem.problem import Problem
    from pyfsel.results.copies import copies_text

    if source.copies == "merge":
        left = len(source.representatives(columns))
        if left < columns.n_features:
            note(f"{columns.n_features - left} columns were left out as copies: {MERGED}", quiet)
        return
    position = {name: j for j, name in enumerate(columns.feature_names)}
    found = tuple(tuple(position[name] for name in names if name in position) for names in sets)
    pairs = near_copies(columns, found, source.copies, source.copy_threshold)
    names = columns.feature_names
    nothing = np.zeros(len(names), dtype=np.int64)
    problem = Problem(nothing, n_sets=1, set_size=1, max_overlap=1, feature_names=names)
    told = copies_text(problem, found, pairs)
    if told:
        note(told.replace("; proved among all columns", ""), quiet)
