"""The parser of a command's options, which writes its help as well; and the list of commands."""

from __future__ import annotations

import re
import textwrap
from argparse import SUPPRESS, Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, NoReturn

from pyfsel.cli.options import FILES, Option, name_of
from pyfsel.errors import InputError
from pyfsel.problem.rules import Constraints

WIDTH = 80
FLAG = r"--?[^\W\d]"
"""How an option begins; "-" is the standard input, and -9 a number."""
PANELS = {
    "Table": "dataset target ignore missing near_duplicates task event row_groups sample_weight encoding "
    "missing_codes order target_gaps samples sample_id chance",
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
    "target ignore missing near_duplicates k n_sets dissimilarity search objective measure forced forbidden "
    "group costs budget output details"
)
"""Shared options that a help shows without --help-all; a command's own are shown, too."""
FEW = 18
"""A command with at most this number of options shows all of them."""
METAVARS = {
    **dict.fromkeys((*FILES, "output", "certificate"), "FILE"),
    "int": "N",
    "float": "NUMBER",
    "float | str": "Q",
    "Group": "NAMES:RULE",
    "budget": "COST",
    "confirm": "NAME|auto",
    "cv": "N|time:COLUMN",
    "dissimilarity": "NUMBER|RULE",
    "k": "K|K-K",
    "memory_limit": "MB",
    "missing_codes": "CODES",
    "models": "FOLDER",
    "order": "COLUMN=A<B<C",
    "part": "N/M",
    "random_state": "N",
    "time_limit": "SECONDS",
}
"""How values are written, by the names of options, and by their kinds; "|" divides one from a range."""
EXAMPLES = {
    "group": "'lab_*:at_most=1', 'a,b:at_least=1' or 'c_*:all_or_none'",
    "order": "'size=small<medium<large'",
}
"""Values that a shell needs in quotes."""


def wrapped(text: str, width: int = WIDTH, head: str = "", column: int = 0) -> str:
    """Return a text in lines that end between words, and not at the hyphen of a name, from a column on.

    Examples
    --------
    >>> print(wrapped("such as open-wbo", 13))
    such as
    open-wbo
    """
    return textwrap.fill(
        text, width, initial_indent=head.ljust(column), subsequent_indent=" " * column, break_on_hyphens=False
    )


class _Help(RawDescriptionHelpFormatter):
    """The layout of the help: an option is written ``-k, --k K`` and not ``-k K, --k K``."""

    def _format_action_invocation(self, action: Action) -> str:
        return " ".join([", ".join(action.option_strings), *([action.metavar] if action.metavar else [])])  # type: ignore[list-item]

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width).splitlines()


class OptionsParser(ArgumentParser):
    """A parser of options of which the error is an `InputError`."""

    options: Sequence[Option]

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse found, with the short name of the option first."""
        names, _, said = message.removeprefix("argument ").partition(": ")
        flag = names.partition("/")[0]
        if said == "expected one argument":
            said = f"has no value. {next(value_of(one) for one in self.options if flag in one.flags)}"
        raise InputError(f"{flag}: {'takes no value' if said.startswith('ignored') else said}")

    def format_help(self) -> str:
        """Return the help; headings are without colons, and only the first has an empty line before it."""
        text = re.sub(rf"\n+({'|'.join(PANELS)}):\n", r"\n\1\n", super().format_help())
        return re.sub(rf"\n({'|'.join(PANELS)})\n", r"\n\n\1\n", text, count=1)


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
    shown = [one for one in options if everything or one.name not in PANEL_OF or one.name in USUAL.split()]
    if hidden := [option.name.replace("_", "-") for option in options if option not in shown]:
        more = f"{len(hidden)} more with --help-all: {', '.join(hidden)}"
        after = [f"{wrapped(more)}\n", *after]
    parser = OptionsParser(
        usage=SUPPRESS,
        description=title,
        epilog="\n".join(after),
        formatter_class=partial(_Help, width=WIDTH, max_help_position=28),
        add_help=False,
        allow_abbrev=False,
    )
    parser.options = options
    parser._negative_number_matcher = re.compile(rf"(?!{FLAG})")  # a word such as -5% is a value
    panels = {name: parser.add_argument_group(name) for name in PANELS}
    order = list(PANEL_OF)
    for option in sorted(options, key=lambda one: order.index(one.name) if one.name in order else 0):
        given: dict[str, Any] = {"action": "append"} if option.kind != "bool" else {"action": "store_true"}
        if title and option in shown:
            given["help"] = _about(option).replace("%", "%%")
            given |= {} if option.kind == "bool" else {"metavar": metavar_of(option)}
        panel = panels[PANEL_OF.get(option.name, "Options")]
        panel.add_argument(*option.flags, **{"dest": option.name, "default": None, "help": SUPPRESS, **given})
    return parser


def value_of(option: Option) -> str:
    """Return how an option is given a value, as a remedy."""
    return f"Try: {option.flags[0]} {metavar_of(option)}"


def metavar_of(option: Option) -> str:
    """Return a word for the value of an option."""
    if option.about.startswith("The column"):
        return "COLUMN"
    if option.about.startswith("The folder"):
        return "FOLDER"
    if option.kind == "Times":
        return "time:COLUMN"
    found = METAVARS.get(option.name) or METAVARS.get(option.kind, "NAME")
    one = found.partition("|")[0] if option.is_grid or option.kind == "int" else found
    return f"{one},…" if option.is_grid else one


def _about(option: Option) -> str:
    about = [option.about]
    about += [f"Such as {EXAMPLES[option.name]}."] if option.name in EXAMPLES else []
    about += [f"One of {', '.join(option.words)}."] if option.words else []
    about += ["Repeatable."] if option.is_many else []
    about += [f"[{_default(option.default)}]"] if option.default not in (None, (), False, "") else []
    return " ".join(about)


def _default(value: object) -> str:
    """Write a default as one would type it."""
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def row(head: str, about: str, column: int) -> str:
    """Return lines that begin with a word; the other text stands from a column on."""
    return wrapped(about, WIDTH, f"  {head} ", column)


def list_of_commands(panels: dict[str, dict[str, tuple[str, str]]], codes: Mapping[Any, str]) -> str:
    """Return the help of the program."""
    lines = [
        "Find several dissimilar feature sets for a table, each proved best.",
        "",
        "Usage: pyfsel COMMAND [OPTIONS]",
    ]
    for panel, commands in panels.items():
        lines += ["", panel, *(row(name, about, 14) for name, (_, about) in commands.items())]
    lines += ["", "Options", row("--version", "Show the version.", 14)]
    usual = "`pyfsel COMMAND --help` shows the usual options of a command, `--help-all` all of them."
    lines += [row("-h, --help", f"Show this help. {usual}", 14), "", "Exit codes"]
    lines += [row(f"{code:d}", meaning, 7) for code, meaning in codes.items()]
    lines += ["", "Start here: pyfsel select --dataset breast_cancer"]
    lines += ["(Python names are the same: pyfsel.explore.atlas, n_sets=3 is --n-sets 3.)", ""]
    return "\n".join(lines)


def list_of_words(name: str, words: dict[str, str]) -> str:
    """Return the help of a command that needs a second word, of which each has its sentence."""
    lines = [f"Usage: pyfsel {name} WORD [OPTIONS]", "", *(row(*one, 18) for one in words.items())]
    return "\n".join([*lines, "", f"`pyfsel {name} WORD --help` shows the options of each.", ""])
