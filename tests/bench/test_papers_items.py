"""The table of the papers' items: every row names a test or record that exists, or says that none does."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip()[1:-1].split("|")]
    for line in (ROOT / "docs" / "papers_items.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| place")
]


@cache
def functions_of(path):
    return {
        node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    }


def test_every_row_is_whole():
    assert len(ROWS) > 130
    assert [row for row in ROWS if len(row) != 5 or not (row[0] and row[1] and row[4])] == []


def test_every_row_names_a_test_or_a_record_that_exists():
    missing = []
    for place, item, _, shown_by, state in ROWS:
        named = re.fullmatch(r"`([^`:]+)(?:::(\w+))?`", shown_by)
        if named is None:
            exists = not shown_by and state.startswith(("not here", "open"))
        else:
            path, function = ROOT / named[1], named[2]
            exists = path.is_file() and (function is None or function in functions_of(path))
        if not exists:
            missing.append((place, item, shown_by))
    assert missing == []
