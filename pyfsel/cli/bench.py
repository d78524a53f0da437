"""`pyfsel bench`: suites of runs, their check and their report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit
from pyfsel.cli.groups import require_scheduler
from pyfsel.cli.progress import note, progress

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a benchmark.")]

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="An HTML or Markdown file, or a folder that gets report.html.",
        show_default="DIR for a page, stdout for Markdown",
        rich_help_panel=options.OUTPUT,
    ),
]
ReportFormat = Annotated[
    Literal["html", "markdown"] | None,
    typer.Option(
        "--format",
        help="One page with figures, or Markdown.",
        show_default="markdown if PATH ends in .md, else html",
        rich_help_panel=options.OUTPUT,
    ),
]


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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    bench = typer.Typer(help="Run suites of benchmarks, check and report them.", no_args_is_help=True)
    bench.command(
        "run",
        help="Make the runs of a suite, each in a process of its own; after Ctrl-C or a kill the same "
        "command goes on.\n\n"
        "A suite stands for the product of the instances, backends, searches, limits and seeds of each "
        "of its groups; what is above the groups holds for all of them. Of each instance, k, n_alternatives, "
        "tau or max_overlap, and aggregate can be varied.",
        epilog=_suite_shown()
        + options.examples(
            "pyfsel bench run benchmarks/smoke.toml --jobs 2 -o results/smoke",
            "pyfsel bench run suite.toml --executor dask --scheduler tcp://10.0.0.1:8786 -o results/suite",
        ),
    )(run_command)
    bench.command(
        "check",
        help="Recompute every result from the instance files, look for impossible measurements and for "
        "contradictions; exits with 1 if there are any, and with 5 if a backend crashed. Whether a claim "
        "that nothing contradicts is true, only a second proof tells: --confirm makes it for a random share "
        "of the runs.",
        epilog=options.examples(
            "pyfsel bench check results/smoke",
            "pyfsel bench check results/smoke --confirm 0.1 --confirm-limit 30 --seed 1",
        ),
    )(check_command)
    bench.command(
        "report",
        help="Write the results as one HTML page, with the figures as PNG and SVG in a folder beside it, or "
        "as Markdown; refuses results that are not checked. Pages need the extra plots: pip install "
        "'pyfsel\\[plots]'.",
        epilog=options.examples(
            "pyfsel bench report results/smoke",
            "pyfsel bench report results/smoke -o smoke.html",
            "pyfsel bench report results/smoke --format markdown",
        ),
    )(report_command)
    app.add_typer(bench, name="bench")


def run_command(
    suite: Annotated[Path, typer.Argument(metavar="SUITE.toml", help="Which runs there are.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Gets the results.")],
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Runs at the same time.",
            show_default="1; with dask all threads of the workers",
        ),
    ] = None,
    executor: options.Executor = "local",
    scheduler: options.Scheduler = None,
    quiet: options.Quiet = False,
) -> None:
    """Run a suite."""
    require_scheduler(executor, scheduler)
    from pyfsel.bench.compare import Outcome
    from pyfsel.bench.run import run_suite
    from pyfsel.bench.suite import RunSpec

    crashed: list[RunSpec] = []

    def show(spec: RunSpec, outcome: str, done: int, total: int) -> None:
        if outcome == Outcome.ERROR:
            crashed.append(spec)
        if not quiet:
            print(
                f"{done}/{total} {spec.problem_name} {spec.backend} {spec.search}: {outcome}", file=sys.stderr
            )

    try:
        made = run_suite(suite, output, n_jobs=jobs, scheduler=scheduler, on_run=show)
    except KeyboardInterrupt:
        note("the same command goes on with the runs that are missing", quiet)
        raise
    errors = f", {len(crashed)} errors" if crashed else ""
    note(f"{made} runs made{errors}; check them with: pyfsel bench check {output}", quiet)
    raise typer.Exit(ExitCode.FAULT if crashed else ExitCode.OK)


def check_command(
    folder: Folder,
    confirm: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the runs with proofs, 0 to 1, that a backend of another kind is to prove again.",
        ),
    ] = 0.0,
    confirm_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="Most seconds for proving a run again.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Which runs are proved again.")] = 0,
    quiet: options.Quiet = False,
) -> None:
    """Check a benchmark."""
    from pyfsel.bench.check import check_folder
    from pyfsel.bench.suite import RunSpec
    from pyfsel.results.confirmation import Confirmation

    def show(spec: RunSpec, confirmation: Confirmation) -> None:
        note(f"{spec.problem_name} {spec.backend} {spec.search}: {confirmation}", quiet)

    report = check_folder(
        folder, confirm=confirm, confirm_limit=confirm_limit, random_state=seed, on_confirmed=show
    )
    lines = [*report.faults, *report.contradictions, *report.errors]
    if confirm:
        lines.append(
            f"of {report.n_claims} runs with proofs: {report.n_confirmed} confirmed, "
            f"{report.n_not_confirmed} not confirmed within {confirm_limit:g} s each, "
            f"{report.n_contradicted} contradicted"
        )
    lines.append(
        f"{report.n_runs} runs, {report.n_results} with results, {report.missing} missing; "
        f"{len(report.faults)} faults, {len(report.contradictions)} contradictions, "
        f"{len(report.errors)} errors"
    )
    emit("\n".join(lines) + "\n")
    if not report.is_clean:
        raise typer.Exit(ExitCode.VIOLATIONS)
    raise typer.Exit(ExitCode.FAULT if report.errors else ExitCode.OK)


def report_command(
    folder: Folder,
    output: ReportFile = None,
    report_format: ReportFormat = None,
    quiet: options.Quiet = False,
) -> None:
    """Report a benchmark."""
    from pyfsel.bench.report import report_folder, write_page

    if (report_format or _format_of(output)) == "markdown":
        emit(report_folder(folder), output)
    else:
        with progress("drawing", quiet):
            page = write_page(folder, output)
        note(f"wrote {page}", quiet)


def _format_of(output: Path | None) -> str:
    """Return the format that the name of a file stands for."""
    name = "" if output is None else output.name
    return "markdown" if name == "-" or name.endswith(".md") else "html"
