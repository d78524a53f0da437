"""`pyfsel bench`: suites of runs, their check and their report."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.command import COMMANDS_OF, command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, emit_table
from pyfsel.cli.options import option_field
from pyfsel.cli.output import FileOutput
from pyfsel.cli.progress import note, progress
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    from pyfsel.bench.suite import RunSpec

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a benchmark.")]


SUITE = """\
time_limits = [10]
memory_limit = 2000
[[group]]
backends = ["auto", "minizinc:gecode", "rc2/literal"]
searches = ["simultaneous", "sequential"]
seeds = [0]
files = ["../instances/wine*.json"]
vary = { n_alternatives = [1, 2, 3], tau = [0.4, 0.8] }
[[group.generate]]
family = "partition"
seeds = [0, 1]
k = 4
difficulty = 0.5
"""


def _suite_shown() -> str:
    lines = (f"  {line}" for line in SUITE.replace("[", r"\[").splitlines())
    return "\n".join(["[bold]A suite[/bold] (paths are relative to its file)", *lines, "\n"])


bench = typer.Typer(no_args_is_help=True)
COMMANDS_OF[__name__].add_typer(bench, name="bench", help="Run suites of benchmarks, check and report them.")
_command = partial(command, group=bench)


@_command(
    "run",
    "Make the runs of a suite, each in a process of its own; after Ctrl-C or a kill the same command "
    "continues.\n\n"
    "A suite stands for the product of the instances, backends, searches, limits and seeds of each "
    "of its groups; values above the groups hold for all of them. Of each instance, k, n_alternatives, "
    "tau or max_overlap, and aggregate can be varied. A suite that was extended makes only what is new.\n\n"
    "Keys besides those below: model = 'mine.mzn' with data for a MiniZinc model of your own (own_question = "
    "true if its objective is not the problem's: it ends with its own status), "
    "maxsat_command and pb_command for solvers, n_threads, cold_start (true: no solution to start from), "
    "seconds_per_set, order.",
    "pyfsel bench run benchmarks/smoke.toml --jobs 2 -o results/smoke",
    "pyfsel bench run suite.toml --part 3/64 -o results/suite",
    before=_suite_shown(),
)
def run_command(
    suite: Annotated[
        Path,
        typer.Argument(
            metavar="SUITE", help="The suite, or the folder of a benchmark whose runs are made again."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Gets the results.")],
    jobs: int | None = option_field(
        min=1,
        metavar="N",
        help="Runs at the same time.",
        show_default="1",
    ),
    certify: bool = option_field(
        "--certify",
        help="Each run certifies what it has proved as well, within a time limit of its own.",
        default=False,
    ),
    pin: bool = option_field(
        "--pin", help="Each run has one core of this machine, which no other run has.", default=False
    ),
    part: str = option_field(
        metavar="N/M",
        help="Make each M-th run only, from the N-th on; parts may share a folder.",
        default="1/1",
    ),
    quiet: options.Quiet = False,
) -> ExitCode:
    """Run a suite."""
    from pyfsel.bench.compare import Outcome
    from pyfsel.bench.run import run_suite

    crashed: list[RunSpec] = []

    def show(spec: RunSpec, outcome: str, done: int, total: int) -> None:
        if outcome == Outcome.ERROR:
            crashed.append(spec)
        _show_run(spec, outcome, done, total, quiet)

    try:
        made = run_suite(
            suite,
            output,
            n_jobs=jobs,
            certify=certify,
            pin=pin,
            part=_part(part),
            on_run=show,
        )
    except KeyboardInterrupt:
        note("the same command continues with the missing runs", quiet)
        raise
    errors = f", {number_of(len(crashed), 'error')}" if crashed else ""
    note(f"{number_of(made, 'run')} made{errors}; check them with: pyfsel bench check {output}", quiet)
    return ExitCode.FAULT if crashed else ExitCode.OK


def _show_run(spec: RunSpec, outcome: str, done: int, total: int, quiet: bool) -> None:
    if not quiet:
        print(f"{done}/{total} {spec.problem_name} {spec.backend} {spec.search}: {outcome}", file=sys.stderr)


def _part(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal()):
        raise InputError(f"--part={text!r}: must be N/M, such as 3/64")
    return int(number), int(of)


@_command(
    "check",
    "Recompute every result from the instance files, look for impossible measurements and for "
    "contradictions; exits with 1 if there are any, and with 5 if a backend crashed. Whether a claim "
    "that nothing contradicts is true, only a second proof can tell: --confirm makes it for a random share "
    "of the runs.",
    "pyfsel bench check results/smoke",
    "pyfsel bench check results/smoke --confirm 0.1 --confirm-limit 30 --seed 1",
)
def check_command(
    folder: Folder,
    confirm: float = option_field(
        metavar="SHARE",
        help="Share of the runs with proofs, 0 to 1, that a backend of another kind proves again.",
        default=0.0,
    ),
    confirm_limit: float = option_field(
        metavar="SECONDS", help="Most seconds for proving a run again.", default=60.0
    ),
    seed: int = option_field(min=0, metavar="N", help="Which runs are proved again.", default=0),
    quiet: options.Quiet = False,
) -> ExitCode:
    """Check a benchmark."""
    from pyfsel.bench.check import check_folder
    from pyfsel.results.confirmation import Confirmation

    def show(spec: RunSpec, confirmation: Confirmation) -> None:
        note(f"{spec.problem_name} {spec.backend} {spec.search}: {confirmation}", quiet)

    report = check_folder(
        folder, confirm=confirm, confirm_limit=confirm_limit, random_state=seed, on_confirmed=show
    )
    lines = [*report.faults, *report.contradictions, *report.errors]
    if confirm:
        lines.append(
            f"of {number_of(report.n_claims, 'run')} with proofs: {report.n_confirmed} confirmed, "
            f"{report.n_not_confirmed} not confirmed within {confirm_limit:g} s each, "
            f"{report.n_contradicted} contradicted"
        )
    lines += [f"WARNING: {report.warning}"] if report.warning else []
    contradictions = number_of(len(report.contradictions), "contradiction")
    lines.append(
        f"{number_of(report.n_runs, 'run')}, {report.n_results} with results, {report.missing} missing; "
        f"{number_of(len(report.faults), 'fault')}, {contradictions}, "
        f"{number_of(len(report.errors), 'error')}"
    )
    emit("\n".join(lines) + "\n")
    if not report.is_clean:
        return ExitCode.VIOLATIONS
    return ExitCode.FAULT if report.errors else ExitCode.OK


@_command(
    "report",
    "Say who is best, and whether that is shown, and write the results as one HTML page with its figures, or "
    "as Markdown; refuses results that are not checked. Pages need the extra plots: pip install "
    "'pyfsel\\[plots]'.",
    "pyfsel bench report results/smoke",
    "pyfsel bench report results/smoke -o smoke.html",
    "pyfsel bench report results/smoke -o smoke.md",
)
def report_command(folder: Folder, written: FileOutput) -> ExitCode:
    """Report a benchmark."""
    from pyfsel.bench.report import report

    with progress("drawing", written.quiet):
        found = report(folder, written.output)
    emit_table(found.table())
    note(f"wrote {', '.join(found.details['files'])}", written.quiet)
    return ExitCode.VIOLATIONS if found.status == "CHECK" else ExitCode.OK


FailAbove = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="FACTOR",
        help="Exit with 1 if a backend lost proofs, answers otherwise, or is shown to take more than so many "
        "times the CPU time.",
        show_default="never",
    ),
]


@_command(
    "compare",
    "Say what changed between two checked benchmarks of the same runs, such as of two versions: proofs, "
    "answers, and CPU time with its 95 % interval over instances.",
    "pyfsel bench compare results/before results/now",
    "pyfsel bench compare results/before results/now --fail-above 1.2",
)
def compare_command(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The folder of the benchmark before.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The folder of the benchmark now.")],
    fail_above: FailAbove = None,
) -> ExitCode:
    """Compare two benchmarks."""
    from pyfsel.bench.report import changes

    found = changes(old, new, fail_above)
    emit_table(found.table())
    return ExitCode.VIOLATIONS if found.status == "CHECK" else ExitCode.OK
