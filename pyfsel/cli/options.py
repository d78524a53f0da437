"""The options that several commands share; defaults stand in the commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyfsel.errors import InputError

DATA = "Data"
QUESTION = "What to find"
CONSTRAINTS = "What each set must satisfy"
SOLVING = "Solving"
OUTPUT = "Output"


def examples(*lines: str) -> str:
    """Return an epilog for the help of a command."""
    return "[bold]Examples[/bold]\n" + "\n".join(f"  {line}" for line in lines)


def _backend_names(incomplete: str) -> Sequence[str]:
    from pyfsel.backends import registry

    return [name for name in ("auto", *registry()) if name.startswith(incomplete)]


def writable(parameter: typer.CallbackParam, path: Path | None) -> Path | None:
    """Find out before anything is solved whether a file can be written (callback of an option)."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        option = max(parameter.opts, key=len)
        raise InputError(
            f"{option}={str(path)!r}: cannot be written: its folder does not exist, or it is a folder"
        )
    return path


def figure_file(parameter: typer.CallbackParam, path: Path | None) -> Path | None:
    """Find out before anything is solved whether a figure can be written (callback of an option)."""
    from pyfsel.results.plots import FORMATS

    if path is not None and path.suffix.lower() not in FORMATS:
        raise InputError(f"{max(parameter.opts, key=len)}={str(path)!r}: must end in {', '.join(FORMATS)}")
    return writable(parameter, path)


def _number_of_processes(jobs: int | None) -> int | None:
    if jobs == 0:
        raise InputError("--jobs=0: must be a positive number, or -1 for all cores")
    return jobs


InstanceFile = Annotated[
    Path,
    typer.Argument(metavar="INSTANCE.json", help="A problem, as `pyfsel problem` writes it; - is stdin."),
]

AnyInstanceFile = Annotated[
    Path,
    typer.Argument(
        metavar="INSTANCE.json",
        help="A problem, as `pyfsel problem` writes it (- is stdin), or the same as MiniZinc data (.dzn).",
    ),
]

DataFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="DATA",
        help="CSV (also .gz, .bz2, .xz, .zip, .zst) or Parquet file; - is CSV from stdin.",
        show_default=False,
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Instead of a file: breast_cancer, diabetes, digits, iris or wine.",
        rich_help_panel=DATA,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help="The column to be predicted.", rich_help_panel=DATA
    ),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="NAME",
        help="A column to leave out, such as an identifier; repeatable. 'id_*' means all whose names match.",
        rich_help_panel=DATA,
    ),
]
Task = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="auto, classification or regression; auto takes float targets with more than 20 values as "
        "regression.",
        rich_help_panel=DATA,
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Missing values: error, drop (the rows), impute, or level (a gap is a value of its own).",
        rich_help_panel=DATA,
    ),
]
Dates = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Columns of dates: error, or number (of days; also ISO dates as text).",
        rich_help_panel=DATA,
    ),
]
Copies = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Columns that say the same: note tells of those in the answer, merge counts each group as one "
        "feature, ignore does neither.",
        rich_help_panel=DATA,
    ),
]
CopyThreshold = Annotated[
    float,
    typer.Option(
        metavar="T",
        help="Columns are copies from this absolute rank correlation (categories: share of information) on.",
        rich_help_panel=DATA,
    ),
]

SetSize = Annotated[
    int, typer.Option("-k", "--set-size", metavar="K", help="Features per set.", rich_help_panel=QUESTION)
]
Alternatives = Annotated[
    int,
    typer.Option(
        "-a", "--alternatives", metavar="A", help="Sets besides the original one.", rich_help_panel=QUESTION
    ),
]
Tau = Annotated[
    float | None,
    typer.Option(
        "--tau",
        metavar="T",
        help="Least dissimilarity of any two sets, 0 to 1.",
        show_default="0.6 unless --max-overlap is given",
        rich_help_panel=QUESTION,
    ),
]
MaxOverlap = Annotated[
    int | None,
    typer.Option(
        "--max-overlap",
        metavar="M",
        help="Instead of --tau: most features that two sets may share.",
        rich_help_panel=QUESTION,
    ),
]
Dissimilarity = Annotated[
    str, typer.Option(metavar="NAME", help="What --tau means: dice or jaccard.", rich_help_panel=QUESTION)
]
MEASURE_HELP = (
    "Quality of a feature: information, mutual_info, pearson, spearman, f_statistic, "
    "model_importance, … (a wrong name lists all)."
)
QualityMeasure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help=MEASURE_HELP,
        show_default="information; information_share for cfs; pearson for mrmr over 2000 features",
        rich_help_panel=QUESTION,
    ),
]
Measure = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=MEASURE_HELP,
        rich_help_panel=QUESTION,
    ),
]
Objective = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Quality of a set: univariate, fcbf, mrmr, jmi, mifs, cife or cfs.",
        rich_help_panel=QUESTION,
    ),
]
Beta = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="By what mifs and cife multiply redundancies.",
        show_default="1",
        rich_help_panel=QUESTION,
    ),
]
Aggregate = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="All sets at once, so that the sum of their qualities is largest, or the smallest one: sum or "
        "min.",
        show_default=False,
        rich_help_panel=QUESTION,
    ),
]

SmallestSize = Annotated[
    int | None,
    typer.Option(
        "--min-set-size",
        metavar="K",
        help="Smallest number of features per set; -k is the largest then.",
        show_default="-k",
        rich_help_panel=CONSTRAINTS,
    ),
]
Forced = Annotated[
    list[str] | None,
    typer.Option(
        "--forced",
        metavar="NAME",
        help="A feature that every set holds; repeatable. 'lab_*' means all whose names match.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option(
        "--forbidden",
        metavar="NAME",
        help="A feature that no set holds; repeatable, patterns as for --forced.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAMES:RULE",
        help="'a,b,c:at-most=1', 'a,b:at-least=1', 'colour_*:all-or-nothing'; repeatable. Names with commas "
        "go in double quotes; several rules have commas between.",
        rich_help_panel=CONSTRAINTS,
    ),
]
CostFile = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="CSV file with the columns feature and cost.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        metavar="C", help="The most that the features of a set may cost.", rich_help_panel=CONSTRAINTS
    ),
]
LeastQuality = Annotated[
    str | None,
    typer.Option(
        "--min-quality",
        metavar="Q",
        help="Least quality of a set: '90%' of the best set's, '1.2 nats' in the unit of the measure (or "
        "'1.2 raw'), or a number on the scale of the table that is printed.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Normalise = Annotated[
    bool,
    typer.Option(
        "--normalise/--no-normalise",
        help="Show qualities as shares of the sum over all columns, or in the unit of the measure.",
        rich_help_panel=QUESTION,
    ),
]
Cheapest = Annotated[
    bool,
    typer.Option(
        "--cheapest",
        help="Find the cheapest sets that have --min-quality, instead of the best ones. Without --costs each "
        "feature costs 1.",
        rich_help_panel=QUESTION,
    ),
]

Search = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="sequential: one set after another, each a best one given those before; simultaneous: all at "
        "once.",
        show_default="sequential, unless an aggregate is asked for",
        rich_help_panel=SOLVING,
    ),
]
BackendName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="auto, or a name from `pyfsel backends`.",
        autocompletion=_backend_names,
        rich_help_panel=SOLVING,
    ),
]
MaxSatCommand = Annotated[
    str | None,
    typer.Option(
        "--maxsat-command",
        "--pb-command",
        metavar="'CMD {wcnf}'",
        help="Instead of --backend: a MaxSAT solver that reads a WCNF file, or a pseudo-Boolean one ({opb}), "
        "and prints o, s and v lines.",
        rich_help_panel=SOLVING,
    ),
]
ModelsFolder = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="DIR",
        help="A folder of MiniZinc models of your own, listed in its models.toml; they join the package's.",
        rich_help_panel=SOLVING,
    ),
]
OwnModel = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL.mzn",
        help="A MiniZinc model of your own, run by --backend minizinc:… (gecode if that is auto). Its sets "
        "are verified; that they are best is its own claim.",
        rich_help_panel=SOLVING,
    ),
]
Confirm = Annotated[
    str | None,
    typer.Option(
        metavar="auto|NAME",
        help="A backend of another kind proves the result again, with a --time-limit of its own.",
        autocompletion=_backend_names,
        rich_help_panel=SOLVING,
    ),
]
CertificateFile = Annotated[
    Path | None,
    typer.Option(
        "--certify",
        metavar="FILE",
        help="Write there what others need to check the result without pyfsel, see `pyfsel check`, within "
        "a --time-limit of its own.",
        callback=writable,
        rich_help_panel=SOLVING,
    ),
]
Formulation = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="One of the backend, see `pyfsel backends`: strengthened, literal, …",
        show_default="its strongest",
        rich_help_panel=SOLVING,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="S", help="Seconds for all sets together.", rich_help_panel=SOLVING),
]
Seed = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="The same seed gives the same result.", rich_help_panel=SOLVING),
]
Threads = Annotated[
    int, typer.Option(min=1, metavar="N", help="Threads of the solver.", rich_help_panel=SOLVING)
]
MemoryLimit = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="MB",
        help="Megabytes of memory that the solver may use; what it found before is kept.",
        rich_help_panel=SOLVING,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Processes that measure, train, score, and search for the cells of a sweep; -1: all cores.",
        callback=_number_of_processes,
        rich_help_panel=SOLVING,
    ),
]

Executor = Annotated[
    Literal["local", "dask"],
    typer.Option(
        help="Who does what --jobs would do: this machine, or the workers of a Dask scheduler.",
        rich_help_panel=SOLVING,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDR",
        help="Address of the scheduler, such as tcp://10.0.0.1:8786.",
        rich_help_panel=SOLVING,
    ),
]

ResultFormat = Annotated[
    Literal["table", "json", "csv"] | None,
    typer.Option(
        "--format",
        help="How to write the result.",
        show_default="from the name of FILE, else table",
        rich_help_panel=OUTPUT,
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write there instead of to stdout.",
        callback=writable,
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="No progress and no notes; errors are still named.", rich_help_panel=OUTPUT
    ),
]
