"""From the words of a command line to the arguments of Python functions."""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from inspect import getdoc, signature
from itertools import takewhile
from typing import Any

from pyfsel.cli.help import FEW, FLAG, parser_of, value_of, wrapped
from pyfsel.cli.named_files import require_file
from pyfsel.cli.options import FILES, Option, name_of, options_of, section_of
from pyfsel.errors import InputError
from pyfsel.problem.checks import suggestion

OF_ONE_RUN = "output format details quiet require_proof"
"""Options that say how the answer of one run is shown."""
WITHOUT_EFFECT = {
    "dataset": (
        "TABLE target encoding missing_codes order samples target_gaps",
        "which has a target of its own, and is not a file",
    ),
    "task=unsupervised": ("target event target_gaps", "which needs no target"),
    "cv=time:*": ("repeats", "of which all repeats are the same"),
    # of all questions but ties, which heeds both
    "explore [!t]*: min_quality": ("loss", "which says what quality is enough"),
    "choose_k: n_sets=1": ("dissimilarity", "as one set has nothing to differ from"),
    "choose_k: dissimilarity=none": ("n_sets", "as no dissimilarity is priced"),
    "stability: cv": ("pairs", "which makes one pair of halves"),
    "report: cv=0": ("model choose_k", "which leaves out the held-out scores"),
    "papers masks: k": ("slack first", "which says when the eliminations end"),
    "generate: FAMILY=list": ("*", "which shows the families"),
    "export: models": ("*", "which copies all models, and no instance"),
    "solvers: try": ("INSTANCE.json all", "which solves a tiny instance of its own"),
    "models: support": ("*", "which prints Markdown about all instances"),
}
"""An option, or a value of it, in some commands or all; the options without effect next to it, "*" for all;
and why."""
NEEDS = {"sample_id": "samples", "confirm_limit": "confirm_share", "budget": "costs"}
"""Options without an effect unless another one is given."""
TABLE_ABOUT = (
    "TABLE is a CSV (.gz .zst .zip …), Parquet, Excel, ARFF, SPSS, Stata, SAS or .h5ad\n"
    "file; - is the standard input; 'data/*.parquet' or a folder is read in parts.\n"
    "Or --dataset NAME."
)
ENDS = "Exit codes: 0 done, 2 bad input, 3 proved impossible, 4 fewer sets than requested."


@dataclass(frozen=True)
class Command:
    """A command: what it is, its options, and the function that does it.

    Parameters
    ----------
    name : str
        One word or two.
    run : callable
        Called with what is given and the options that are parameters of its own; its value is the exit code.
        Its docstring is the help, with its sections Notes and Examples.
    options : sequence of Option
    arguments : sequence of str
        Names of the arguments without a dash, such as "TABLE?" (optional) or "INSTANCE.json+" (several).
    notes : str
        What else the help says, if it is not a text of the docstring.
    words : str
        The arguments that are not files or folders that exist.
    endings : sequence of str
        How the name of its output file may end; none if it writes a folder.
    """

    name: str
    run: Callable[..., Any]
    options: Sequence[Option]
    arguments: Sequence[str]
    notes: str = ""
    words: str = ""
    endings: Sequence[str] = (".json", ".csv", ".txt", "")

    @property
    def about(self) -> str:
        """The command in one sentence."""
        return (getdoc(self.run) or "").partition("\n")[0]

    def help(self, *, everything: bool) -> str:
        """Return the help."""
        arguments = [f"[{one[:-1]}]" if one[-1] == "?" else one.replace("+", "…") for one in self.arguments]
        everything = everything or len(self.options) <= FEW
        usage = " ".join(["Usage: pyfsel", self.name, *arguments, "[OPTIONS]"])
        after = [f"Examples\n{textwrap.indent(section_of(self.run, 'Examples'), '  ')}"]
        after += ["", "JSON and CSV are stable; the text is not."] if everything else []
        notes = [TABLE_ABOUT] if "TABLE?" in self.arguments else []
        notes += [one for one in (self.notes, section_of(self.run, "Notes")) if one]
        title = "\n".join([wrapped(self.about), "", usage, *([""] if notes else []), *notes])
        return parser_of(self.options, title, [*after, ENDS], everything).format_help()


Declare = Callable[[Callable[..., Any]], Command]
DECLARED: dict[str, Command] = {}
"""The commands of the files that are imported, by name."""


def command(
    name: str, *sources: Callable[..., Any] | Sequence[Option], arguments: str = "", **texts: Any
) -> Declare:
    """Make a function a command: its docstring is the help, and its keyword parameters are options as well.

    Parameters
    ----------
    name : str
    *sources : functions, or sequences of Option
        What it calls, whose options it has; of several with one name the first is meant.
    arguments : str
        Names with spaces between, see `Command`; what has an option for a data set has TABLE as well.
    **texts
        Other fields of `Command`.
    """

    def declare(run: Callable[..., Any]) -> Command:
        known: dict[str, Option] = {}
        for source in (run, *sources):
            for option in options_of(source) if callable(source) else source:
                known.setdefault(option.name, option)
        of_table = "TABLE?" if "dataset" in known else ""
        DECLARED[name] = Command(name, run, list(known.values()), (arguments or of_table).split(), **texts)
        return DECLARED[name]

    return declare


class Given(dict[str, Any]):
    """What was typed: the values of options and arguments that were given, by name.

    The value of another name is the default of the Python function; only what was given is in it.

    Attributes
    ----------
    command : Command
    typed : dict
        The words of each option, as they were typed.
    files : list of str
        The files that are read, those that options name too.
    cautions, misleading : list of str
        What was noted on the way; what makes the selection misleading.
    report : callable
        Says on a terminal what is done.
    """

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.command = command
        self.typed: dict[str, list[str]] = {}
        self.files: list[str] = []
        self.cautions: list[str] = []
        self.misleading: list[str] = []
        self.report: Callable[[str], None] = print

    def __missing__(self, name: str) -> Any:
        return next((option.default for option in self.command.options if option.name == name), None)

    def said(self, name: str) -> str:
        """Return an option or argument as it was typed."""
        return shlex.join(self.typed[name])

    def of(self, *functions: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of functions that were given."""
        named = [
            (name_of(one, parameter), parameter)
            for one in functions
            for parameter in signature(one).parameters
        ]
        return {parameter: self[name] for name, parameter in named if name in self}

    def again(self, command: str, but: Iterable[str] = ()) -> str:
        """Return a command line about the same: with all that was typed but options of this run alone.

        Parameters
        ----------
        command : str
        but : iterable of str
            Names of options that the other command does not have, or that it answers.
        """
        left_out = {*OF_ONE_RUN.split(), *but}
        words = [word for name, typed in self.typed.items() if name not in left_out for word in typed]
        return shlex.join(["pyfsel", *command.split(), *words])


def take(given: Given, words: Sequence[str], having: Callable[[str], list[str]]) -> None:
    """Add what was typed, checked in this order: the file exists, names of options, values.

    Parameters
    ----------
    given : Given
        Nothing yet.
    words : sequence of str
        The words after the command.
    having : callable
        Lists the commands that have an option, for a message.

    Raises
    ------
    InputError
        At the first thing that is wrong.
    """
    flags = {flag for option in given.command.options for flag in option.flags}
    end = words.index("--") if "--" in words else len(words)
    for word in filter(re.compile(FLAG).match, words[:end]):
        if f"-{word.partition('=')[0]}" in flags:
            raise InputError(f"{word}: unknown option. Did you mean '-{word}'?")
        if word not in flags and os.path.isfile(word):  # False for what is too long for a name, too
            raise InputError(f"{word}: is a file whose name begins with a dash. Try: ./{word}")
    texts, rest = parser_of(given.command.options).parse_known_args(words[:end])
    arguments = list(takewhile(lambda word: not re.match(FLAG, word), rest))
    _take_arguments(given, [*arguments, *words[end + 1 :]])
    if len(arguments) < len(rest):
        unknown = rest[len(arguments)].partition("=")[0]
        near = suggestion(unknown, sorted(flags)) or " --help-all shows all."
        others = ", ".join(having(unknown))
        said = (
            f"is not an option of {given.command.name}, but of {others}"
            if others
            else f"unknown option.{near}"
        )
        raise InputError(f"{unknown}: {said}")
    for option in given.command.options:
        if (typed := getattr(texts, option.name)) is not None:
            _take_option(given, option, typed)
    _require_effect(given)


def _require_effect(given: Given) -> None:
    """Raise `InputError` if the answer does not depend on something that was given."""
    for name, other in NEEDS.items():
        if name in given and other not in given:
            raise InputError(f"{given.said(name)}: has no effect without --{other.replace('_', '-')}")
    for where, (names, why) in WITHOUT_EFFECT.items():
        commands, _, one = where.rpartition(": ")
        own, _, value = one.partition("=")
        is_command = fnmatch(given.command.name, commands or "*")
        if is_command and own in given and fnmatch(given.typed[own][-1], value or "*"):
            for name in given:
                if name != own and (names == "*" or name in names.split()):
                    raise InputError(f"{given.said(name)}: has no effect next to {given.said(own)}, {why}")


def _take_arguments(given: Given, words: list[str]) -> None:
    for argument in given.command.arguments:
        name, is_many = argument.rstrip("?+"), argument[-1] == "+"
        own = words if is_many else words[:1]
        words = words[len(own) :]
        if not own and argument[-1] != "?":
            raise InputError(f"{name}: is missing")
        if own:
            given[name], given.typed[name] = own if is_many else own[0], own
            if name not in given.command.words.split():
                _take_files(given, name, own)
    if words:
        name, sign, value = words[0].partition("=")
        for option in given.command.options:
            if sign and option.name == name:
                raise InputError(f"{option.flags[0]}: begins with a dash. Try: {option.flags[0]} {value}")
        raise InputError(f"{words[0]}: is one argument too many")


def _take_files(given: Given, name: str, paths: Iterable[str]) -> None:
    for path in paths:
        require_file(name, path)
        given.files.append(path)


def _take_option(given: Given, option: Option, texts: Any) -> None:
    flag = option.flags[0]
    if texts is True:
        given[option.name], given.typed[option.name] = True, [flag]
        return
    if len(texts) > 1 and not option.is_many:
        raise InputError(f"{flag}: is given {len(texts)} times. Expected one value")
    if not all(text.strip() for text in texts):
        raise InputError(f"{flag}: is empty. {value_of(option)}")
    if option.kind in FILES:
        _take_files(given, flag, texts)
    given.typed[option.name] = [word for text in texts for word in (flag, text)]
    values = [option.value(text) for text in texts]
    given[option.name] = values if option.is_many else values[0]


OLD_ARGUMENTS = {
    "DATA": "X",
    "y": "target",
    "ignored": "ignore",
    "copies": "near_duplicates",
    "backend": "solver",
    "orders": "order",
    "family": "FAMILY",
    "n_features": "N",
}
"""What functions below the interface call an option or an argument."""
PARTS = {
    "formulation": "solver",
    "price": "dissimilarity",
    "beta": "objective",
    "criterion": "objective",
    "ridge": "objective",
}
"""Parts of the values of options."""


def in_options(message: str, given: Given) -> str:
    """Return a message of Python with options in place of arguments: --missing for ``missing=``.

    The subject of a message is an argument or a part of it, such as ``k=[9]``, ``groups[1].at_least=3`` or
    ``ridge=-1``; in its place comes the option as it was typed, followed by the part if there are others.

    Examples
    --------
    >>> from pyfsel.cli.select import select
    >>> given = Given(select)
    >>> in_options("k=5: must be from 1 to 4, or missing='drop'", given)
    '-k 5 (the default): must be from 1 to 4, or --missing drop'

    Names of features and values of options stay as they are, though they look like arguments:

    >>> in_options("Like task=a is 'k=2'. For codes: --missing-codes k=-1. To merge: k=3", given)
    "Like task=a is 'k=2'. For codes: --missing-codes k=-1. To merge: -k 3"
    """
    options = given.command.options
    message = re.sub(r"^selector=(?:set: (?=\w+[=:]))?|\bConstraints\((\w+=[^)]*)\)", r"\1", message)
    message = message.replace(" or None", "")
    flag_of = {name: name for name in given.command.words.split()}
    flag_of |= {"X": str(given["dataset"] or given["TABLE"] or "TABLE")}
    flag_of |= {option.name: option.flags[0] for option in options}
    names = (
        OLD_ARGUMENTS
        | {option.parameter: option.name for option in options}
        | {name: name for name in flag_of}
        | {"groups": "row_groups"}
    )
    known = "|".join(old for old, name in names.items() if name in flag_of)
    of_parts = PARTS | names

    def subject(name: str, number: str | None, part: str | None, value: str | None) -> str:
        whole = "group" if name == "groups" and number else of_parts[name]  # groups[1] is a rule
        texts = given.typed.get(whole, [])
        texts = texts[1::2] if flag_of.get(whole, "")[:1] == "-" else texts
        if number is None and len(texts) != 1:
            flag, said = flag_of.get(whole, name), (value or "").strip("'")
            is_default = not texts and said not in ("", "None") and str(given[whole]) == said
            return f"{flag} {said} (the default)" if is_default else flag
        text = texts[int(number or 0)]
        typed, said = f"{flag_of[whole]} {shlex.quote(text)}", (value or text).strip("'")
        is_part = part or (value and name not in names) or said in text != said
        return f"{typed}: {part or name}={value}" if is_part else typed

    about = re.match(rf"({'|'.join(of_parts)})(?:\[(\d+)\])?(?:\.(\w+))?(?:=([^:]*))?(?=: )", message)
    said = re.sub(
        rf"(--[a-z-]+ \S+|['\"]\w+=)|\b({known})(?:\[[^\]]*\])?=(?:(['\"])([\w.,:/%+-]+)\3|(?=[\W\d]))",
        lambda found: found[1] or f"{flag_of[names[found[2]]]} {found[4] or ''}",
        message[about.end() :] if about else message,
    )
    return subject(*about.groups()) + said if about else said
