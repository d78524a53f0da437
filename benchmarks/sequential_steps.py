"""Which backend looks best for one set after another, where qualities add up (paper 000, Definition 3).

    python benchmarks/sequential_steps.py -o benchmarks/results/sequential_steps.md
    python benchmarks/sequential_steps.py --tables sonar clean1 --time-limit 60

A case is a table of instances/paper-000 with its mutual information, a set size k, and the overlap that a
threshold tau allows; six sets are looked for in turn. CPU seconds are those of all processes; the limit is in
wall-clock seconds for all six, and a dash says that it came first. The row "first" is the first case in a
process of its own, which loads the solver; the others come after it.
"""

import argparse
from pathlib import Path

from fcbf import cpu_seconds

from pyfsel import Status
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

LIBRARY = Path(__file__).parents[1] / "instances" / "paper-000"
BACKENDS = ("cpsat", "packing")
TABLES = ("wdbc_uci", "sonar", "clean1", "spambase")


def cell(problem, backend, time_limit):
    """Return the CPU seconds of six sets, nothing if not all were proved in time."""
    before = cpu_seconds()
    result = solve(problem, backend, search="sequential", time_limit=time_limit)
    return f"{cpu_seconds() - before:.2f}" if result.status is Status.OPTIMAL else "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    told = "CPU seconds for six sets in turn; –: not proved in time"
    lines = ["# Sets in turn", "", f"`python benchmarks/sequential_steps.py`, {told}", ""]
    lines += [f"| table | n | k | overlap | {' | '.join(BACKENDS)} |", f"|{'---|' * (4 + len(BACKENDS))}"]
    cases = [(table, k, tau) for table in options.tables for k in (5, 10) for tau in (0.4, 0.6, 0.8)]
    for number, (table, k, tau) in enumerate([cases[0], *cases]):
        in_file = Instance.load(LIBRARY / f"{table}-mi.json")
        problem = in_file.replace(k=k, n_sets=6, max_shared=max_overlap_for(k, tau))
        cells = [cell(problem, backend, options.time_limit) for backend in BACKENDS]
        facts = [table if number else f"first: {table}", problem.n_features, k, problem.max_shared]
        lines.append(f"| {' | '.join([*map(str, facts), *cells])} |")
        print(lines[-1], flush=True)
    if options.output is not None:
        options.output.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
