"""The parser of a command's options, which writes its help as well; and the list of commands."""

from __future__ import annotations

import textwrap
from argparse import SUPPRESS, Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import NoReturn

from pyfsel.cli.options import FILES, Option, name_of
from pyfsel.errors import InputError
from pyfsel.problem.rules import Constraints

WIDTH = 88
PANELS = {
    "Table": "dataset target ignore missing near_duplicates task event row_groups sample_weight encoding "
    "missing_codes order target_gaps samples sample_id chance outputs",
    "Options": "",
    "Sets": "k n_sets dissimilarity search",
    "Quality": "objective measure keep_best",
    "Rules for every set": " ".join(name_of(Constraints, one.name) for one in fields(Constraints)),
    "Solver": "solver confirm time_limit n_threads memory_limit random_state n_jobs",
    "Output": "output details format quiet require_proof",
}
"""The options that commands share, by the headings of the help; all others of a command are its own."""
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names.split()}
USUAL = (
    "target output k n_sets dissimilarity objective measure missing details ignore near_duplicates search "
    "forced forbidden group costs budget"
)
"""Shared options, the most usual ones first."""
FEW = 18
"""The number of options that a help shows: a command's own and the most usual ones, of these at least
AT_LEAST."""
AT_LEAST = 9
METAVARS = {
    **{"int": "N", "float": "NUMBER", "k": "K|K-K", "dissimilarity": "RULE", "Group": "NAMES:RULE"},
    **{"float | str": "Q", "output": "FILE", **dict.fromkeys(FILES, "FILE")},
}


class _Help(RawDescriptionHelpFormatter):
    """The layout of the help: an option is written ``-k, --k K`` and not ``-k K, --k K``."""

    def _format_action_invocation(self, action: Action) -> str:
        return " ".join([", ".join(action.option_strings), *([action.metavar] if action.metavar else [])])  # type: ignore[list-item]


class OptionsParser(ArgumentParser):
    """A parser of options of which the error is an `InputError`."""

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse found, with the short name of the option first."""
        names, _, said = message.removeprefix("argument ").partition(": ")
        raise InputError(f"{names.partition('/')[0]}: {said}")


def parser_of(
    options: Sequence[Option], title: str = "", after: Sequence[str] = (), everything: bool = True
) -> OptionsParser:
    """Return the parser of options.

    Parameters
    ----------
    options : sequence of Option
    title : str
        What the help says before the options.
    after : sequence of str
        Lines that it says after them.
    everything : bool
        Whether it lists all options, or the command's own and usual ones.
    """
    shown = _shown(options, everything)
    if hidden := [option.name.replace("_", "-") for option in options if option not in shown]:
        more = f"{len(hidden)} more with --help-all: {', '.join(hidden)}"
        after = ["\n".join(textwrap.wrap(more, WIDTH)) + "\n", *after]
    parser = OptionsParser(
        usage=SUPPRESS,
        description=title,
        epilog="\n".join(after),
        add_help=False,
        allow_abbrev=False,
        formatter_class=partial(_Help, width=WIDTH, max_help_position=28),
    )
    panels = {name: parser.add_argument_group(name) for name in PANELS}
    for option in options:
        about = _about(option).replace("%", "%%") if title and option in shown else SUPPRESS
        given = {"action": "store_true"} if option.kind == "bool" else {"action": "append"}
        given |= {} if option.kind == "bool" else {"metavar": _metavar(option)}
        panel = panels[PANEL_OF.get(option.name, "Options")]
        panel.add_argument(*option.flags, dest=option.name, default=None, help=about, **given)  # type: ignore[arg-type]
    return parser


def _shown(options: Sequence[Option], everything: bool) -> Sequence[Option]:
    if everything or len(options) <= FEW:
        return options
    own = [option for option in options if option.name not in PANEL_OF]
    usual = USUAL.split()[: max(AT_LEAST, FEW - len(own))]
    return [option for option in options if option in own or option.name in usual]


def _metavar(option: Option) -> str:
    if option.about.startswith("The column"):
        return "COLUMN"
    found = METAVARS.get(option.kind, "NAME")
    return f"{found[0]},…" if option.is_grid else found


def _about(option: Option) -> str:
    about = [option.about or option.name.replace("_", " ").capitalize() + "."]
    about += [f"One of {', '.join(option.words)}."] if option.words else []
    about += ["Repeatable."] if option.is_list and not option.is_grid else []
    about += [f"[{_default(option.default)}]"] if option.default not in (None, (), False, "") else []
    return " ".join(about)


def _default(value: object) -> str:
    """Write a default as one would type it."""
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def list_of_commands(panels: dict[str, dict[str, tuple[str, str]]], codes: Iterable[tuple[int, str]]) -> str:
    """Return the help of the program."""
    lines = ["Find several dissimilar feature sets for a table, each proved best.", ""]
    lines += ["Usage: pyfsel COMMAND [OPTIONS]"]
    for panel, commands in panels.items():
        lines += ["", panel, *(f"  {name:11} {about}" for name, (_, about) in commands.items())]
    lines += ["", "Options", "  --version   Show the version."]
    lines += ["  -h, --help  Show this help. `pyfsel COMMAND --help` shows the usual options of a"]
    lines += ["              command, `--help-all` all of them.", "", "Exit codes"]
    for code, meaning in codes:
        lines += [textwrap.fill(meaning, WIDTH, initial_indent=f"  {code:<4} ", subsequent_indent=" " * 7)]
    lines += ["", "Start here: pyfsel select --dataset breast_cancer"]
    return "\n".join(
        [*lines, "(Python names are the same: pyfsel.explore.atlas, n_sets=3 is --n-sets 3.)", ""]
    )
