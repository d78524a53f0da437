"""mRMR with a free number of features: fractional 0-1 programs of the literature beside pyfsel.

    python benchmarks/fractional_peers.py > benchmarks/results/peers/fractional.md    # or benchmarks/peers.sh

As Peng, Long and Ding (2005) define it, a set S of any size m is worth the sum of its relevances divided by
m, less the sum of I(i; j) over all i and j in S, i = j included, divided by m²: a fraction of two quadratic
0-1 functions, Σ c_ij x_i x_j / Σ x_i x_j with c_ij = (a_i + a_j) / 2 - I(i; j). Four ways, three on HiGHS:

- ratio: y stands for 1 / m², u_ij for x_i x_j y between the four rows of McCormick, and Σ u_ij = 1, the
  usual way to make 0-1 fractions linear.
- newton: as in Mehmanchi, Gómez and Prokopyev (2021), the best set for Σ (c_ij - t) x_i x_j gives the next
  t, until it is worth 0; each step is a quadratic 0-1 problem, here with a real number per feature (Glover).
- perspective: a model of our own in the space that He, Luo and Zhao (2025) name: shares y_i = x_i / m, which
  sum to 1, and W_ij = y_i y_j with Σ_j W_ij = y_i. Their inequalities may be stronger.
- pyfsel: Newton's method, each step as `mifs` of free size by the backend `auto`.

With a fixed size y is a constant, and the first two become the linear models of mrmr_peers.py.
"""

import argparse
import os
import sys
import time
from datetime import date
from importlib.metadata import version

import highspy
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import mutual_info_score
from sklearn.preprocessing import KBinsDiscretizer

import pyfsel
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

TABLES = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
TOLERANCE = 1e-6


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per run")
    limit = parser.parse_args().time_limit
    quiet_banner()
    print("# mRMR of free size: fractional programs\n")
    print(
        f"`python {' '.join(sys.argv)}`, {date.today()}, {os.cpu_count()} cores, of which others were in use;"
    )
    print(f"highspy {version('highspy')}, pyfsel {pyfsel.__version__}. Seconds to the proof, or the value")
    print(f"found and what was left of the gap after {limit:g} s.\n")
    ways = {"ratio": ratio, "newton": newton_linear, "perspective": perspective, "pyfsel": newton_pyfsel}
    print(f"| table | n | best value | its size | {' | '.join(ways)} |\n|---|" + "---:|" * (3 + len(ways)))
    newton_pyfsel(
        np.eye(2), time.perf_counter() + limit
    )  # what has to be imported is, before the first is timed
    for name, n_first in (("wine", 13), ("breast_cancer", 15), ("breast_cancer", 30), ("digits", 61)):
        coefficients = pair_values(*TABLES[name](return_X_y=True), n_first)
        runs = [run(way, coefficients, limit) for way in ways.values()]
        value, members = max((worth(coefficients, found), found) for found, _ in runs)
        cells = [
            cell if worth(coefficients, s) > value - TOLERANCE else f"{cell}, behind" for s, cell in runs
        ]
        print(
            f"| {name} | {len(coefficients)} | {value:.5f} | {len(members)} | {' | '.join(cells)} |",
            flush=True,
        )


def quiet_banner():
    """Have HiGHS greet on standard error: its first object prints, whatever its options say."""
    page = os.dup(1)
    os.dup2(2, 1)
    highspy.Highs()
    os.dup2(page, 1)


def pair_values(X, y, n_first):
    """Return c_ij of the first columns that are not constant, in ten bins of equal width, in nats."""
    X = X[:, np.ptp(X, axis=0) > 0][:, :n_first]
    bins = KBinsDiscretizer(10, encode="ordinal", strategy="uniform").fit_transform(X).T
    relevance = np.array([mutual_info_score(column, y) for column in bins])
    information = np.array([[mutual_info_score(a, b) for b in bins] for a in bins])
    return (relevance[:, None] + relevance) / 2 - information


def worth(coefficients, members):
    return float(coefficients[np.ix_(members, members)].mean()) if members else -np.inf


def run(way, coefficients, limit):
    start = time.perf_counter()
    members, bound = way(coefficients, start + limit)
    value = worth(coefficients, members)
    if bound - value <= TOLERANCE:
        return members, f"{time.perf_counter() - start:.2f}"
    return members, f"{value:.4f}, gap {bound - value:.2g}" if members else f"no set, bound {bound:.2g}"


def ratio(c, deadline):
    """Maximise Σ c_ij u_ij, where u_ij = x_i x_j y and y = 1 / (Σ x)²."""
    n = len(c)
    solver, x = with_choices(n)
    y = solver.addVariable(1 / n**2, 1)
    u = {(i, j): solver.addVariable(0, 1) for i in range(n) for j in range(i, n)}
    for (i, j), product in u.items():
        solver.addConstr(product <= x[i])
        solver.addConstr(product <= x[j])
        solver.addConstr(product <= y)
        solver.addConstr(product >= y + x[i] + x[j] - 2)
    times = {(i, j): 1 if i == j else 2 for i, j in u}
    solver.addConstr(solver.qsum(times[p] * u[p] for p in u) == 1)
    return best_set(solver, x, solver.qsum(times[p] * c[p] * u[p] for p in u), deadline)


def perspective(c, deadline):
    """Maximise Σ c_ij W_ij, where W_ij = s if both features are chosen, else 0, and Σ_j W_ij = y_i = r x_i.

    In a set of m features the shares y sum to 1, so r = 1 / m. The m entries s of a row sum to r: s = 1 / m².
    """
    n = len(c)
    solver, x = with_choices(n)
    r, s = solver.addVariable(1 / n, 1), solver.addVariable(1 / n**2, 1)
    y = [solver.addVariable(0, 1) for _ in range(n)]
    w = {(i, j): solver.addVariable(0, 1) for i in range(n) for j in range(i, n)}
    for i in range(n):
        solver.addConstr(y[i] <= x[i])
        solver.addConstr(y[i] <= r)
        solver.addConstr(y[i] >= r + x[i] - 1)
        solver.addConstr(solver.qsum(w[min(i, j), max(i, j)] for j in range(n)) == y[i])
    for (i, j), product in w.items():
        solver.addConstr(product <= s)
        solver.addConstr(product >= s + x[i] + x[j] - 2)
    solver.addConstr(solver.qsum(y) == 1)
    return best_set(solver, x, solver.qsum((1 if i == j else 2) * c[i, j] * w[i, j] for i, j in w), deadline)


def newton_linear(c, deadline):
    return newton(c, deadline, quadratic_linear)


def newton_pyfsel(c, deadline):
    return newton(c, deadline, quadratic_pyfsel)


def newton(c, deadline, quadratic):
    """Return the best set and a bound.

    As Σ x_i x_j >= 1, no ratio exceeds t by more than the best value of a step, if that is positive.
    """
    members = [int(c.diagonal().argmax())]
    while True:
        t = worth(c, members)
        found, bound = quadratic(c - t, deadline)
        if bound <= TOLERANCE or worth(c, found) <= t + TOLERANCE:
            return members, t + max(bound, 0)
        members = found


def quadratic_linear(c, deadline):
    """Maximise Σ z_i, where z_i <= x_i Σ_j c_ij x_j."""
    n = len(c)
    solver, x = with_choices(n)
    z = [solver.addVariable(-highspy.kHighsInf, highspy.kHighsInf) for _ in range(n)]
    for i, row in enumerate(c):
        largest, least = row[row > 0].sum(), row[row < 0].sum()
        solver.addConstr(z[i] <= float(largest) * x[i])
        solver.addConstr(z[i] <= solver.qsum(row[j] * x[j] for j in range(n)) + float(-least) * (1 - x[i]))
    return best_set(solver, x, solver.qsum(z), deadline)


def quadratic_pyfsel(c, deadline):
    """Solve one step as `mifs`, whose pairs count once."""
    problem = make_instance(c.diagonal(), -2 * c, objective="mifs", k=(1, len(c)), scale=1e7)
    result = solve(problem, time_limit=max(deadline - time.perf_counter(), 0.01))
    bound = np.inf if result.integer_bound is None else result.integer_bound / problem.scale
    return [int(i) for i in result.sets[0]] if result.sets else [], bound


def with_choices(n):
    """Return a quiet solver and its choice of features, at least one."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    x = [solver.addBinary() for _ in range(n)]
    solver.addConstr(solver.qsum(x) >= 1)
    return solver, x


def best_set(solver, x, objective, deadline):
    solver.setOptionValue("time_limit", max(deadline - time.perf_counter(), 0.01))
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", TOLERANCE / 10)
    solver.maximize(objective)
    info = solver.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return [], info.mip_dual_bound
    return [i for i, chosen in enumerate(solver.vals(x)) if chosen > 0.5], info.mip_dual_bound


if __name__ == "__main__":
    main()
