"""Messages of the library and of typer in the words of the command line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import typer

table_name = ContextVar("table_name", default="DATA")
"""The table that a command is about, as the user named it."""

ELSEWHERE = {
    "y": "--target",
    "k": "-k",
    "n_features_to_select": "-k",
    "set_sizes": "-k",
    "taus": "--tau",
    "tau": "--tau",
    "n_alternatives": "-a",
    "min_k": "--min-set-size",
    "min_features_to_select": "--min-set-size",
    "ignored": "--ignore",
    "groups": "--group",
    "random_state": "--seed",
    "row_groups": "--groups-of",
    "sample_weight": "--weights-of",
    "n_bins": "--bins",
    "n_jobs": "--jobs",
    "state_file": "--state",
    "n_threads": "--threads",
    "n_splits": "--folds",
    "n_repeats": "--repeats",
    "family": "FAMILY",
    "format": "--format",
    "n_irrelevant": "--irrelevant",
    "n_redundant": "--redundant",
    "n_rows": "--rows",
    "max_tries": "--tries",
}
"""Options, and what is no option, in place of arguments that have other names."""
options_here: ContextVar[Mapping[str, str]] = ContextVar("options_here", default=MappingProxyType({}))
"""The options of the command that runs, by the names of its parameters."""


def in_options(message: str) -> str:
    """Return a message of the library with options in place of arguments: those of the command that runs.

    Parameters
    ----------
    message : str

    Examples
    --------
    >>> _ = options_here.set({name: f"--{name}" for name in ("missing", "tau", "forced")})
    >>> _ = table_name.set("DATA")
    >>> in_options("n_alternatives=-1: must be an integer of at least 0")
    '-a=-1: must be an integer of at least 0'
    >>> in_options("X: column 'age' holds missing (NaN) values; allowed with missing='drop'")
    "DATA: column 'age' holds missing (NaN) values; allowed with --missing drop"
    >>> in_options("tau can be at most 0.5. It is feasible without forced.")
    '--tau can be at most 0.5. It is feasible without --forced.'
    """
    options = {**options_here.get(), **ELSEWHERE, "X": table_name.get()}
    names = "|".join(options)

    def option_of(match: re.Match[str]) -> str:
        """Return the option in place of an argument; a field or key of it stands apart."""
        before, name, key, dot = match.groups(default="")
        return f"{before}{options[name]}{': ' if key or dot else ''}{key}"

    subject, colon, rest = message.partition(": ")
    begins = rf"(^|(?<= and ))({names})(?:\[(?:\d+|([^\]]*))\])?(?=[=:.])(\.?)"
    subject = re.sub(begins, option_of, f"{subject}{colon}")
    rest = re.sub(rf"\b({names})='([\w-]+)'(?!:)", lambda match: f"{options[match[1]]} {match[2]}", rest)
    told = subject + rest.removesuffix(" or None")
    changes = rf"\b({names})(?= can be\b)|(?<=\bwithout )({names})\b"
    return re.sub(changes, lambda match: options[match[0]], told)


def of_typer(error: typer.TyperException) -> str:
    """Return what typer says of an argument, with the value and what is allowed."""
    wrong_name = getattr(error, "option_name", None)
    if wrong_name is not None and hasattr(error, "possibilities"):
        return _no_such_option(wrong_name, error)
    cause: Any = error.__cause__
    parameter: Any = getattr(error, "param", None)
    if parameter is None or not hasattr(cause, "errors"):
        return error.format_message()
    wrong = cause.errors()[0]
    return f"{shown_name(parameter)}={wrong['input']!r}: {_allowed(wrong)}"


def _no_such_option(name: str, error: Any) -> str:
    """Return what options there are instead: first the short one of one letter, which needs one dash only."""
    known = [option for parameter in error.ctx.command.params for option in parameter.opts]
    short = f"-{name.strip('-')}"
    near = [short] if short in known else difflib.get_close_matches(name, known)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{name}: is not an option of this command{meant or '; --help-all shows all'}"


def shown_name(parameter: Any) -> str:
    """Return what the help calls an option or an argument."""
    return str(parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar)


def _allowed(wrong: dict[str, Any]) -> str:
    limits = wrong.get("ctx", {})
    texts = {
        "int_parsing": "must be an integer",
        "float_parsing": "must be a number",
        "greater_than_equal": f"must be at least {limits.get('ge')}",
        "less_than_equal": f"must be at most {limits.get('le')}",
    }
    told = str(wrong["msg"]).removeprefix("Value error, ").rstrip(".")
    choices = re.search(r"is not one of (.+)", told)
    return texts.get(wrong["type"], f"must be one of {choices[1]}" if choices else told)
