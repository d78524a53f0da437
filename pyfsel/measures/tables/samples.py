"""A table of genes × samples, with a sheet that describes the samples: joined to one row for each sample."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.encoded import warn
from pyfsel.problem.checks import shown
from pyfsel.problem.wording import number_of


def joined_to_samples(
    counts: pd.DataFrame, sheet: pd.DataFrame, wanted: Sequence[str], sample_id: str | None = None
) -> pd.DataFrame:
    """Return a row for each sample: its measurements, and columns of its row in the sheet.

    Parameters
    ----------
    counts : DataFrame, shape (n_genes, n_samples) or (n_samples, n_genes)
        With labels of its rows as the index, or in its first column.
    sheet : DataFrame, shape (n_samples, n_columns)
    wanted : sequence of str
        Columns of the sheet, such as the target and groups.
    sample_id : str, optional
        The column of the sheet that names the samples. By default the one without repetitions of which most
        values are labels of `counts`.

    Returns
    -------
    DataFrame, shape (n_joined, n_genes + len(wanted))
        The samples that both have, in the order of `counts`.

    Raises
    ------
    InputError
        If the sheet does not have a column, no sample has a partner, or names are repeated.

    Examples
    --------
    >>> counts = pd.DataFrame({"gene": ["g1", "g2"], "s1": [3, 0], "s2": [5, 1]})
    >>> sheet = pd.DataFrame({"sample": ["s2", "s1"], "ill": ["no", "yes"]})
    >>> joined_to_samples(counts, sheet, ["ill"])
        g1  g2  ill
    s1   3   0  yes
    s2   5   1   no
    """
    rows = counts if not isinstance(counts.index, pd.RangeIndex) else counts.set_index(counts.columns[0])
    rows = rows.set_axis(rows.index.astype(str), axis="index").set_axis(
        rows.columns.astype(str), axis="columns"
    )
    keyed = sheet if isinstance(sheet.index, pd.RangeIndex) else sheet.reset_index(names="row label")
    for name in (*wanted, *([] if sample_id is None else [sample_id])):
        if name not in keyed:
            raise InputError(f"samples: {name!r} is not a column of the sheet. Expected {shown(list(keyed))}")
    candidates = [sample_id] if sample_id is not None else [name for name in keyed if keyed[name].is_unique]
    matches = [
        (len(labels.intersection(pd.Index(keyed[name].astype(str)))), by_columns, name)
        for name in candidates
        for by_columns, labels in ((True, rows.columns), (False, rows.index))
    ]
    n_matched, by_columns, key = max(matches, key=lambda match: match[0], default=(0, False, ""))
    if not n_matched:
        raise InputError(
            f"samples: no value of {shown(candidates)} is a label of a row or column of the table. "
            "Name the column that has the labels: sample_id"
        )
    samples = rows.T if by_columns else rows
    described = keyed.set_axis(keyed[key].astype(str), axis="index")
    for labels, where in ((samples.index, "samples"), (samples.columns, "genes"), (described.index, key)):
        if not labels.is_unique:
            raise InputError(f"samples: {labels[labels.duplicated()][0]!r} is repeated in {where}")
    both = samples.index[samples.index.isin(described.index)]
    alone = len(samples) + len(described) - 2 * len(both)
    if alone:
        warn(f"samples: {number_of(alone, 'sample')} of the table or the sheet without a partner left out")
    taken = [name for name in wanted if name in samples.columns]
    if taken:
        raise InputError(
            f"samples: {taken[0]!r} is a column of the sheet and of the table. Rename one of them"
        )
    return pd.concat([samples.loc[both], described.loc[both, list(wanted)]], axis="columns")
