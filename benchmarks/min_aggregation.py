"""The largest smallest quality of four to six sets of five features that may share one or two.

    python benchmarks/min_aggregation.py packing cpsat packing-cpsat -o benchmarks/results/min_aggregation.md

The problems are mutual information and Model Gain of the tables in instances/paper-000. Seconds are wall
clock, in running processes of the backends.
"""

import argparse
import time
from pathlib import Path

from pyfsel import Status
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

LIBRARY = Path(__file__).parents[1] / "instances" / "paper-000"
HEAD = ["| backend | cases | proved | mean s | longest s |", "|---|---:|---:|---:|---:|"]


def main():
    options = parse()
    cases = list(problems())
    lines = list(HEAD)
    print("\n".join(lines))
    for name in options.backends:
        lines.append(row(name, cases, options.time_limit))
        print(lines[-1], flush=True)
    if options.output:
        command = f"python benchmarks/min_aggregation.py {' '.join(options.backends)} -o {options.output}"
        limit = f"{options.time_limit:g} s per case."
        options.output.write_text(
            "\n".join(["# Min-aggregation", "", f"`{command}`", "", limit, "", *lines, ""])
        )


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("backends", nargs="+")
    parser.add_argument("--time-limit", type=float, default=20)
    parser.add_argument("-o", "--output", type=Path, help="also write a Markdown file")
    return parser.parse_args()


def problems():
    for file in sorted([*LIBRARY.glob("*-mi.json"), *LIBRARY.glob("*-model-gain.json")]):
        problem = Instance.load(file)
        for n_sets in (4, 5, 6):
            for max_shared in (1, 2):
                yield problem.replace(n_sets=n_sets, max_shared=max_shared, aggregate="min")


def row(name, cases, time_limit):
    seconds, proved = [], 0
    for problem in cases:
        begin = time.perf_counter()
        result = solve(problem, name, time_limit=time_limit, search="simultaneous")
        seconds.append(time.perf_counter() - begin)
        proved += result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    mean = sum(seconds) / len(seconds)
    return f"| {name} | {len(cases)} | {proved} | {mean:.2f} | {max(seconds):.1f} |"


if __name__ == "__main__":
    main()
