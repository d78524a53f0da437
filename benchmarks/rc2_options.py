"""RC2: cardinality encodings and search options, one at a time, over a set of instances.

    python benchmarks/rc2_options.py -o benchmarks/results/rc2_options.md

Each figure is the CPU seconds of one run (encoding included, process start not), started from the greedy
solution as in `pyfsel.solve`. "-" means that the time limit ended the run. The second row is the textbook
encoding.
"""

import argparse
import time
import warnings
from dataclasses import replace
from pathlib import Path

from pyfsel import Status
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends.maxsat.rc2 import Rc2
from pyfsel.backends.maxsat.rc2_search import Rc2Options
from pyfsel.drivers.sat.counters import CARDINALITIES
from pyfsel.measures import pair_measures
from pyfsel.measures.tables.table import load_dataset, read_table
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.reductions import reduce
from pyfsel.results.control import Control, Limits

COMMAND = "python benchmarks/rc2_options.py -o benchmarks/results/rc2_options.md"
BASE = Rc2Options(strata="div")


def main():
    options = parse()
    instances = dict(problems(options.tables))
    run(next(iter(instances.values())), BASE, "strengthened", options.time_limit)
    columns = ["options", *instances, "solved", "total s"]
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    print("\n".join(lines))
    for name, chosen, formulation in variants():
        lines.append(row(name, chosen, formulation, instances.values(), options.time_limit))
        print(lines[-1], flush=True)
        if options.output:
            head = [
                "# Options of RC2",
                "",
                f"`{COMMAND}`, limit {options.time_limit:g} s per run",
                "",
                *lines,
            ]
            options.output.write_text("\n".join([*head, "", CONCLUSION]))


CONCLUSION = """\
"base" has the strata of RC2's own default (div) and is otherwise the default of `pyfsel`; the other rows
change one option of it. The total counts an unfinished run with its limit. The limit is one of wall-clock
time: with other work on the machine a "-" can hide a run of a few CPU seconds more than its neighbours. The
encodings of cardinalities and the SAT solvers differ little; the strata decide on mRMR, and `strata="full"`,
which solves all instances in the least time, is the default of
`pyfsel.backends.maxsat.rc2_search.Rc2Options`.
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", help="CSV files with a column `target`, for ten sets of each")
    parser.add_argument("--time-limit", type=float, default=20.0, help="wall-clock seconds per run")
    parser.add_argument("-o", "--output", type=Path, help="also write a Markdown file")
    return parser.parse_args()


def variants():
    yield "base", BASE, "strengthened"
    yield "literal formulation", BASE, "literal"
    for cardinality in CARDINALITIES:
        if cardinality != BASE.cardinality:
            yield f"cardinality={cardinality}", replace(BASE, cardinality=cardinality), "strengthened"
    for strata in ("basic", "cluster", "full"):
        yield f"strata={strata}", replace(BASE, strata=strata), "strengthened"
    for name in ("adapt", "exhaust", "minimise"):
        yield f"{name}=False", replace(BASE, **{name: False}), "strengthened"
    for solver in ("glucose3", "minisat22", "cadical153"):
        yield f"sat_solver={solver}", replace(BASE, sat_solver=solver), "strengthened"


def problems(tables):
    q, r, fcbf = measured(load_dataset("breast_cancer"))
    for max_shared in (1, 2, 3):
        yield (
            f"sum m={max_shared}",
            make_instance(q, k=5, n_sets=6, dissimilarity=f"shared:{max_shared}"),
        )
    yield "min", make_instance(q, k=5, n_sets=3, dissimilarity="shared:2", aggregate="min")
    alone = make_instance(
        q,
        k=5,
        dissimilarity="shared:2",
        constraints=Constraints(previous=[(20, 22, 23, 27, 7), (20, 22, 2, 0, 3)]),
    )
    yield "one set after two", alone
    yield "fcbf", make_instance(*fcbf, objective="fcbf", k=3, n_sets=2, dissimilarity="shared:1")
    yield "mrmr k=5", make_instance(q, r, objective="mrmr", k=5)
    for table in tables:
        q, _, _ = measured(read_table(table, "target"))
        for max_shared in (1, 3):
            yield (
                f"{Path(table).name.split('.')[0]} ten sets m={max_shared}",
                make_instance(q, k=5, n_sets=10, dissimilarity=f"shared:{max_shared}"),
            )


def measured(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        q, r = pair_measures(*table, objective="mrmr")
        return q, r, pair_measures(*table, objective="fcbf")


def row(name, chosen, formulation, instances, limit):
    cells, total, solved = [], 0.0, 0
    for problem in instances:
        seconds, proved = run(problem, chosen, formulation, limit)
        total += seconds if proved else limit
        solved += proved
        cells.append(f"{seconds:.2f}" if proved else "-")
    return f"| {name} | {' | '.join(cells)} | {solved} | {total:.1f} |"


def run(problem, chosen, formulation, limit):
    reduction = reduce(problem, formulation)
    start = start_solution(problem)
    hint = reduction.apply_to_sets(start) if start else None
    begin = time.process_time()
    control = Control(Limits.starting_now(limit), formulation=formulation, hint=hint)
    answer = Rc2(chosen).solve(reduction.problem, control)
    return time.process_time() - begin, answer.status in (Status.OPTIMAL, Status.INFEASIBLE)


if __name__ == "__main__":
    main()
