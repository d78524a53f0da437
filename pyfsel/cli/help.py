"""The help: the usual options of a command, or all of them; and the list of commands."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from pyfsel.cli.options import PANELS, Option
from pyfsel.cli.parse import Command

WIDTH, COLUMN = 88, 28
FEW = 18
"""A command with at most this number of options shows all of them."""


def help_of(command: Command, *, everything: bool) -> str:
    """Return the help of a command."""
    options = list(command.options)
    everything = everything or len(options) <= FEW
    shown = [option for option in options if everything or option.is_usual]
    arguments = [f"[{name[:-1]}]" if name[-1] in "?*" else name.rstrip("+") for name in command.arguments]
    lines = [command.about, "", " ".join(["Usage: pyfsel", command.name, *arguments, "[OPTIONS]"]), ""]
    lines += [*command.notes.splitlines(), ""] if command.notes else []
    for panel in ("Table", "", *list(PANELS)[1:]):
        order = [name.rstrip("!") for name in PANELS.get(panel, "").split()]
        members = [option for option in shown if option.panel == panel]
        members.sort(key=lambda option: order.index(option.name) if order else 0)
        if members:
            lines += [panel or "Options", *(line for option in members for line in _option(option))]
    left = len(options) - len(shown)
    if left:
        hidden = [option.name.replace("_", "-") for option in options if option not in shown]
        lines += ["", *textwrap.wrap(f"{left} more with --help-all: {', '.join(hidden)}", WIDTH)]
    if command.examples:
        lines += ["", "Examples", *(f"  {example}" for example in command.examples)]
    if everything:
        lines += ["", "JSON and CSV are stable; the text is not."]
    return "\n".join(
        [*lines, "Exit codes: 0 done, 2 bad input, 3 proved impossible, 4 fewer sets than requested.", ""]
    )


def _option(option: Option) -> Iterator[str]:
    head = f"  {', '.join(option.flags)}{'' if option.is_flag else ' ' + option.metavar}"
    about = option.help or option.name.replace("_", " ").capitalize() + "."
    if option.words and len(option.words) > 1:
        about += f" One of {', '.join(option.words)}."
    about += " Repeatable." if option.is_repeated else ""
    if option.default not in (None, (), False, ""):
        about += f" [{_default(option.default)}]"
    rows = textwrap.wrap(about, WIDTH - COLUMN)
    if len(head) > COLUMN - 2:
        yield head
        head = ""
    for number, row in enumerate(rows):
        yield f"{head if number == 0 else '':{COLUMN}}{row}"


def _default(value: object) -> str:
    """Write a default as one would type it."""
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def list_of_actions(name: str, commands: Sequence[Command]) -> str:
    """Return the help of a word that needs a second one."""
    rows = [f"  {one.name.partition(' ')[2]:17} {one.about}" for one in commands]
    usage = f"Usage: pyfsel {name} WORD [OPTIONS]"
    return "\n".join([usage, "", *rows, "", f"`pyfsel {name} WORD --help` shows the options of each.", ""])


def list_of_commands(panels: dict[str, dict[str, tuple[str, str]]], codes: Sequence[tuple[int, str]]) -> str:
    """Return the help of the program."""
    lines = ["Find several dissimilar feature sets for a table, each proved best.", ""]
    lines += ["Usage: pyfsel COMMAND [OPTIONS]"]
    for panel, commands in panels.items():
        lines += ["", panel, *(f"  {name:11} {about}" for name, (_, about) in commands.items())]
    lines += ["", "Options", "  --version   Show the version."]
    lines += ["  -h, --help  Show this help. `pyfsel COMMAND --help` shows the usual options of a"]
    lines += ["              command, `--help-all` all of them."]
    lines += ["", "Exit codes"]
    for code, meaning in codes:
        rows = textwrap.wrap(meaning, WIDTH - 7)
        lines += [f"  {code if number == 0 else '':<4} {row}" for number, row in enumerate(rows)]
    lines += ["", "Start here: pyfsel select --dataset breast_cancer"]
    lines += ["(Python names are the same: pyfsel.explore.atlas, n_sets=3 is --n-sets 3.)", ""]
    return "\n".join(lines)
