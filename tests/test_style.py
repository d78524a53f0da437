"""How we write: patterns of `docs/style.toml` become fewer in pages, docstrings, comments and messages."""

import ast
import io
import re
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
AVOIDED = tomllib.loads((ROOT / "docs" / "style.toml").read_text("utf-8"))["avoid"]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts),
]


def sentences_of_page(text):
    """Yield line numbers and lines of a Markdown page, without code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`|\$[^$]*\$|<[^>]*>|\]\([^)]*\)|\(https?:[^)]*\)", "", line)


def sentences_of_module(source):
    """Yield line numbers and texts of docstrings, comments and messages (of three words or more)."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 2:
            for offset, line in enumerate(node.value.splitlines()):
                if not line.lstrip().startswith((">>>", "...")):
                    yield node.lineno + offset, re.sub(r"`[^`]*`", "", line)


def sentences():
    """Return the files, lines and sentences of all pages and modules."""
    found = [
        (path, number, line) for path in PAGES for number, line in sentences_of_page(path.read_text("utf-8"))
    ]
    for path in sorted((ROOT / "pyfsel").rglob("*.py")):
        found += [(path, number, line) for number, line in sentences_of_module(path.read_text("utf-8"))]
    return found


def test_what_to_avoid_becomes_rarer():
    found = sentences()
    for rule in AVOIDED:
        pattern, left = re.compile(rule["pattern"]), rule.get("left", 0)
        hits = [
            f"{path.relative_to(ROOT)}:{number}: '{match.group()}': write {rule['write']}"
            for path, number, line in found
            for match in pattern.finditer(line)
        ]
        assert len(hits) <= left, "\n".join(hits)
        assert left <= len(hits), f"{len(hits)} are left: lower `left` of {pattern} in docs/style.toml"


def test_code_is_no_sentence_but_comments_docstrings_and_messages_are():
    page = "told\n```\ntold\n```\n`told` and told\n"
    assert [number for number, line in sentences_of_page(page) if "told" in line] == [1, 5]
    module = '"""What is told."""\ntold = "told"  # told\nraise ValueError("x is told by y")\n'
    assert sorted(number for number, line in sentences_of_module(module) if "told" in line) == [1, 2, 3]
