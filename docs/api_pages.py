"""Docstrings as pages of the API: the example first, then parameters and attributes as tables."""

import inspect
import re
import textwrap

import pyfsel

UNDERLINE = re.compile(r"-{3,}\s*$")
CLASS = re.compile(rf"(?<![\w.`])({'|'.join(name for name in pyfsel.__all__ if name[0].isupper())})(?![\w`])")
TABLES = ("Parameters", "Attributes")
FIRST = "Examples"


def sections(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return the sections of a NumPy docstring by heading; what comes before the first has the heading ''.

    Examples
    --------
    >>> sections(["Add.", "", "Parameters", "----------", "a : int", "    One."])
    [('', ['Add.', '']), ('Parameters', ['a : int', '    One.'])]
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and UNDERLINE.match(lines[number + 1]) and line.strip():
            found.append((line.strip(), []))
        elif not (UNDERLINE.match(line) and found[-1][0] and not found[-1][1]):
            found[-1][1].append(line)
    return found


def entries(body: list[str]) -> list[tuple[str, str, list[str]]]:
    """Return the entries of a section: names, type, and lines that describe them."""
    found: list[tuple[str, str, list[str]]] = []
    for line in textwrap.dedent("\n".join(body)).split("\n"):
        if line.strip() and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found.append((names, kind, []))
        elif found:
            found[-1][2].append(line)
    return [(names, kind, inspect.cleandoc("\n".join(text)).split("\n")) for names, kind, text in found]


def as_table(heading: str, body: list[str], defaults: dict[str, str]) -> list[str]:
    """Return a section as a table: the name and its default; the type and the meaning."""
    lines = [f".. rubric:: {heading}", "", ".. list-table::", "   :class: api", "   :widths: auto", ""]
    for names, kind, text in entries(body):
        each = [name.strip() for name in names.split(",")]
        shown = [f"``{name} = {defaults[name]}``" if name in defaults else f"``{name}``" for name in each]
        meaning = [CLASS.sub(r"`pyfsel.\1`", kind), "", *text]
        lines += [f"   * - {', '.join(shown)}", f"     - {meaning[0]}"]
        lines += [" " * 7 + line if line else "" for line in meaning[1:]]
    return [*lines, ""]


def defaults_of(obj: object) -> dict[str, str]:
    """Return the default of each parameter as it is written."""
    try:
        signature = inspect.signature(obj)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return {}
    return {
        name: repr(parameter.default)
        for name, parameter in signature.parameters.items()
        if parameter.default is not parameter.empty
    }


def arranged(lines: list[str], obj: object) -> list[str]:
    """Return a docstring with its example after the introduction, and tables of parameters and attributes."""
    found = sections(lines)
    examples = [part for part in found[1:] if part[0] == FIRST]
    others = [part for part in found[1:] if part[0] != FIRST]
    result = list(found[0][1])
    for heading, body in [*examples, *others]:
        if heading in TABLES:
            result += ["", *as_table(heading, body, defaults_of(obj) if heading == "Parameters" else {})]
        else:
            result += ["", heading, "-" * len(heading), *textwrap.dedent("\n".join(body)).split("\n")]
    return result
