"""The program: all commands, and errors as exit codes."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence

from pyfsel import __version__
from pyfsel.cli.exit_codes import MEANINGS, ExitCode, code_of_error
from pyfsel.cli.help import help_of, list_of_actions, list_of_commands
from pyfsel.cli.output import ClosedPipeError, emit, format_of
from pyfsel.cli.parse import Command, Given, in_options, parsed
from pyfsel.cli.termination import sigterm_as_ctrl_c
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem.checks import suggestion

COMMANDS = {
    "Your table": {
        "select": ("select", "Find feature sets."),
        "explore": (
            "explore",
            "Ask another question: atlas, ties, most_sets, most_dissimilar, cheapest, sweep.",
        ),
        "choose_k": ("estimates", "How many features? Held-out scores of each size."),
        "evaluate": ("estimates", "Score feature sets on rows that their selection has not seen."),
        "stability": ("estimates", "Are the same features selected again in half of the rows?"),
        "report": ("estimates", "Write one page: sets, scores, proof."),
        "measure": ("explore", "Write an instance file for `solve`."),
        "look": ("explore", "What is odd about the table?"),
    },
    "Instances and solvers": {
        "solve": ("instances", "Solve an instance file."),
        "compare": ("compare", "Run several solvers on the same instances and look for contradictions."),
        "check": ("instances", "Check a solution, a certificate, or what another solver printed."),
        "export": ("instances", "Convert an instance: .json .dzn .wcnf .opb .lp .mps"),
        "solvers": ("instances", "List solvers: what can run here, and what each can prove."),
        "models": ("instances", "List models and their sizes; `models try` examines your own."),
    },
    "Experiments": {
        "generate": ("bench", "Write instances of a family."),
        "bench": ("bench", "Run suites of benchmarks, check, report and compare them."),
        "papers": ("papers", "Systems of the papers: consistency, subset, masks, how_many."),
    },
}
"""The panels of the help: of each command the file that has it, and what it does."""
MODULES = {name: module for commands in COMMANDS.values() for name, (module, _) in commands.items()}
ELSEWHERE = {"models try": "bench"}
"""Commands of two words that are in another file than the commands of the first word."""


def commands_of(name: str) -> dict[str, Command]:
    """Return the commands of the file that has the named one, by their names."""
    module = ELSEWHERE.get(name) or MODULES[name.split(maxsplit=1)[0]]
    found = vars(importlib.import_module(f"pyfsel.cli.{module}")).values()
    return {one.name: one for one in found if isinstance(one, Command)}


def commands_with(flag: str) -> list[str]:
    """List the commands that have an option.

    Examples
    --------
    >>> commands_with("--margin")
    ['evaluate']
    """
    commands = {name: command for word in MODULES for name, command in commands_of(word).items()}
    return sorted(
        name for name, one in commands.items() if any(flag in option.flags for option in one.options)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        ``sys.argv[1:]`` if not given.

    Examples
    --------
    >>> int(main(["--version"]))  # doctest: +ELLIPSIS
    pyfsel ...
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    _open_standard_files()
    if isinstance(sys.stdout, io.TextIOWrapper):  # redirected output is not Unicode under Windows
        sys.stdout.reconfigure(errors="backslashreplace")
    with sigterm_as_ctrl_c() as was_terminated:
        code = _run(words)
    if code == ExitCode.INTERRUPTED and was_terminated():
        return _fail("terminated", ExitCode.TERMINATED)
    return _fail("interrupted", ExitCode.INTERRUPTED) if code == ExitCode.INTERRUPTED else code


def _open_standard_files() -> None:
    """Have standard files, on nothing if the program was started without."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # it gets the number of the closed file; the next pipe would otherwise, and be lost in a child
            file = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - stays open
            setattr(sys, name, file)


def _run(words: list[str]) -> int:
    given: list[Given] = []
    try:
        return _do(words, given)
    except ClosedPipeError:
        return ExitCode.CLOSED_PIPE
    except PyfselError as error:
        return _fail(in_options(str(error), given[0]) if given else str(error), code_of_error(error))
    except MemoryError as error:
        remedy = "A folder or pattern of Parquet or CSV files, such as 'data/*.parquet', is read in parts"
        return _fail(
            f"TABLE: does not fit into memory ({error or 'it is exhausted'}). {remedy}", ExitCode.BAD_INPUT
        )
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return ExitCode.FAULT


def _do(words: list[str], given: list[Given]) -> int:
    codes = [(int(code), meaning) for code, meaning in MEANINGS.items()]
    if not words or words[0] in ("-h", "--help", "--help-all"):
        emit(list_of_commands(COMMANDS, codes))
        return ExitCode.OK if words else ExitCode.BAD_INPUT
    if words[0] == "--version":
        emit(f"pyfsel {__version__}\n")
        return ExitCode.OK
    if len(words) > 1 and words[1] in ("-h", "--help", "--help-all") and (actions := _actions(words[0])):
        emit(list_of_actions(words[0], actions))
        return ExitCode.OK
    command, rest = _command(words)
    if any(word in ("-h", "--help", "--help-all") for word in rest):
        emit(help_of(command, everything="--help-all" in rest))
        return ExitCode.OK
    given.append(Given(command))
    given[0] = parsed(command, rest, commands_with)
    format_of(given[0])
    return given[0].run()


def _actions(word: str) -> list[Command]:
    """Return the commands of two words that begin with this one, if it is not a command by itself."""
    name = word.replace("-", "_")
    commands = commands_of(name) if name in MODULES else {}
    return [] if name in commands else [one for two, one in commands.items() if two.startswith(f"{name} ")]


def _command(words: list[str]) -> tuple[Command, list[str]]:
    """Return the command that is named by one word or two, and the other words."""
    name = words[0].replace("-", "_")
    if name not in MODULES:
        meant = suggestion(name, MODULES)
        raise InputError(f"{words[0]}: unknown command.{meant or ' pyfsel --help lists all.'}")
    second = words[1].replace("-", "_") if len(words) > 1 else ""
    commands = commands_of(f"{name} {second}")
    if name in commands and f"{name} {second}" not in commands:
        return commands[name], words[1:]
    actions = [one.partition(" ")[2] for one in commands if one.startswith(f"{name} ")]
    if second not in actions:
        said = f"{words[1]}: unknown word.{suggestion(second, actions)}" if second else "which one?"
        raise InputError(f"pyfsel {name}: {said} Expected {', '.join(actions)}")
    return commands[f"{name} {second}"], words[2:]


def _fail(message: str, code: ExitCode) -> int:
    print("pyfsel: error:", " ".join(message.split()), file=sys.stderr)
    return code
