"""The table of the papers' items: each row has a state, and names tests or records that exist, if any."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "docs" / "papers_items.md").read_text("utf-8").splitlines()
ROWS = [
    [cell.strip() for cell in line.strip()[1:-1].split("|")]
    for line in LINES
    if line.startswith("| ") and not line.startswith("| place")
]
SAY_MORE = {"differs", "in part", "answered", "not here"}
STATES = SAY_MORE | {"as there", "done"}


@cache
def functions_of(path):
    return {
        node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    }


def test_every_row_is_whole():
    assert len(ROWS) > 130
    assert [row for row in ROWS if len(row) != 5 or not (row[0] and row[1] and row[4])] == []


def test_the_states_are_defined_and_used():
    assert sorted(line.split("*")[1] for line in LINES if line.startswith("- *")) == sorted(STATES)
    assert {row[4].partition(":")[0] for row in ROWS} == STATES


def test_every_row_begins_with_its_state():
    """It says no more, or goes on after a colon; what is not as there always goes on."""
    pattern = f"(?:{'|'.join(sorted(STATES - SAY_MORE))})|(?:{'|'.join(sorted(STATES))}): \\S.*"
    assert [row for row in ROWS if not re.fullmatch(pattern, row[4])] == []


def test_every_row_names_a_test_or_a_record_that_exists():
    missing = []
    for place, item, _, shown_by, state in ROWS:
        if not shown_by and state.startswith("not here"):
            continue
        for one in shown_by.split(", "):
            named = re.fullmatch(r"`([^`:]+)(?:::(\w+))?`", one)
            path = ROOT / named[1] if named else None
            if not (path and path.is_file() and (named[2] is None or named[2] in functions_of(path))):
                missing.append((place, item, one))
    assert missing == []
