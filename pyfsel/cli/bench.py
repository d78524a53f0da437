"""`pyfsel bench`, `generate` and `models try`: suites of runs, families of instances, your own models."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from pyfsel.bench.check_records import check_folder
from pyfsel.bench.claims import RunOutcome
from pyfsel.bench.instances import Request, families, generate_files
from pyfsel.bench.lab import examine
from pyfsel.bench.report import changes, report
from pyfsel.bench.suite_runs import run_suite
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.options import options_of
from pyfsel.cli.output import LISTED, emit, rendered, show, text_of, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.errors import InputError
from pyfsel.problem.checks import number_of

SUITE = """\
time_limit = 10
memory_limit = 2000
[[group]]
solver = ["auto", "minizinc:gecode", "rc2/literal"]
search = ["sum", "sequential"]
n_sets = [2, 3, 4]
dissimilarity = [0.4, 0.8]
files = "../instances/wine*.json"
[[group.generate]]
family = "partition"
random_state = [0, 1]
k = 4
difficulty = 0.5
"""
ABOUT_SUITE = f"""\
Keys are arguments of Problem and solve, with a value or a list of them. A suite
stands for the product of the instances and all values of each group. One that was
extended makes only what is new; after Ctrl-C the same command continues. Paths are
relative to its file.

{SUITE}"""


@command(
    "bench run",
    run_suite,
    arguments="SUITE",
    endings=(),
    notes=ABOUT_SUITE,
)
def run(given: Given, *, output: str | None = None, quiet: bool = False) -> int:
    """Make the runs of a suite, each in a process of its own.

    Parameters
    ----------
    given : Given
    output : str
        The folder that gets the results.
    quiet : bool
        Show no runs.

    Examples
    --------
    pyfsel bench run benchmarks/smoke.toml --n-jobs 2 -o results/smoke
    """
    if output is None:
        raise InputError("-o: is not given. Name the folder that gets the results")
    crashed: list[Any] = []

    def show_run(spec: Any, outcome: str, done: int, total: int) -> None:
        crashed.extend([spec] if outcome == RunOutcome.ERROR else [])
        if not quiet:
            line = f"{done}/{total} {spec.problem_name} {spec.solver} {spec.search}: {outcome}"
            print(line, file=sys.stderr)

    try:
        made = run_suite(given["SUITE"], output, **given.of(run_suite), on_run=show_run)
    except KeyboardInterrupt:
        print("The same command continues with the missing runs", file=sys.stderr)
        raise
    errors = f", {number_of(len(crashed), 'error')}" if crashed else ""
    emit(f"{number_of(made, 'run')} made{errors}; check them with: pyfsel bench check {output}\n")
    return ExitCode.FAULT if crashed else ExitCode.OK


@command("bench check", check_folder, arguments="FOLDER")
def check(given: Given) -> int:
    """Recompute every result, and look for impossible measurements and contradictions.

    Examples
    --------
    pyfsel bench check results/smoke --confirm-share 0.1
    """
    found = check_folder(given["FOLDER"], **given.of(check_folder))
    lines = [*found.faults, *found.contradictions, *found.errors]
    if given["confirm_share"]:
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in found.verdicts.items())
        lines.append(f"of {number_of(found.n_claims, 'run')} with proofs: {verdicts}")
    lines += [f"WARNING: {found.warning}"] if found.warning else []
    contradictions = number_of(len(found.contradictions), "contradiction")
    lines.append(
        f"{number_of(found.n_runs, 'run')}, {found.n_results} with results, {found.missing} missing; "
        f"{number_of(len(found.faults), 'fault')}, {contradictions}, {number_of(len(found.errors), 'error')}"
    )
    emit("\n".join([*lines, ""]))
    if not found.is_clean:
        return ExitCode.VIOLATIONS
    return ExitCode.FAULT if found.errors else ExitCode.OK


@command("bench report", options_of(write, only="details quiet"), arguments="FOLDER", endings=())
def bench_report(given: Given, *, output: str | None = None) -> int:
    """Write the results as one page; the results must be checked.

    Parameters
    ----------
    given : Given
    output : str, optional
        A page (.html), or a folder that gets report.html; the benchmark's unless given.

    Examples
    --------
    pyfsel bench report results/smoke -o smoke.html
    """
    with working(given, "drawing"):
        found = report(given["FOLDER"], output)
    return _table(given, found, f"wrote {', '.join(found.details['files'])}")


@command("bench compare", changes, arguments="OLD NEW")
def bench_compare(given: Given) -> int:
    """Say what changed between two checked benchmarks of the same runs.

    Examples
    --------
    pyfsel bench compare results/before results/now --fail-above 1.2
    """
    return _table(given, changes(given["OLD"], given["NEW"], **given.of(changes)))


def _table(given: Given, found: Any, *next_steps: str) -> ExitCode:
    emit(text_of(rendered(given, found, next_steps)))
    return ExitCode.VIOLATIONS if found.status == "CHECK" else ExitCode.OK


@command(
    "generate",
    Request,
    generate_files,
    arguments="FAMILY",
    endings=(),
    words="FAMILY",
)
def generate_command(given: Given, *, output: str = ".") -> None:
    """Write instances of a family; the same seed gives the same bytes. FAMILY list shows the families.

    Parameters
    ----------
    given : Given
    output : str
        The folder that gets the files.

    Examples
    --------
    pyfsel generate list
    pyfsel generate partition -k 4 -n 5 --difficulty 1 --seed 7 --count 3 -o instances
    """
    family = given["FAMILY"]
    if family == "list":
        listed = (
            f"{one.name}\n  {one.summary}\n  difficulty: {one.difficulty}\n" for one in families().values()
        )
        emit("\n".join(listed))
        return
    made = generate_files(family, output, **given.of(generate_files), **given.of(Request))
    emit("".join(f"{path}\n" for path in made))


@command(
    "models try",
    examine,
    LISTED,
    arguments="MODEL.mzn+",
)
def try_models(given: Given, *, instances: Sequence[str] = (), time_limit: float = 5.0) -> int:
    """Try your own models on small instances, against themselves without their redundant constraints.

    Parameters
    ----------
    given : Given
    instances : sequence of str
        A small instance in place of generated ones, the smallest first.
    time_limit : float
        Seconds for each run.

    Examples
    --------
    pyfsel models try mine/own.mzn
    """
    found = []
    with working(given, "trying"):
        for model in given["MODEL.mzn"]:
            given.report(model)
            asked = {**given.of(examine), "instances": instances, "seconds": time_limit}
            found.append(examine(model, **asked))
            if found[-1].interrupted:
                break
    show(
        given,
        [one.to_dict() for one in found],
        printed="\n".join(line for one in found for line in one.lines()),
    )
    if found[-1].interrupted:
        return ExitCode.INTERRUPTED
    is_wrong = any(one.verdict not in ("right", "undecided") for one in found)
    return ExitCode.VIOLATIONS if is_wrong else ExitCode.OK
