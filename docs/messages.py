"""The messages of the package, read from its source, for the page that says what to do about each."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import pyfsel
from pyfsel import errors

PACKAGE = Path(pyfsel.__file__).parent
ERRORS = {"RefusedError", *(name for name, value in vars(errors).items() if isinstance(value, type))}
GAP = "…"


@dataclass(frozen=True, order=True)
class Message:
    """A text that the package can show: where values go stands an ellipsis."""

    text: str
    kind: str
    file: str


@cache
def messages() -> list[Message]:
    """Return every message of an error that users can meet and of every warning, each once for each file."""
    found: set[Message] = set()
    for path in PACKAGE.rglob("*.py"):
        file = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {Message(text, kind, file) for kind, text in _in_module(tree) if text.strip(f"{GAP}:;,. ")}
    return sorted(found)


def _in_module(tree: ast.Module) -> Iterator[tuple[str, str]]:
    constants = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            name, said = node.func.id, node.args[0]
            if name == "demand":  # of `pyfsel.checker`
                name, said = "RefusedError", node.args[1]
            if name in ERRORS or name == "warn":
                for text in _texts(said, constants):
                    shown = re.sub(f"{GAP}+", GAP, " ".join(text.split()))
                    yield "warning" if name == "warn" else name, shown


def _texts(node: ast.expr, constants: dict[str, ast.expr]) -> list[str]:
    """Return what an expression can say: both branches of a choice, an ellipsis for what is not text."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(GAP if isinstance(p, ast.FormattedValue) else p.value for p in parts)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in _texts(left, constants) for b in _texts(right, constants)]
        case ast.IfExp(body=body, orelse=other):
            return [*_texts(body, constants), *_texts(other, constants)]
        case ast.Name(id=name) if name in constants:
            return _texts(constants[name], {})
    return [GAP]


def messages_of(rooms: list[str]) -> list[Message]:
    """Return the messages of files and folders of the package, the same text of the same kind once."""
    prefixes = tuple(room if room.endswith(".py") else f"{room}/" for room in rooms)
    listed = {(m.text, m.kind): m for m in messages() if m.file.startswith(prefixes)}
    return sorted(listed.values())


class Messages(SphinxDirective):
    """List the messages of the files and folders that are its argument."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the list, or fail where nothing is found."""
        found = messages_of(self.arguments[0].split())
        if not found:
            raise self.error(f"no messages in {self.arguments[0]}")
        listed = nodes.bullet_list(classes=["messages"])
        for message in found:
            words = nodes.paragraph("", "", nodes.literal("", message.text))
            if message.kind != "InputError":
                words += [nodes.Text(" "), nodes.emphasis("", message.kind)]
            listed += nodes.list_item("", words)
        return [listed]
