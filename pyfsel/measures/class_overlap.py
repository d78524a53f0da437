"""How much the distributions of a feature in the classes overlap, from histograms."""

from __future__ import annotations

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.levels import bin_columns, bin_values
from pyfsel.measures.registry import relevance
from pyfsel.measures.tables.table import Table


@relevance("class_separation", "share of the classes that do not overlap", any_entries=True)
def class_separation(table: Table, *, n_bins: int = 10, n_groups: int = 4) -> Floats:
    """One minus the overlap of the histograms of the classes, in [0, 1].

    The overlap of two classes is ``Σ_b min(p_b, p'_b)`` over the bins of the feature, p and p' being the
    shares of the classes' rows; that of several classes is the mean over all pairs of them. Continuous
    features get `n_bins` quantile bins. For regression the rows are grouped by `n_groups` quantiles of the
    target, which take the place of the classes.
    """
    if table.task == "classification":
        groups: Ints = np.asarray(table.y, dtype=np.intp)
    elif isinstance(n_groups, bool) or not isinstance(n_groups, (int, np.integer)) or n_groups < 2:
        raise InputError(f"n_groups={n_groups!r}: must be an integer of at least 2")
    else:
        groups = bin_values(table.y, n_groups)
    return table.by_blocks(
        lambda some: np.array(
            [1.0 - _overlap(column, groups) for column in bin_columns(some, n_bins)[:, :].T]
        )
    )


def _overlap(codes: Ints, groups: Ints) -> float:
    counts = np.zeros((codes.max() + 1, groups.max() + 1))
    np.add.at(counts, (codes, groups), 1.0)
    shares = counts / counts.sum(axis=0)
    first, second = np.triu_indices(shares.shape[1], 1)
    return float(np.minimum(shares[:, first], shares[:, second]).sum(axis=0).mean())
