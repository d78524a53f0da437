"""What the bridge to CBC costs beside what MiniZinc and CBC themselves need.

For each instance: `minizinc:cbc` as a MiniZinc user runs it (flattening, bridge, solution text), against the
sum of compiling the same model to linear FlatZinc and the program `cbc`, with the same options, on the same
rows as an MPS file. Seconds of processor time of all processes together, so that a busy machine does not
matter; the least of several runs. The bridge adds a constant part, the start of Python.

    python benchmarks/bridge_overhead.py > benchmarks/results/bridge_overhead.md
"""

from __future__ import annotations

import resource
import subprocess
import tempfile
from pathlib import Path

from pyfsel import Problem
from pyfsel.flatzinc.linear import linearise
from pyfsel.flatzinc.parser import parse
from pyfsel.flatzinc.solvers.mps import mps_text
from pyfsel.minizinc_solvers import bridge_configuration, bridge_version
from pyfsel.model_files import models_dir

REPEATS = 3
CASES = (
    ("simultaneous_sum_literal", 3, 1),
    ("simultaneous_sum_literal", 3, 3),
    ("simultaneous_sum", 4, 2),
    ("simultaneous_min_literal", 3, 2),
    ("simultaneous_min", 3, 2),
)
TOLERANCES = ("-integerTolerance", "1e-9", "-primalTolerance", "1e-9", "-ratioGap", "0", "-allowableGap", "0")


def seconds(command: list[str]) -> tuple[float, str]:
    """Return the least processor time of the command with its children, and what it printed last."""
    found = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found), run.stdout


def row(name: str, n_sets: int, max_overlap: int, folder: Path) -> str:
    problem = Problem.load(models_dir() / "data" / "breast_cancer.json")
    model, data = models_dir() / f"{name}.mzn", folder / "problem.json"
    problem.replace(n_sets=n_sets, max_overlap=max_overlap).save(data)
    flat, mps = folder / "model.fzn", folder / "model.mps"
    compiling, _ = seconds(["minizinc", "-c", "-Glinear", "--fzn", str(flat), str(model), str(data)])
    mps.write_text(mps_text(linearise(parse(flat.read_text()))))
    solving, _ = seconds(["cbc", str(mps), *TOLERANCES, "-solve", "-solution", str(folder / "solution")])
    whole, output = seconds(["minizinc", "--solver", str(bridge_configuration("cbc")), str(model), str(data)])
    assert "==========" in output
    ratio = whole / (compiling + solving)
    return (
        f"| {name} | {n_sets} | {max_overlap} | {compiling:.2f} | {solving:.2f} | {whole:.2f} | {ratio:.2f} |"
    )


def main() -> None:
    print(f"# Cost of the bridge to CBC {bridge_version('cbc')}\n")
    print("breast_cancer, 30 features, k = 5; seconds of processor time, least of", REPEATS, "runs.\n")
    print("| model | sets | max. overlap | MiniZinc compiles | raw cbc | minizinc with the bridge | ratio |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            print(row(*case, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
