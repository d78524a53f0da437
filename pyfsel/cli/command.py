"""How a function becomes a command: groups of options, examples, and a help that shows the usual ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from copy import copy
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.messages import options_here
from pyfsel.cli.options import keep_files
from pyfsel.errors import InputError

RARE = (
    "copies copy_threshold task dates max_overlap dissimilarity relatives overlap_cost sum_weight min_weight "
    "aggregate normalise forbidden group costs budget min_quality min_set_size redundancy_measure "
    "keep_best sample search backend "
    "maxsat_command model formulation confirm certify seed threads memory_limit jobs executor scheduler "
    "file_format quiet"
)
"""Shared options that the short help leaves out, unless an example uses them."""

FEW = 18
"""A command with at most this many options shows all."""


COMMANDS_OF: defaultdict[str, typer.Typer] = defaultdict(typer.Typer)
"""The commands that each file adds, by the name of its module."""
Function = Callable[..., ExitCode | None]


def command(
    name: str, about: str, *examples: str, before: str = "", group: typer.Typer | None = None
) -> Callable[[Function], Function]:
    """Add a function as a command; what it returns is the exit code, None is that of success.

    Parameters
    ----------
    name : str
    about : str
        Its help; the part before an empty line is also in the list of commands.
    examples : str
        Command lines.
    before : str
        What the help says before the examples.
    group : Typer, optional
        The commands of which it is one, such as those of `pyfsel ask`.
    """
    listed = "\n".join(["[bold]Examples[/bold]", *(f"  {line}" for line in examples)]) if examples else ""

    def add(function: Function) -> Function:
        commands = COMMANDS_OF[function.__module__] if group is None else group
        commands.command(name, cls=ShortHelp, help=about, epilog=f"{before}{listed}")(with_groups(function))
        return function

    return add


class ShortHelp(TyperCommand):
    """A command whose help leaves out rare options until ``--help-all`` asks for them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse two targets, of which one would be ignored, and outputs that are inputs."""
        options = (p for p in self.params if p.param_type_name == "option")
        options_here.set({p.name: max(p.opts, key=len) for p in options if p.name is not None})
        written = [word.partition("=")[0] for word in args]
        for parameter in self.params:
            if parameter.name == "target" and sum(word in parameter.opts for word in written) > 1:
                raise InputError("--target: is given more than once; a table has one target")
        left = super().parse_args(ctx, args)
        keep_files(ctx)
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, in full if ``--help-all`` asks for it or the options are few."""
        options = [parameter for parameter in self.params if parameter.param_type_name == "option"]
        if ctx.meta.get("help_all") or len(options) <= FEW:
            shown = [parameter for parameter in self.params if parameter.name != "help_all"]
        else:
            in_examples = set((self.epilog or "").split())
            shown = [p for p in self.params if p.name not in RARE.split() or in_examples.intersection(p.opts)]
        short = copy(self)
        short.params = shown
        TyperCommand.format_help(short, ctx, formatter)


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked:
        context.meta["help_all"] = True
        typer.echo(context.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit.")
]


def with_groups(function: Function) -> Callable[..., None]:
    """Return a command that takes the fields of its groups, and of groups in these, as options of its own."""
    own = signature(function, eval_str=True)
    groups: dict[str, Any] = {
        name: p.annotation for name, p in own.parameters.items() if _is_group(p.annotation)
    }

    @wraps(function)
    def run(*, help_all: bool, **given: Any) -> None:
        made = {name: _made(group, given) for name, group in groups.items()}
        code = function(**made, **given)
        if code:
            raise typer.Exit(code)

    parameters: list[Parameter] = []
    for name, parameter in own.parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(_parameter(name, parameter.annotation, parameter.default))
    parameters.append(Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll))
    described: Any = run
    described.__signature__ = own.replace(parameters=parameters)
    return run


def _is_group(kind: Any) -> bool:
    return is_dataclass(get_origin(kind) or kind)


def _fields(group: Any) -> list[tuple[Field[Any], Any]]:
    """Return the fields of a group that a command has, each an option or a group, and their types.

    Where a type is left open, it is the one in brackets, `TableQuestion[TiedSets]`, or else its bound.
    """
    declared = get_origin(group) or group
    types = get_type_hints(declared, include_extras=True)
    said = dict(zip(getattr(declared, "__parameters__", ()), get_args(group), strict=False))
    return [
        (each, said.get(kind, kind.__bound__) if isinstance(kind := types[each.name], TypeVar) else kind)
        for each in fields(declared)
        if each.name not in getattr(declared, "lacks", ())
    ]


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Return a group made of options that are taken out of those given."""
    return group(
        **{
            each.name: _made(kind, given) if _is_group(kind) else given.pop(each.name)
            for each, kind in _fields(group)
        }
    )


def _parameters(group: Any) -> list[Parameter]:
    found = []
    for each, kind in _fields(group):
        found += _parameters(kind) if _is_group(kind) else [_parameter(each.name, kind, each)]
    return found


def _parameter(name: str, kind: Any, declared: Any) -> Parameter:
    """Return an option, given its type and the field that declares it, or else its default."""
    if isinstance(declared, Field):
        option = declared.metadata.get("option")
        kind = kind if option is None else Annotated[kind, option]
        declared = declared.default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=declared, annotation=kind)
