"""What the bridge to CBC costs beside what MiniZinc and CBC themselves need.

For each case, in turn and several times over:

- compile: MiniZinc flattens the model to linear FlatZinc (``minizinc -c -Glinear``);
- LP, MPS: the program `cbc`, with the tolerances of the bridge, on the rows of this FlatZinc as an LP file
  (columns in the same order) and as an MPS file, which is what the bridge hands to `cbc`;
- export: `cbc` on what ``pyfsel export --format lp`` writes: the literal model, so for literal cases only. It
  has the same sets and products as the flattened one, but other rows;
- minizinc: ``minizinc --solver pyfsel.cbc`` from model and data to the printed solution;
- pyfsel: ``pyfsel.solve(backend="minizinc:cbc")`` in a process that has solved something before: a difference
  of two processes, one of which solves once more.

Seconds of processor time of all processes together, so that a busy machine matters little; the least of all
rounds. A ratio is that time over compile + LP; `rest` is what `minizinc` takes beyond compile + MPS.

    python benchmarks/bridge_overhead.py > benchmarks/results/bridge_overhead.md
"""

from __future__ import annotations

import compileall
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyfsel
from pyfsel.export import export
from pyfsel.flatzinc.linear import LinearModel, linearise
from pyfsel.flatzinc.parser import parse
from pyfsel.flatzinc.solvers.mps import mps_text
from pyfsel.minizinc_solvers import bridge_configuration, bridge_version
from pyfsel.model_files import models_dir

ROUNDS = 7
LARGEST_RATIO = 1.3
HEAD = (
    "| model | sets | overlap | compile | LP | MPS | export "
    "| minizinc | rest | ratio | to export | pyfsel | ratio |"
)
TOLERANCES = ("-integerTolerance", "1e-9", "-primalTolerance", "1e-9", "-ratioGap", "0", "-allowableGap", "0")
SOLVE = """
import sys, pyfsel
from pyfsel.model_files import models_dir
problem = pyfsel.Problem.load(sys.argv[1])
for _ in range(int(sys.argv[4])):
    result = pyfsel.solve(problem, "minizinc:cbc", search=sys.argv[2], formulation=sys.argv[3])
    assert result.status == "OPTIMAL", result
"""


class Case(NamedTuple):
    """A model of the catalogue on a variant of the example data."""

    model: str
    n_sets: int
    max_overlap: int
    data: str = "breast_cancer.json"

    @property
    def formulation(self) -> str:
        return next((f for f in ("literal", "pairs") if self.model.endswith(f)), "strengthened")


CASES = (
    Case("sequential", 1, 5),
    Case("mrmr_pairs", 2, 1, "mrmr.json"),
    Case("simultaneous_sum_literal", 3, 3),
    Case("simultaneous_sum", 4, 2),
    Case("simultaneous_sum_literal", 3, 1),
    Case("mrmr_literal", 2, 1, "mrmr.json"),
    Case("simultaneous_min_literal", 3, 2),
    Case("simultaneous_sum_literal", 4, 1),
    Case("simultaneous_sum", 5, 1),
    Case("simultaneous_min", 3, 2),
    Case("simultaneous_sum", 5, 2),
    Case("simultaneous_min_literal", 4, 2),
)


def seconds(command: Sequence[str]) -> tuple[float, str]:
    """Return the processor time of a command with its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def lp_text(model: LinearModel) -> str:
    """Return the rows as an LP file; all columns stand in the objective, so that their order is kept."""
    cost = model.cost()[0]
    lines = ["Minimize", "obj:", *(f"{-model.goal * cost.get(j, 0):+} C{j}" for j in range(model.n_columns))]
    lines.append("Subject To")
    for i, row in enumerate(model.rows):
        terms = "\n".join(f"{c:+} C{j}" for j, c in row.terms.items())
        lines.append(f"R{i}: {terms} {'=' if row.equal else '<='} {row.limit}")
    lines.append("Bounds")
    for j, (low, high) in enumerate(zip(model.low, model.high, strict=True)):
        lines.append(f"{'-inf' if low is None else low} <= C{j} <= {'inf' if high is None else high}")
    lines += ["Integers", *(f"C{j}" for j, whole in enumerate(model.integer) if whole), "End"]
    return "\n".join(lines) + "\n"


def commands(case: Case, folder: Path) -> dict[str, list[str]]:
    """Write the files of a case and return the commands to be timed."""
    problem = pyfsel.Problem.load(models_dir() / "data" / case.data)
    problem = problem.replace(n_sets=case.n_sets, max_overlap=case.max_overlap)
    model, data, flat = models_dir() / f"{case.model}.mzn", folder / "problem.json", folder / "model.fzn"
    problem.save(data)
    compiling = ["minizinc", "-c", "-Glinear", "--fzn", str(flat), str(model), str(data)]
    subprocess.run(compiling, check=True)
    linear = linearise(parse(flat.read_text()))
    texts = {"LP": (lp_text(linear), "model.lp"), "MPS": (mps_text(linear), "model.mps")}
    if case.formulation == "literal":
        texts["export"] = (export(problem, "lp", None), "export.lp")
    found = {"compile": compiling}
    for name, (text, file) in texts.items():
        (folder / file).write_text(text)
        solution = str(folder / f"{name}.txt")
        found[name] = ["cbc", str(folder / file), *TOLERANCES, "-solve", "-solution", solution]
    found["minizinc"] = ["minizinc", "--solver", str(bridge_configuration("cbc")), str(model), str(data)]
    search = "sequential" if case.n_sets == 1 else "simultaneous"
    for times in (1, 2):
        found[f"pyfsel {times}"] = [
            *(sys.executable, "-c", SOLVE, str(data), search, case.formulation),
            str(times),
        ]
    return found


def row(case: Case) -> tuple[str, float]:
    """Return the table row of a case and its ratio."""
    with tempfile.TemporaryDirectory() as folder:
        timed = commands(case, Path(folder))
        found: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(ROUNDS):
            for name, command in timed.items():
                time, output = seconds(command)
                found[name].append(time)
                assert name != "minizinc" or "==========" in output
    least = {name: min(times) for name, times in found.items()}
    base = least["compile"] + least["LP"]
    backend = least["pyfsel 2"] - least["pyfsel 1"]
    rest = least["minizinc"] - least["compile"] - least["MPS"]
    ratio = least["minizinc"] / base
    cells = [case.model, str(case.n_sets), str(case.max_overlap)]
    cells += [f"{least[name]:.3f}" if name in least else "" for name in ("compile", "LP", "MPS", "export")]
    cells += [f"{least['minizinc']:.3f}", f"{1000 * rest:.0f} ms", f"{ratio:.2f}"]
    cells += [f"{least['minizinc'] / (least['compile'] + least['export']):.2f}" if "export" in least else ""]
    return f"| {' | '.join([*cells, f'{backend:.3f}', f'{backend / base:.2f}'])} |", ratio


def main() -> None:
    compileall.compile_dir(Path(pyfsel.__file__).parent, quiet=1)
    print(f"# Cost of the bridge to CBC {bridge_version('cbc')}\n")
    print("Least processor time in seconds; made by `python benchmarks/bridge_overhead.py`,")
    print("whose head says what each column is.")
    print("Data: breast_cancer (30 features, k = 5), and mrmr.json (6 features, k = 3) for mRMR.\n")
    print(HEAD)
    print("|" + "---|" * (HEAD.count("|") - 1))
    above = []
    for case in CASES:
        text, ratio = row(case)
        print(text, flush=True)
        if ratio > LARGEST_RATIO:
            above.append(f"{case.model} with {case.n_sets} sets ({ratio:.2f})")
    print(f"\nAbove {LARGEST_RATIO} of compile + LP: {', '.join(above) or 'none'}.")


if __name__ == "__main__":
    main()
