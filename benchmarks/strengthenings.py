"""What each strengthening costs and brings by family of solvers: CPU seconds without it, as Markdown.

python benchmarks/strengthenings.py [--limit SECONDS]
"""

import argparse
import resource
from pathlib import Path

from pyfsel.backends.minizinc.own_model import OwnModel
from pyfsel.backends.minizinc.text import items_of
from pyfsel.bench.lab import claim_without
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance

BACKENDS = {"gecode": "Gecode", "cpsat": "CP-SAT", "highs": "HiGHS"}
TABLE = Path(__file__).parents[1] / "instances" / "real" / "wdbc_uci-univariate-k5-a3-t0.4-sum.json"
SHAPES = {"sum": {"n_sets": 5, "max_shared": 2}, "min": {"n_sets": 4, "max_shared": 2}}


def cpu_seconds():
    """Return the CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=15.0)
    limit = parser.parse_args().limit
    for aggregate, shape in SHAPES.items():
        model = models_dir() / f"simultaneous_{aggregate}.mzn"
        problem = Instance.load(TABLE).replace(aggregate=aggregate, **shape)
        parts = [item for item in items_of(model) if item.is_strengthening]
        print(
            f"\n| `{model.name}` without | {' | '.join(BACKENDS.values())} |\n|---|---:|---:|---:|",
            flush=True,
        )
        for name, dropped in [("nothing", []), *((str(p), [p]) for p in parts), ("all of these", parts)]:
            cells = []
            for backend in BACKENDS:
                before = cpu_seconds()
                status = claim_without(OwnModel(model, backend), problem, dropped, limit).status
                cells.append(f"{'' if status == 'OPTIMAL' else '≥ '}{cpu_seconds() - before:.2f}")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
