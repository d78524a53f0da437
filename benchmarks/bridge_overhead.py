"""What the bridge to CBC costs beside what MiniZinc and CBC themselves need.

For each case, in turn and several times over:

- compile: MiniZinc flattens the model to linear FlatZinc (``minizinc -c -Glinear``);
- LP, MPS: the program `cbc`, with the tolerances of the bridge and seed 1, which the bridge makes of 0, on
  the rows of this FlatZinc as an LP file (columns in the same order) and as an MPS file, which is what the
  bridge hands to `cbc`;
- export: `cbc` on what ``pyfsel export --format lp`` writes: the literal model, so for literal cases only. It
  has the same sets and products as the flattened one, but other rows;
- minizinc: ``minizinc --solver pyfsel.cbc`` from model and data to the printed solution;
- pyfsel: ``pyfsel.solve(problem, "minizinc:cbc")``, with all that it does: greedy start, reduction, the data
  file, MiniZinc and the bridge under a guard, verification. The process has solved the problem once before,
  since what Python loads is no cost of a call. In wall-clock time as well, beside that of compile + LP.

The data are those of the problem after the reduction by `pyfsel.solve`, so that all work on the same rows.

Seconds of processor time of all processes together, so that a busy machine matters little; the least of all
rounds. A ratio is that time over compile + LP (over compile + export once); `rest` is what `minizinc` or
`pyfsel` takes beyond compile + MPS.

    python benchmarks/bridge_overhead.py > benchmarks/results/bridge_overhead.md
"""

from __future__ import annotations

import argparse
import compileall
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyfsel
from pyfsel.backends.export import export
from pyfsel.drivers.linear.files import mps_text
from pyfsel.drivers.linear.installed import version
from pyfsel.drivers.linear.model import LinearModel
from pyfsel.drivers.minizinc.bridge.linear import linearise
from pyfsel.drivers.minizinc.bridge.parser import parse
from pyfsel.drivers.minizinc.installed import bridge_configuration
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.reductions import reduce

ROUNDS = 7
LARGEST_RATIO = 1.3
HEAD = (
    "| model | sets | overlap | compile | LP | MPS | export "
    "| minizinc | rest | ratio | to export | pyfsel | rest | ratio | wall | of |"
)
OPTIONS = (
    *("-integerTolerance", "1e-9", "-primalTolerance", "1e-9", "-ratioGap", "0", "-allowableGap", "0"),
    *("-randomCbcSeed", "1", "-randomSeed", "1"),
)
SOLVE = """
import resource, sys, time
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve
def used():
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(t.ru_utime + t.ru_stime for t in times)
problem = Instance.load(sys.argv[1])
for _ in range(2):
    before, begin = used(), time.monotonic()
    result = solve(problem, "minizinc:cbc", sys.argv[2], formulation=sys.argv[3], fallback=False)
    assert result.status == "OPTIMAL", result
    figures = used() - before, time.monotonic() - begin
print(*figures)
"""


class Times(NamedTuple):
    """What a command took."""

    processor: float
    wall: float


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


def times_of(command: Sequence[str]) -> tuple[Times, str]:
    """Return the seconds of a command, processor time with its children, and what it printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    return Times(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall), run.stdout


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
    problem = Instance.load(models_dir() / "data" / case.data)
    problem = problem.replace(
        n_sets=case.n_sets, max_overlap=case.max_overlap, aggregate="min" if "_min" in case.model else "sum"
    )
    problem = reduce(problem, case.formulation).problem
    model, data, flat = models_dir() / f"{case.model}.mzn", folder / "problem.json", folder / "model.fzn"
    problem.save(data)
    output = str(flat.with_suffix(".ozn"))
    compiling = ["minizinc", "-c", "-Glinear", "--fzn", str(flat), "--ozn", output, str(model), str(data)]
    subprocess.run(compiling, check=True)
    linear = linearise(parse(flat.read_text()))
    texts = {"LP": (lp_text(linear), "model.lp"), "MPS": (mps_text(linear), "model.mps")}
    if case.formulation == "literal":
        texts["export"] = (export(problem, "lp", None), "export.lp")
    found = {"compile": compiling}
    for name, (text, file) in texts.items():
        (folder / file).write_text(text)
        solution = str(folder / f"{name}.txt")
        found[name] = ["cbc", str(folder / file), *OPTIONS, "-solve", "-solution", solution]
    solver = ("--solver", str(bridge_configuration("cbc")), "--random-seed", "0")
    found["minizinc"] = ["minizinc", *solver, str(model), str(data)]
    search = "sequential" if case.n_sets == 1 else "simultaneous"
    found["pyfsel"] = [sys.executable, "-c", SOLVE, str(data), search, case.formulation]
    return found


def row(case: Case) -> tuple[str, dict[str, float]]:
    """Return the table row of a case and its ratios."""
    with tempfile.TemporaryDirectory() as folder:
        timed = commands(case, Path(folder))
        found: dict[str, list[Times]] = {name: [] for name in timed}
        for _ in range(ROUNDS):
            for name, command in timed.items():
                times, output = times_of(command)
                found[name].append(Times(*map(float, output.split())) if name == "pyfsel" else times)
                assert name != "minizinc" or "==========" in output
    least = {name: min(t.processor for t in times) for name, times in found.items()}
    wall = {name: min(t.wall for t in times) for name, times in found.items()}
    base = least["compile"] + least["LP"]
    ratios = {name: least[name] / base for name in ("minizinc", "pyfsel")}
    cells = [case.model, str(case.n_sets), str(case.max_overlap)]
    cells += [f"{least[name]:.3f}" if name in least else "" for name in ("compile", "LP", "MPS", "export")]
    cells += _with_rest(least, "minizinc", ratios)
    cells += [f"{least['minizinc'] / (least['compile'] + least['export']):.2f}" if "export" in least else ""]
    cells += _with_rest(least, "pyfsel", ratios)
    cells += [f"{wall['pyfsel']:.3f}", f"{wall['compile'] + wall['LP']:.3f}"]
    return f"| {' | '.join(cells)} |", ratios


def _with_rest(least: Mapping[str, float], name: str, ratios: Mapping[str, float]) -> list[str]:
    rest = least[name] - least["compile"] - least["MPS"]
    return [f"{least[name]:.3f}", f"{1000 * rest:.0f} ms", f"{ratios[name]:.2f}"]


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    compileall.compile_dir(Path(pyfsel.__file__).parent, quiet=1)
    print(f"# Cost of the bridge to CBC {version('cbc')}\n")
    print("Least processor time in seconds; made by `python benchmarks/bridge_overhead.py`,")
    print("whose head says what each column is.")
    print("Data: breast_cancer (30 features, k = 5), and mrmr.json (6 features, k = 3) for mRMR.\n")
    print(HEAD)
    print("|" + "---|" * (HEAD.count("|") - 1))
    above: dict[str, list[str]] = {"minizinc": [], "pyfsel": []}
    for case in CASES:
        text, ratios = row(case)
        print(text, flush=True)
        for name, ratio in ratios.items():
            if ratio > LARGEST_RATIO:
                above[name].append(f"{case.model} with {case.n_sets} sets ({ratio:.2f})")
    for name, cases in above.items():
        print(f"\n`{name}` above {LARGEST_RATIO} of compile + LP: {', '.join(cases) or 'none'}.")


if __name__ == "__main__":
    main()
