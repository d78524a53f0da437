"""Every formulation on every backend: size of the model, status, value, bound, seconds; a table per instance.

    python benchmarks/formulations.py --time-limit 10
    python benchmarks/formulations.py --time-limit 10 --instance "mrmr sum" --backend minizinc:gecode
    python benchmarks/formulations.py --time-limit 60 --formulation counts --formulation patterns

The instances are breast cancer (30 features) with mutual information in 10 bins: three sets of five features
with the univariate objective by sum, by min, and disjoint by min; three of two features with FCBF; one and
three of five features with mRMR; one of five with CFS, in numbers coarse enough for the literal formulation.
Values are in the integers of the instance. The seconds are those of one
`pyfsel.solve` call, process start and compiling included. A run that stops at the limit
shows what it holds, which may be the greedy start of every exact backend.
"""

import argparse
import os
import platform
import sys
import warnings
from datetime import date

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends import registry
from pyfsel.errors import PyfselError
from pyfsel.measures import load_dataset, pair_measures, prepare, quality
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.values import total
from pyfsel.reductions import reduce
from pyfsel.solving.solve import solve

SCALE, COARSE_SCALE = 1e5, 100
HEADER = ("backend", "formulation", "variables", "constraints", "status", "value", "bound", "seconds")
SKIPPED = ("brute-force",)
BUSY = """\
Figures of a busy machine: seconds are upper bounds, sizes and values are exact. Where a run ends at its
limit, a quiet machine or a longer limit may prove more."""


def main():
    options = parse()
    print("# Formulations side by side\n")
    if options.busy:
        print(f"{BUSY}\n")
    print(f"`python {' '.join(sys.argv)}`, {date.today()}, {platform.machine()}, one thread,")
    print(f"{os.cpu_count()} cores, {'of which others were in use' if options.busy else 'otherwise idle'}.\n")
    for name, problem in instances().items():
        if options.instance in (None, name):
            compare(name, problem, options)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per run")
    parser.add_argument("--instance", help="only this one, such as 'mrmr sum'")
    parser.add_argument("--backend", help="only this one")
    parser.add_argument("--formulation", action="append", help="only this one; may stand several times")
    parser.add_argument("--busy", action="store_true", help="note that the machine was busy")
    return parser.parse_args()


def instances() -> dict[str, Instance]:
    X, y = load_dataset("breast_cancer")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = prepare(X, y)
        q = quality(table, measure="mutual_info_binned")
        values = {name: pair_measures(table, objective=name) for name in ("fcbf", "mrmr", "cfs")}

    def several(q, r=None, **more):
        return make_instance(q, r, k=5, n_sets=3, scale=SCALE, **more)

    return {
        "univariate sum": several(q, dissimilarity="shared:2"),
        "univariate min": several(q, dissimilarity="shared:2", aggregate="min"),
        "univariate min, disjoint": several(q, dissimilarity="shared:0", aggregate="min"),
        "fcbf sum": make_instance(
            *values["fcbf"], objective="fcbf", k=2, n_sets=3, dissimilarity="shared:1", scale=SCALE
        ),
        "mrmr one set": make_instance(*values["mrmr"], objective="mrmr", k=5, scale=SCALE),
        "mrmr sum": several(*values["mrmr"], objective="mrmr", dissimilarity="shared:2"),
        "cfs one set": make_instance(*values["cfs"], objective="cfs", k=5, scale=COARSE_SCALE),
    }


def compare(name, problem, options):
    print(f"## {name}: {problem.n_features} features, {problem.n_sets} sets of {problem.k}, ", end="")
    print(f"max_shared {problem.max_shared}, {len(problem.conflicts)} conflicts\n")
    start = start_solution(problem)
    print(f"Greedy start: {'none' if start is None else total(problem, start)}.\n")
    print("| " + " | ".join(HEADER) + " |\n|" + "---|" * len(HEADER))
    for backend in registry().values():
        chosen = options.backend in (None, backend.name) and backend.name not in SKIPPED
        for formulation in backend.formulations if chosen and backend.missing() is None else ():
            if formulation not in (options.formulation or [formulation]):
                continue
            if backend.refusal(problem, formulation) is None:
                print(
                    "| " + " | ".join(map(str, row(problem, backend, formulation, options))) + " |",
                    flush=True,
                )
    print()


def row(problem, backend, formulation, options):
    size = backend.size(reduce(problem, formulation).problem, formulation) or {}
    sizes = [size.get("variables", ""), size.get("constraints", size.get("clauses", ""))]
    try:
        result = solve(
            problem,
            backend,
            time_limit=options.time_limit,
            formulation=formulation,
            search="simultaneous",
        )
    except PyfselError as error:
        return [backend.name, formulation, *sizes, str(error).splitlines()[0], "", "", ""]
    value, bound = result.integer_objective, result.integer_bound
    shown = ["" if number is None else number for number in (value, bound)]
    return [backend.name, formulation, *sizes, result.status, *shown, f"{result.runtime:.2f}"]


if __name__ == "__main__":
    main()
