"""The program: all commands, and errors as exit codes."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FrameType

from pyfsel import __version__
from pyfsel.cli.exit_codes import MEANINGS, ExitCode, code_of_error
from pyfsel.cli.help import list_of_commands, list_of_words
from pyfsel.cli.output import SPELL, ClosedPipeError, emit, format_of
from pyfsel.cli.parse import DECLARED, Command, Given, in_options, take
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem.checks import suggestion
from pyfsel.results.jobs import handling

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
        "export": ("instances", "Convert an instance: .json .dzn .wcnf .opb .lp .mps .qubo .py"),
        "solvers": ("instances", "List solvers: what can run here, and what each can prove."),
        "models": ("instances bench", "List models and their sizes; `models try` examines your own."),
    },
    "Experiments": {
        "generate": ("bench", "Write instances of a family."),
        "bench": ("bench", "Run suites of benchmarks, check, report and compare them."),
        "papers": ("papers", "Systems of the papers: consistency, subset, masks, how_many."),
    },
}
"""The panels of the help: of each command the file that has it, and what it does."""
MODULES = {name: module for commands in COMMANDS.values() for name, (module, _) in commands.items()}


def commands_of(word: str) -> dict[str, Command]:
    """Return the commands that begin with a word, by their names of one word or two.

    Examples
    --------
    >>> sorted(commands_of("models"))
    ['models', 'models try']
    """
    for module in MODULES[word].split():
        importlib.import_module(f"pyfsel.cli.{module}")
    return {name: one for name, one in DECLARED.items() if name.split()[0] == word}


def commands_with(flag: str) -> list[str]:
    """List commands that have an option, at most three.

    Examples
    --------
    >>> commands_with("--margin")
    ['evaluate']
    """
    for word in MODULES:
        commands_of(word)
    found = sorted(
        name for name, one in DECLARED.items() if any(flag in option.flags for option in one.options)
    )
    return found if len(found) <= FEW else [*found[:FEW], "…"]


FEW = 3
SECONDS_BETWEEN = 1.0  # of two SIGTERM that are one


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
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_standard_files()
    if isinstance(sys.stdout, io.TextIOWrapper):  # redirected output is not Unicode under Windows
        sys.stdout.reconfigure(errors=SPELL)
    with sigterm_as_ctrl_c() as was_terminated:
        code = _run(words)
    if code != ExitCode.INTERRUPTED:
        return code
    ended = ExitCode.TERMINATED if was_terminated() else ExitCode.INTERRUPTED
    return _fail(ended.name.lower(), ended)


def _open_standard_files() -> None:
    """Have standard files, on nothing if the program was started without."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # it gets the number of the closed file; the next pipe would otherwise, and be lost in a child
            file = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - stays open
            setattr(sys, name, file)


def _run(words: list[str]) -> int:
    try:
        return _do(words)
    except ClosedPipeError:
        return ExitCode.CLOSED_PIPE
    except PyfselError as error:
        return _fail(str(error), code_of_error(error))
    except MemoryError as error:
        return _fail(
            f"TABLE: does not fit into memory ({error or 'it is exhausted'}). A folder or pattern of Parquet "
            "or CSV files, such as 'data/*.parquet', is read in parts",
            ExitCode.BAD_INPUT,
        )
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return ExitCode.FAULT


HELP = ("-h", "--help", "--help-all")


def _do(words: list[str]) -> int:
    """Do a command; errors name its options."""
    if not words or words[0] in HELP:
        emit(list_of_commands(COMMANDS, MEANINGS))
        return ExitCode.OK if words else ExitCode.BAD_INPUT
    if words[0] == "--version":
        emit(f"pyfsel {__version__}\n")
        return ExitCode.OK
    name, *rest = [word.replace("-", "_") for word in words[:2]]
    if name not in MODULES:
        raise InputError(
            f"{words[0]}: unknown command.{suggestion(name, MODULES) or ' pyfsel --help lists all.'}"
        )
    commands = commands_of(name)
    command = commands.get(" ".join([name, *rest]), commands.get(name))
    if command is None:
        return _which(name, words[1:], list(commands.values()))
    rest = words[len(command.name.split()) :]
    if any(word in HELP for word in rest):
        emit(command.help(everything="--help-all" in rest))
        return ExitCode.OK
    given = Given(command)
    try:
        take(given, rest, commands_with)
        format_of(given)
        return int(command.run(given, **given.of(command.run)) or 0)
    except PyfselError as error:
        error.args = (in_options(str(error), given),)
        raise


def _which(name: str, words: list[str], commands: list[Command]) -> int:
    """Say which second words a command has."""
    actions = {one.name.partition(" ")[2]: one.about for one in commands}
    if words and words[0] in HELP:
        emit(list_of_words(name, actions))
        return ExitCode.OK
    said = f"{words[0]}: unknown word.{suggestion(words[0], actions)}" if words else "which one?"
    raise InputError(f"pyfsel {name}: {said} Expected {', '.join(actions)}")


def _fail(message: str, code: ExitCode) -> int:
    print("pyfsel: error:", " ".join(message.split()), file=sys.stderr)
    return code


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Make SIGTERM raise `KeyboardInterrupt` inside the block; yield a function that says whether one came.

    Schedulers and `timeout` end a program by it.

    A second one within a second does nothing, as `timeout` sends two. Nothing changes where the program that
    calls has its own handler or ignores SIGTERM, or outside of the main thread, which alone may set one.
    """
    times: list[float] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        is_repeated = bool(times) and now - times[-1] < SECONDS_BETWEEN
        times.append(now)
        if not is_repeated:
            raise KeyboardInterrupt

    is_free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with handling(signal.SIGTERM, interrupt) if is_free else nullcontext():
        yield lambda: bool(times)
