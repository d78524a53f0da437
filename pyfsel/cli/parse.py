"""From the words of a command line to the arguments of Python functions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

from pyfsel.cli.named_files import require_file
from pyfsel.cli.options import DIFFERENT, FILES, NEEDS, OF_CONSTRAINTS, Option, options_of
from pyfsel.errors import InputError
from pyfsel.problem.checks import suggestion

OF_ONE_RUN = frozenset(("output", "format", "details", "quiet", "require_proof"))
"""Options that say how the answer of one run is shown."""


@dataclass(frozen=True)
class Command:
    """A command: what it is, its options, and the function that does it.

    Parameters
    ----------
    name : str
    run : callable
        Called with what is given and the options that are parameters of its own; its value is the exit code.
    options : sequence of Option
    arguments : sequence of str
        Names of the arguments without a dash, such as "TABLE?" (optional) or "INSTANCE.json+" (several).
    examples : sequence of str
    notes : str
        What else the help says.
    words : sequence of str
        The arguments that are not files or folders that exist.
    """

    name: str
    run: Callable[..., Any]
    options: Sequence[Option]
    arguments: Sequence[str]
    examples: Sequence[str]
    notes: str
    words: Sequence[str]

    @property
    def about(self) -> str:
        """The command in one sentence."""
        return (getdoc(self.run) or "").partition("\n")[0]


Declare = Callable[[Callable[..., Any]], Command]


def command(
    name: str,
    *options: Option,
    arguments: str = "",
    examples: Sequence[str] = (),
    notes: str = "",
    words: str = "",
    **renamed: str,
) -> Declare:
    """Make a function a command: its docstring is the help, and its keyword parameters are options as well.

    Parameters
    ----------
    name : str
        One word or two.
    *options : Option
        Options of other functions; of several with one name the first is meant.
    arguments : str
        Names with spaces between, see `Command`.
    examples : sequence of str
    notes, words : str
    **renamed
        Other names of options than their parameters have.
    """

    def declare(run: Callable[..., Any]) -> Command:
        known: dict[str, Option] = {}
        for option in (*options_of(run, "given", **renamed), *options):
            known.setdefault(option.name, option)
        return Command(name, run, list(known.values()), arguments.split(), examples, notes, words.split())

    return declare


@dataclass
class Given:
    """What was typed: the values of options and arguments that were given, by name.

    Parameters
    ----------
    command : Command
    values : dict
    typed : dict
        The words of each option, as they were typed.
    """

    command: Command
    values: dict[str, Any] = field(default_factory=dict)
    typed: dict[str, list[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str, default: Any = None) -> Any:
        """Return what was given, or the default of the Python function."""
        if name in self.values:
            return self.values[name]
        known = next((option.default for option in self.command.options if option.name == name), None)
        return default if known is None else known

    def of(self, *functions: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of functions that were given."""
        own = [one for one in self.command.options if one.owner in functions and one.name in self.values]
        return {option.parameter: self.values[option.name] for option in own}

    def those(self, *names: str) -> dict[str, Any]:
        """Return what was given of the options that are named."""
        return {name: self.values[name] for name in names if name in self.values}

    @property
    def files(self) -> list[str]:
        """The files that are read, those that options name too."""
        named = (self.typed.get(name, ())[1::2] for name in FILES)
        return [*self.inputs, *(text for texts in named for text in texts)]

    @property
    def inputs(self) -> list[str]:
        """The words that were given for arguments."""
        named = (self.typed.get(one.rstrip("?+*"), ()) for one in self.command.arguments)
        return [text for texts in named for text in texts]

    def run(self) -> int:
        """Do the command, and return the exit code."""
        return int(self.command.run(self, **self.of(self.command.run)) or 0)

    def again(self, command: str, but: Iterable[str] = ()) -> str:
        """Return a command line about the same: with all that was typed but options of this run alone.

        Parameters
        ----------
        command : str
        but : iterable of str
            Names of options that the other command does not have, or that it answers.
        """
        left_out = {*OF_ONE_RUN, *but}
        words = [word for name, typed in self.typed.items() if name not in left_out for word in typed]
        return shlex.join(["pyfsel", *command.split(), *words])


FEW = 3
"""The number of commands that a message lists."""


def parsed(command: Command, words: Sequence[str], having: Callable[[str], list[str]]) -> Given:
    """Return what was typed, checked in this order: the file exists, names of options, values.

    Parameters
    ----------
    command : Command
    words : sequence of str
        The words after the command.
    having : callable
        Lists the commands that have an option, for messages.

    Raises
    ------
    InputError
        At the first thing that is wrong.
    """
    flags = {flag: option for option in command.options for flag in option.flags}
    texts, rest, unknown = _sorted(words, flags)
    given = Given(command)
    for argument in command.arguments:
        name = argument.rstrip("?+")
        own = rest if argument[-1] == "+" else rest[:1]
        rest = rest[len(own) :]
        if not own and argument[-1] != "?":
            raise InputError(f"{name}: is missing")
        if own:
            given.values[name], given.typed[name] = own if argument[-1] == "+" else own[0], own
        for path in () if name in command.words else own:
            require_file(name, path)
    if unknown and (others := having(unknown)):
        listed = ", ".join(others if len(others) <= FEW else [*others[:FEW], "…"])
        raise InputError(f"{unknown}: is not an option of {command.name}, but of {listed}")
    if unknown:
        near = suggestion(unknown, sorted(flags))
        near = f" Did you mean '-{unknown}'?" if f"-{unknown}" in flags else near
        raise InputError(f"{unknown}: unknown option.{near or ' --help-all shows all.'}")
    if rest:
        raise InputError(f"{rest[0]}: is one argument too many")
    for option in command.options:
        if option.name in texts:
            given.values[option.name], given.typed[option.name] = _value(option, texts[option.name])
    flags_of = {option.name: option.flags[0] for option in command.options}
    for name, other in NEEDS.items():
        if name in given and other in flags_of and other not in given:
            raise InputError(f"{flags_of[name]}: is for {flags_of[other]}, which is not given")
    return given


def _sorted(
    words: Sequence[str], flags: Mapping[str, Option]
) -> tuple[dict[str, list[str]], list[str], str | None]:
    """Return the texts of options by name, all other words, and the first flag that is not known.

    A flag is followed by its text as the next word or after "="; a short one also without anything between.
    The word after an unknown flag is taken for its text.
    """
    texts: dict[str, list[str]] = {}
    rest: list[str] = []
    unknown = None
    left = list(words)
    while left:
        word = left.pop(0)
        flag, sign, text = word.partition("=")
        if not _is_flag(word):
            rest.append(word)
            continue
        if flag not in flags and f"-{flag}" not in flags and word[:2] in flags:
            flag, sign, text = word[:2], "=", word[2:].removeprefix("=")
        option = flags.get(flag)
        if option is not None and option.is_flag:
            if sign:
                raise InputError(f"{flag}: takes no value")
        elif not sign and left and not _is_flag(left[0]):
            text = left.pop(0)
        elif not sign and option is not None:
            raise InputError(f"{flag}: has no value. Try: {flag} VALUE")
        if option is None:
            unknown = unknown or flag
        else:
            texts.setdefault(option.name, []).append(text)
    return texts, rest, unknown


def _is_flag(word: str) -> bool:
    """Return whether a word is meant as an option; "-" is the standard input, and -9 a number."""
    return bool(re.match(r"--?[^\W\d]", word))


def _value(option: Option, texts: Any) -> tuple[Any, list[str]]:
    flag = option.flags[0]
    if option.is_flag:
        return True, [flag]
    if len(texts) > 1 and not option.is_repeated:
        raise InputError(f"{flag}: is given {len(texts)} times. Expected one value")
    values = []
    for text in texts:
        if not text.strip():
            raise InputError(f"{flag}: is empty. Try: {flag} {option.metavar}")
        if option.name in FILES:
            require_file(flag, text)
        try:
            values.append(option.value(text))
        except InputError as error:
            subject = rf"^(?:{option.parameter}|{flag.strip('-')})(?:=.*?)?: "
            message = re.sub(subject, "", str(error), flags=re.IGNORECASE)
            about = "" if message.startswith(f"{text}: ") else f"{flag} {shlex.quote(text)}: "
            raise InputError(about + message) from None
    return values if option.is_repeated else values[0], [word for text in texts for word in (flag, text)]


def in_options(message: str, given: Given) -> str:
    """Return a message of Python with options in place of arguments: --missing for ``missing=``."""
    flags = {option.parameter: option.flags[0] for option in given.command.options}
    flags |= {option.name: option.flags[0] for option in given.command.options if option.name not in flags}
    flags |= {old: flags[new] for old, new in OLD_ARGUMENTS.items() if new in flags and old not in flags}
    message = _as_typed(message, flags, given)
    flags |= {"X": str(given.get("dataset") or given.get("TABLE") or "TABLE")}
    names = "|".join(map(re.escape, sorted(flags, key=len, reverse=True)))
    message = re.sub(rf"\bConstraints\(({names})=([^)]*)\)", r"\1=\2", message)
    message = re.sub(
        rf"\b({names})(?:\[[^\]]*\])?=(?:(['\"])([\w.,:/%+-]+)\2)?",
        lambda m: f"{flags[m[1]]} {m[3] or ''}",
        message,
    )
    return re.sub(rf"^({names})(?:\[[^\]]*\])?(?=: | and )", lambda m: flags[m[1]], message)


def _as_typed(message: str, flags: Mapping[str, str], given: Given) -> str:
    """Return a message whose subject is an argument or a part of it with the option as it was typed.

    Such subjects are ``k=[9]``, ``groups[1].at_least=3``, ``dissimilarity: shared=9`` and ``ridge=-1``.
    """
    found = re.match(r"(\w+)(?:\[(\d+)\])?(?:(?:\.|: )(\w+))?=([^:]*)(?=: )", message)
    if found is None:
        return message
    name, number, part, value = found.groups()
    whole = PARTS.get(name, name)
    flag = flags.get(whole, whole.upper())
    of_argument = given.typed.get(flag, [])
    texts = next((words[1::2] for words in given.typed.values() if words[0] == flag), of_argument)
    if len(texts) <= int(number or 0) or (number is None and len(texts) > 1):
        return message
    text = texts[int(number or 0)]
    if value in text.split(","):  # one of several values, which the message names
        return message
    is_part = part or (name in PARTS and flag[0] == "-")
    inner = f"{part or name}={value}: " if is_part else ""
    return f"{flag} {shlex.quote(text)}: {inner}{message[found.end() + 2 :]}"


PARTS = {
    **dict.fromkeys(("beta", "ridge", "criterion"), "objective"),
    "formulation": "solver",
    "path": "FILE",
}
"""Parts of the values of options, and the options."""
OLD_ARGUMENTS = {
    **DIFFERENT,
    **OF_CONSTRAINTS,
    "y": "target",
    "ignored": "ignore",
    "copies": "near_duplicates",
    "backend": "solver",
    "orders": "order",
}
"""What functions below the interface call what an option says."""
