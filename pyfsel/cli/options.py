"""The options that several commands share, and the panels of the help; defaults stand in the commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pyfsel.cli.messages import shown_name
from pyfsel.errors import InputError

data_option = partial(typer.Option, rich_help_panel="Data")
question_option = partial(typer.Option, rich_help_panel="What to find")
constraint_option = partial(typer.Option, rich_help_panel="What each set must satisfy")
measuring_option = partial(typer.Option, rich_help_panel="Measuring")
model_option = partial(typer.Option, rich_help_panel="Model")
validation_option = partial(typer.Option, rich_help_panel="Validation")
solving_option = partial(typer.Option, rich_help_panel="Solving")
output_option = partial(typer.Option, rich_help_panel="Output")


def as_field(option: Callable[..., Any]) -> Callable[..., Any]:
    """Return what declares such an option of a command or of a group; without a `default` that is None."""

    def made(*declared: str, default: Any = None, **said: Any) -> Any:
        return field(default=default, metadata={"option": option(*declared, **said)})

    return made


argument_field = as_field(typer.Argument)
option_field = as_field(typer.Option)
data_field = as_field(data_option)
question_field = as_field(question_option)
constraint_field = as_field(constraint_option)
measuring_field = as_field(measuring_option)
model_field = as_field(model_option)
validation_field = as_field(validation_option)
solving_field = as_field(solving_option)
output_field = as_field(output_option)


def backend_names(incomplete: str) -> Sequence[str]:
    """Return the names of backends that begin so, for the completion of a shell."""
    from pyfsel.backends import registry

    return [name for name in ("auto", *registry()) if name.startswith(incomplete)]


def writable(context: typer.Context, parameter: typer.CallbackParam, path: Path | None) -> Path | None:
    """Find out before anything is solved whether a file can be written (callback of an option)."""
    if path is None or str(path) == "-":
        return path
    folder, option = path.absolute().parent, shown_name(parameter)
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        why = "its folder does not exist, it is a folder, or one may not write there"
        raise InputError(f"{option}={str(path)!r}: cannot be written: {why}")
    if path.is_file() or not path.exists():
        context.meta.setdefault("written", {})[option] = path
    return path


def keep_files(context: typer.Context) -> None:
    """Refuse to write a file that another option or argument of the command names."""
    for option, written in context.meta.get("written", {}).items():
        for parameter in context.command.params:
            given, other = context.params.get(str(parameter.name)), shown_name(parameter)
            paths = [p for p in (given if isinstance(given, list) else [given]) if isinstance(p, Path)]
            if other != option and written.resolve() in map(Path.resolve, paths):
                raise InputError(f"{option}={str(written)!r}: is the file of {other}, which would be lost")


def figure_file(context: typer.Context, parameter: typer.CallbackParam, path: Path | None) -> Path | None:
    """Find out before anything is solved whether a figure can be written (callback of an option)."""
    from pyfsel.results.plots import FORMATS

    if path is not None and path.suffix.lower() not in FORMATS:
        raise InputError(f"{shown_name(parameter)}={str(path)!r}: must end in {', '.join(FORMATS)}")
    return writable(context, parameter, path)


InstanceFile = Annotated[
    Path,
    typer.Argument(metavar="INSTANCE.json", help="A problem, as `pyfsel problem` writes it; - is stdin."),
]
Missing = Annotated[
    str,
    data_option(
        metavar="NAME",
        help="Missing values: error, drop (the rows), impute, or category (of its own).",
    ),
]

StateFile = Annotated[
    Path | None,
    solving_option(metavar="FILE", help="Save the state there, and continue from it if it exists."),
]

SetSize = Annotated[int, question_option("-k", "--set-size", metavar="K", help="Features per set.")]
Alternatives = Annotated[
    int, question_option("-a", "--alternatives", metavar="A", help="Sets besides the original one.")
]
Tau = Annotated[
    float | None,
    question_option(
        metavar="T",
        help="Least dissimilarity of any two sets, 0 to 1.",
        show_default="0.6 unless --max-overlap is given",
    ),
]
MaxOverlap = Annotated[
    int | None,
    question_option(metavar="M", help="Instead of --tau: most features that two sets may share."),
]
Relatives = Annotated[
    float | None,
    question_option(
        metavar="T",
        help="A feature of at least this similarity (absolute rank correlation) to one of an earlier set "
        "counts as shared with it, such as 0.7.",
    ),
]
Dissimilarity = Annotated[
    str,
    question_option(
        metavar="NAME", help="What --tau means: dice, jaccard, overlap (of the smaller set) or hamming."
    ),
]
MEASURE_HELP = (
    "Quality of a feature: information, mutual_info, pearson, spearman, f_statistic, "
    "model_importance, … (a wrong name lists all)."
)
Objective = Annotated[
    str,
    question_option(
        metavar="NAME",
        help="Quality of a set: univariate, fcbf, mrmr, jmi, mifs, cife, cfs, r2, graph_score or "
        "facility_location.",
    ),
]
Aggregate = Annotated[
    str | None,
    question_option(
        metavar="NAME",
        help="Choose all sets at once, by the sum of their qualities (sum), the smallest one (min), both "
        "(weighted), or the least difference between best and worst (difference).",
        show_default=False,
    ),
]

ModelsFolder = Annotated[
    Path | None,
    solving_option(
        metavar="DIR",
        help="A folder of MiniZinc models of your own, listed in its models.toml; they join the package's.",
    ),
]
TimeLimit = Annotated[float | None, solving_option(metavar="S", help="Seconds for all sets together.")]
OutputFile = Annotated[
    Path | None,
    output_option("--output", "-o", metavar="FILE", help="Write to FILE, not stdout.", callback=writable),
]
Quiet = Annotated[bool, output_option("--quiet", "-q", help="No progress and no notes, only errors.")]
