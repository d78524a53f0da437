"""Several mRMR sets at once: enumerated sets are packed (`ksubgraph`), sums also priced (`prices`).

    python benchmarks/mrmr_sets.py instances/paper-000/{backache,chess,hypothyroid}-mrmr.json

The seconds are those of one `pyfsel.solve` call, process start included; CPU of all processes.
"""

import argparse
from pathlib import Path

from fcbf import cpu_seconds

from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

HEADER = [
    "instance",
    "n",
    "a",
    "overlap",
    "aggregate",
    "backend",
    "status",
    "value",
    "bound",
    "seconds",
    "CPU",
]
FORMAT = "{:14} {:>3} {:>2} {:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>7} {:>7}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("instances", nargs="+", help="instance files with objective mRMR")
    parser.add_argument("-a", type=int, action="append", help="numbers of alternatives, 3 and 5 if none")
    parser.add_argument("--overlap", type=int, action="append", help="shared features, 0 if none")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per run")
    options = parser.parse_args()
    print(FORMAT.format(*HEADER))
    for path in options.instances:
        for a in options.a or [3, 5]:
            for overlap in options.overlap or [0]:
                for aggregate in ("sum", "min"):
                    changes = {"n_sets": a + 1, "max_shared": overlap, "aggregate": aggregate}
                    compare(Path(path), Instance.load(path).replace(**changes), options.time_limit)


def compare(path, problem, time_limit):
    for backend in ("ksubgraph", "prices") if problem.aggregate == "sum" else ("ksubgraph",):
        used = cpu_seconds()
        result = solve(problem, backend, time_limit=time_limit, search="simultaneous")
        case = (problem.n_features, problem.n_sets - 1, problem.max_shared, problem.aggregate)
        proved = (result.integer_objective, result.integer_bound)
        shown = ["" if number is None else number for number in proved]
        row = (
            path.stem.removesuffix("-mrmr"),
            *case,
            backend,
            result.status,
            *shown,
            f"{result.runtime:.2f}",
            f"{cpu_seconds() - used:.2f}",
        )
        print(FORMAT.format(*row), flush=True)


if __name__ == "__main__":
    main()
