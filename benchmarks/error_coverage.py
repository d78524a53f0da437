"""How often ± of a set covers its quality in a large sample, by objective and number of rows.

    python benchmarks/error_coverage.py [--rows 100 300 1000] [--samples 200] [--objectives jmi r2]

The set is named beforehand. Its features, of three values or for ``r2`` numbers, depend on one signal and on
each other. The true quality is the quality in 100,000 rows; 95% of the intervals should cover it.
"""

import argparse

import numpy as np

from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.values import qualities
from pyfsel.results.sampling import Sampling

OBJECTIVES = ("jmi", "cife", "mrmr", "mifs", "cfs", "r2")
NAMED = [(0, 1, 2)]
STRENGTHS = np.array([1.2, 0.9, 0.7, 0.5, 0.3, 0.0])


def sample(seed, n_rows, objective):
    """Return the problem of one sample of rows."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n_rows)
    y = signal + 0.3 * rng.normal(size=n_rows)
    X = signal[:, None] * STRENGTHS + rng.normal(size=(n_rows, len(STRENGTHS)))
    X += 0.7 * rng.normal(size=(n_rows, 1))
    if objective != "r2":
        X, y = np.clip(np.rint(X), -1, 1), (y > 0.3).astype(int)
    table = prepare(X, y)
    return problem_from_table([table], objective=objective, k=len(NAMED[0]), chance="off").replace(n_sets=1)


def coverage(objective, n_rows, n_samples):
    """Return the proportion of samples whose interval covers the quality in many rows."""
    true = qualities(sample(0, 100_000, objective), NAMED)[0]
    problems = [sample(seed, n_rows, objective) for seed in range(1, n_samples + 1)]
    margins = np.array([Sampling.of(problem, NAMED).margins[0] for problem in problems])
    found = np.array([qualities(problem, NAMED)[0] for problem in problems])
    return float((np.abs(found - true) <= margins).mean())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--objectives", nargs="+", default=OBJECTIVES, choices=OBJECTIVES)
    asked = parser.parse_args()
    for objective in asked.objectives:
        shares = (coverage(objective, n_rows, asked.samples) for n_rows in asked.rows)
        print(objective, *(f"{share:.1%}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
