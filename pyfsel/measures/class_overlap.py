"""How much the distributions of a feature in the classes overlap, from histograms."""

from __future__ import annotations

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.contingency import Contingency
from pyfsel.measures.levels import bin_columns, bin_values
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import integer_in


def class_separation(table: Table, *, n_bins: int = 10, n_groups: int = 4) -> Floats:
    """One minus the overlap of the histograms of the classes, in [0, 1].

    The overlap of two classes is ``Σ_b min(p_b, p'_b)`` over the bins of the feature, p and p' being the
    proportions of the classes' rows; with several classes the overlap is the mean over all pairs of them.
    Continuous features get `n_bins` quantile bins. For regression the rows are grouped by `n_groups`
    quantiles of the target, which replace the classes.
    """
    if table.task == "classification":
        groups = table.y
    else:
        groups = bin_values(table.y, integer_in("n_groups", n_groups, 2, None))
    return table.by_blocks(lambda some: _apart(Contingency(bin_columns(some, n_bins), None, groups)))


def _apart(counts: Contingency) -> Floats:
    shares = counts.counts / counts.of_target
    first, second = np.triu_indices(shares.shape[1], 1)
    return 1.0 - counts.by_column(np.minimum(shares[:, first], shares[:, second]).mean(axis=1))
