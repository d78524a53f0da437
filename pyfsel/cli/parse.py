"""From the words of a command line to the arguments of Python functions."""

from __future__ import annotations

import re
import shlex
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

from pyfsel.cli.files import require_file
from pyfsel.cli.options import DIFFERENT, FILES, NEEDS, OF_CONSTRAINTS, Option, options_of
from pyfsel.errors import InputError
from pyfsel.problem.checks import suggestion

RENAMED = {
    "-a --alternatives": "-n 3 means one set and two alternatives",
    "--tau --max-overlap --overlap-cost --relatives": "-d: 0.6, shared:2, 0.6,price=0.1 or 0.6,relatives=0.7",
    "--set-size --min-set-size": "-k 5, or -k 3-5 for 3 to 5 features",
    "--beta --ridge --criterion --redundancy-measure": "--objective mrmr:beta=0.5,pairs=pearson",
    "--aggregate": "--search sum or --search min",
    "--copies --copy-threshold": "--near-duplicates merge:0.7",
    "--backend --formulation": "--solver cpsat/literal or mine.mzn",
    "--maxsat-command --pb-command": "--solver 'PROGRAM {wcnf}' or '{opb}'",
    "--seed": "--random-state",
    "--threads": "--n-threads",
    "--jobs": "--n-jobs",
    "--weights-of": "--sample-weight",
    "--groups-of": "--row-groups",
    "--certify": "pyfsel solve INSTANCE --certificate FILE",
    "--cheapest": "pyfsel explore cheapest",
    "--folds": "--cv",
    "--estimator": "--model",
    "--plot": "Answer.load(FILE).plot() in Python",
}
"""What options of version 0.2 are called now."""
OF_ONE_RUN = frozenset(("output", "format", "details", "quiet", "require_proof"))
"""Options that say how the answer of one run is shown."""
NOW = {old: new for olds, new in RENAMED.items() for old in olds.split()}


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


class _Parser(ArgumentParser):
    def error(self, message: str) -> Any:
        named = re.fullmatch(r"argument ([^:]*): (.*)", message, re.DOTALL)
        if named:
            flag = named[1].split("/")[0]
            ignored = "takes no value" if "ignored" in named[2] else "has no value"
            raise InputError(
                f"{flag}: {ignored}. Try: {flag} VALUE" if ignored[0] == "h" else f"{flag}: {ignored}"
            )
        raise InputError(message.replace("the following arguments are required: ", "", 1) + ": is missing")


def parsed(command: Command, words: Sequence[str]) -> Given:
    """Return what was typed, checked in this order: the file exists, names of options, values.

    Raises
    ------
    InputError
        At the first thing that is wrong.
    """
    parser = _Parser(
        prog=f"pyfsel {command.name}", add_help=False, allow_abbrev=False, argument_default=SUPPRESS
    )
    for place, name in enumerate(command.arguments):
        many = {"?": "?", "+": "+", "*": "*"}.get(name[-1])
        parser.add_argument(f"argument{place}", metavar=name.rstrip("?+*"), nargs=many)
    for option in command.options:
        action = "store_true" if option.is_flag else "append"
        parser.add_argument(*option.flags, dest=option.name, action=action)
    flags = {flag for option in command.options for flag in option.flags}
    for word in words:
        if re.match(r"-\w{2,}", word) and f"-{word.partition('=')[0]}" in {*flags, *NOW}:
            raise _unknown(word.partition("=")[0], flags)
    found, extra = parser.parse_known_args(list(words))
    return _checked(command, vars(found), extra, list(words), flags)


def _checked(
    command: Command, found: dict[str, Any], extra: list[str], words: list[str], flags: set[str]
) -> Given:
    unknown = next((word for word in extra if word.startswith("-") and word != "-"), None)
    given = Given(command)
    for place, argument in enumerate(command.arguments):
        text, name = found.get(f"argument{place}"), argument.rstrip("?+*")
        if text is None:
            continue
        given.values[name] = text
        given.typed[name] = texts = text if isinstance(text, list) else [text]
        for path in () if name in command.words else texts:
            is_value = path in words[1:] and words[words.index(path) - 1] in extra
            if not is_value:
                require_file(name, path)
    if unknown is not None:
        raise _unknown(unknown.partition("=")[0], flags)
    if extra:
        raise InputError(f"{extra[0]}: is one argument too many")
    for option in command.options:
        if option.name in found:
            given.values[option.name], given.typed[option.name] = _value(option, found[option.name])
    flags_of = {option.name: option.flags[0] for option in command.options}
    for name, other in NEEDS.items():
        if name in given and other in flags_of and other not in given:
            raise InputError(f"{flags_of[name]}: is for {flags_of[other]}, which is not given")
    return given


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
            raise InputError(_about(str(error), flag, text, option.parameter)) from None
    return values if option.is_repeated else values[0], [word for text in texts for word in (flag, text)]


def _about(message: str, flag: str, text: str, parameter: str) -> str:
    """Return a message about a value that names the option and the value as it was typed."""
    shown = text if re.fullmatch(r"[\w.,:/%=+*-]+", text) else repr(text)
    subject, colon, rest = message.partition(": ")
    if colon and re.match(rf"(?:{parameter}|{flag.strip('-')})(?:=|$)", subject):
        return f"{flag} {shown}: {rest}"
    return message if text in message and colon and message.startswith(text) else f"{flag} {shown}: {message}"


def _unknown(flag: str, flags: set[str]) -> InputError:
    """Return an error that says what is meant instead: what it was called before, or what is near."""
    if flag in NOW or f"-{flag}" in NOW:
        return InputError(f"{flag}: unknown option. {NOW.get(flag) or NOW[f'-{flag}']}.")
    near = f" Did you mean '-{flag}'?" if f"-{flag}" in flags else suggestion(flag, sorted(flags))
    return InputError(f"{flag}: unknown option.{near or ' --help-all shows all.'}")


def in_options(message: str, given: Given | None = None) -> str:
    """Return a message of Python with options in place of arguments.

    Examples
    --------
    >>> in_options("X: has gaps. Try: missing='impute'")
    "X: has gaps. Try: missing='impute'"
    """
    if given is None:
        return message
    flags = {option.parameter: option.flags[0] for option in given.command.options}
    flags |= {option.name: option.flags[0] for option in given.command.options if option.name not in flags}
    flags |= {old: flags[new] for old, new in OLD_ARGUMENTS.items() if new in flags and old not in flags}
    flags |= {"X": str(given.get("dataset") or given.get("TABLE") or "TABLE")}
    names = "|".join(map(re.escape, sorted(flags, key=len, reverse=True)))
    message = re.sub(rf"\bConstraints\(({names})=([^)]*)\)", r"\1=\2", message)
    subject, colon, rest = message.partition(": ")
    one = rf"(^|(?<= and ))({names})(?:\[[^\]]*\])?(?:=((?:(?! and ).)*))?(?= and |$)"
    subject = re.sub(one, lambda m: _subject(flags[m[2]], m[3]), subject)
    rest = re.sub(rf"\b({names})=(['\"])(.*?)\2", lambda m: f"{flags[m[1]]} {m[3]}", rest)
    rest = re.sub(rf"\b({names})=([\d.]+\b)", lambda m: f"{flags[m[1]]} {m[2]}", rest)
    rest = re.sub(rf"\b({names})(?= can be\b)|(?<=\bwithout )({names})\b", lambda m: flags[m[0]], rest)
    return f"{subject}{colon}{rest}"


def _subject(flag: str, value: str | None) -> str:
    plain = None if value is None else re.fullmatch(r"'([\w.,:/%+-]+)'", value)
    return flag if value is None else f"{flag} {plain[1] if plain else value}"


OLD_ARGUMENTS = {
    **DIFFERENT,
    **OF_CONSTRAINTS,
    "y": "target",
    "ignored": "ignore",
    "min_k": "k",
    "n_features_to_select": "k",
    "tau": "dissimilarity",
    "max_shared": "dissimilarity",
    "n_alternatives": "n_sets",
    "copies": "near_duplicates",
    "measure": "measure",
    "backend": "solver",
    "formulation": "solver",
    "redundancy_measure": "objective",
    "sample_weight": "sample_weight",
    "orders": "order",
}
"""What functions below the interface call what an option says."""
