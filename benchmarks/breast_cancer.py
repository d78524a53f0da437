"""Simultaneous search on scikit-learn's breast cancer data: literal and strengthened, and a peer.

    python benchmarks/breast_cancer.py --time-limit 30
    pip install alfese && python benchmarks/breast_cancer.py --peer --time-limit 60

k = 5, Dice, tau = 0.4 (so any two sets share at most 3 features), k-NN mutual information. Each cell shows
the seconds of one whole `pyfsel.solve` call with one thread, process start and compilation included. A cell
with `>` was not proved within the limit; the share behind it is how far its objective is below the proved
optimum. The peer `alfese` solves Eq. 22 of paper 000 with SCIP, on the same quantised numbers; it proves up
to a relative gap of 1e-4.
"""

import argparse
import time

import pyfsel
from pyfsel.backends import get_backend
from pyfsel.measures import load_dataset
from pyfsel.measures.from_table import problem_from_table, tables_of
from pyfsel.results.backend_answer import StopReason
from pyfsel.solving.solve import solve

RUNS = (
    ("minizinc:gecode", "strengthened"),
    ("cpsat", "strengthened"),
    ("packing", "strengthened"),
    ("rc2", "strengthened"),
    ("minizinc:gecode", "literal"),
    ("cpsat", "literal"),
    ("rc2", "literal"),
)


def main():
    options = parse()
    for aggregate in ("sum", "min"):
        alternatives = range(1, options.largest_a + 1)
        problems = [breast_cancer(aggregate, a, options.max_shared) for a in alternatives]
        results = {run: [solved(problem, *run, options) for problem in problems] for run in RUNS}
        best = [
            max(result.integer_objective or 0 for result in column)
            for column in zip(*results.values(), strict=True)
        ]
        print(
            f"\n{aggregate}-aggregation, max_shared {options.max_shared}: seconds by number of alternatives"
        )
        print_row("", "", [f"a={a}" for a in alternatives])
        for (backend, formulation), row in results.items():
            cells = [cell(r, b, options.time_limit) for r, b in zip(row, best, strict=True)]
            print_row(backend, formulation, cells)
        if options.peer:
            cells = [peer_cell(p, b, options) for p, b in zip(problems, best, strict=True)]
            print_row("alfese", "literal", cells)
        print_row("optimum", "", [str(number) for number in best])
        disagreements = contradictions(results)
        print("proved optima agree" if not disagreements else f"CONTRADICTIONS: {disagreements}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per cell")
    parser.add_argument("--max-overlap", type=int, default=3)
    parser.add_argument("--largest-a", type=int, default=5, help="largest number of alternatives")
    parser.add_argument("--peer", action="store_true", help="run alfese too (must be installed)")
    return parser.parse_args()


def breast_cancer(aggregate, n_alternatives, max_shared):
    X, y = load_dataset("breast_cancer")
    problem = problem_from_table(
        tables_of(X, y), k=5, n_sets=n_alternatives + 1, dissimilarity=0.4, random_state=0
    )
    return problem.replace(aggregate=aggregate, max_shared=max_shared)


def solved(problem, backend, formulation, options):
    return solve(
        problem,
        get_backend(backend),
        formulation=formulation,
        time_limit=options.time_limit,
        search="simultaneous",
    )


def cell(result, best, limit):
    if result.status is pyfsel.Status.OPTIMAL:
        return f"{result.runtime:.2f}"
    if result.stop_reason is StopReason.ERROR:
        return "crashed"
    behind = "" if result.integer_objective is None else f" {1 - result.integer_objective / best:.1%}"
    return f">{limit:.0f}{behind}"


def contradictions(results):
    found = []
    for column in zip(*results.values(), strict=True):
        proved = {r.integer_objective for r in column if r.status is pyfsel.Status.OPTIMAL}
        better = {r.integer_objective for r in column if proved and (r.integer_objective or 0) > max(proved)}
        if len(proved) > 1 or better:
            found.append(sorted(proved | better))
    return found


def peer_cell(problem, best, options):
    import alfese
    from ortools.linear_solver import pywraplp

    class Limited(alfese.ManualQualityUnivariateSelector):
        def initialize_solver(self, solver, *arguments, **keywords):
            super().initialize_solver(solver, *arguments, **keywords)
            solver.SetTimeLimit(int(options.time_limit * 1000))

    selector = Limited()
    selector.set_data(q_train=problem.quality.tolist())
    start = time.perf_counter()
    frame = selector.search_simultaneously(
        k=problem.k,
        num_alternatives=problem.n_sets - 1,
        tau_abs=problem.k - problem.max_shared,
        objective_agg=problem.aggregate,
    )
    seconds = time.perf_counter() - start
    if frame["optimization_status"].iloc[0] == pywraplp.Solver.OPTIMAL:
        return f"{seconds:.2f}"
    qualities = frame["train_objective"]
    value = qualities.sum() if problem.aggregate == "sum" else qualities.min()
    return f">{options.time_limit:.0f} {1 - value / best:.1%}"


def print_row(backend, formulation, cells):
    print(f"{backend:16} {formulation:13}" + "".join(f"{text:>11}" for text in cells), flush=True)


if __name__ == "__main__":
    main()
