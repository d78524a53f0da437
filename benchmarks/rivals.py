"""How many sets of breast_cancer cannot be told apart from the best one, by the number of bins.

    python benchmarks/rivals.py

Of all sets of five features, those whose loss is within 1.96 standard errors of the difference to the best,
by the influence of each row; and the smallest loss in standard errors. 8 bins are the default for 569 rows.
"""

import itertools

import numpy as np

from pyfsel.measures.information import Contingency
from pyfsel.measures.levels import default_bins
from pyfsel.measures.standard_errors import influence_on_information
from pyfsel.measures.tables.table import load_dataset, prepare

K, CANDIDATES = 5, 14


def main():
    table = prepare(*load_dataset("breast_cancer"))
    print("bins  rivals  nearest")
    for n_bins in range(6, 13):
        ratios = losses_in_errors(Contingency.of(table, n_bins))
        default = "  (default)" if n_bins == default_bins(len(table.y)) else ""
        print(f"{n_bins:4} {(ratios <= 1.96).sum():7} {ratios.min():8.2f}{default}")


def losses_in_errors(counts):
    """Return what other sets of the best features lose, in standard errors of the difference."""
    q, by_levels = counts.information(), influence_on_information(counts)
    influence = by_levels[counts.cells(slice(None)), counts.target[:, None]]
    order = np.argsort(-q)[:CANDIDATES]
    best, ratios = set(order[:K]), []
    for members in itertools.combinations(order, K):
        lost, won = list(best - set(members)), list(set(members) - best)
        if lost:
            apart = influence[:, lost].sum(axis=1) - influence[:, won].sum(axis=1)
            ratios.append((q[lost].sum() - q[won].sum()) / (apart.std() / len(apart) ** 0.5))
    return np.array(ratios)


if __name__ == "__main__":
    main()
