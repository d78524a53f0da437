"""The two models of models/counts_loop and a cut loop between them, with nothing but the program minizinc.

    python benchmarks/counts_loop.py
    python benchmarks/counts_loop.py --solver cp-sat --seconds 20 problem.json

counts_master.mzn proposes how often each feature is used; realise_counts.mzn finds sets like that, or refutes
the shortest prefix of the counts that it can, which becomes a cut.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.results.verify import violations

LOOP = models_dir() / "counts_loop"
EXAMPLE = models_dir() / "data" / "breast_cancer.json"


def main():
    options = parse()
    for path in options.problems or [EXAMPLE]:
        problem = Instance.load(path)
        begin = time.monotonic()
        sets, bound, n_cuts = solve(problem, options.solver, options.seconds)
        status = "undecided counts" if sets is None else "optimal"
        print(f"{Path(path).name}: {status}, bound {bound}, {n_cuts} cuts, {time.monotonic() - begin:.1f} s")
        for members in sets or ():
            print("  " + ", ".join(problem.names_of(members)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("problems", nargs="*", help="JSON of univariate problems with the sum as aggregate")
    parser.add_argument("--solver", default="gecode")
    parser.add_argument("--seconds", type=float, default=30.0, help="limit of one run of a model")
    return parser.parse_args()


def solve(problem, solver, seconds):
    """Return sets or None, the bound on their integer objective, and the number of cuts."""
    order = sorted(range(problem.n_features), key=lambda j: -problem.quality[j])
    cuts, bound = [], None
    while True:
        width = max(map(len, cuts), default=0)
        data = problem.to_dict() | {"cuts": [[*cut, *[0] * (width - len(cut))] for cut in cuts]}
        proposal = run("counts_master.mzn", data, solver, seconds)
        if not isinstance(proposal, dict):
            return None, bound, len(cuts)
        counts, bound = proposal["counts"], proposal["objective"]
        found = realise(problem, counts, solver, seconds)
        if isinstance(found, dict):
            sets = [tuple(sorted(order[j - 1] for j in members)) for members in found["sets"]]
            assert violations(problem, sets) == []
            return sets, bound, len(cuts)
        if found != "UNSATISFIABLE":
            return None, bound, len(cuts)
        cuts.append(shortest_impossible_prefix(problem, counts, solver, seconds))


def shortest_impossible_prefix(problem, counts, solver, seconds):
    longest_open, shortest = 0, len(counts)
    while shortest - longest_open > 1:
        middle = (longest_open + shortest) // 2
        if realise(problem, counts[:middle], solver, seconds) == "UNSATISFIABLE":
            shortest = middle
        else:
            longest_open = middle
    return counts[:shortest]


def realise(problem, counts, solver, seconds):
    data = {"n_sets": problem.n_sets, "k": problem.k, "max_shared": problem.max_shared}
    return run("realise_counts.mzn", data | {"counts": counts}, solver, seconds)


def run(model, data, solver, seconds):
    """Return the best (or any) solution, UNSATISFIABLE, or UNKNOWN if the time was up."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(data, file)
        file.flush()
        limit = ["--time-limit", str(int(1000 * seconds))]
        command = ["minizinc", "--solver", solver, *limit, str(LOOP / model), file.name]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    solutions = [line for line in output.splitlines() if line.startswith("{")]
    if solutions and ("==========" in output or model == "realise_counts.mzn"):
        return json.loads(solutions[-1])
    return "UNSATISFIABLE" if "=====UNSATISFIABLE=====" in output else "UNKNOWN"


if __name__ == "__main__":
    main()
