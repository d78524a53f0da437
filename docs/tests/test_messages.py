"""The page of messages lists what the package really says."""

import re
import sys
from pathlib import Path

import pytest

import pyfsel
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.solving.solve import solve

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS))

from messages import GAP, messages, messages_of  # noqa: E402

SECTIONS = re.findall(r"```\{messages\} (.+)", (DOCS / "troubleshooting.md").read_text(encoding="utf-8"))


def test_every_message_is_in_one_section():
    listed = [{(m.text, m.kind, m.file) for m in messages_of(rooms.split())} for rooms in SECTIONS]
    texts = {(text, kind) for section in listed for text, kind, _ in section}
    assert {(m.text, m.kind) for m in messages()} == texts
    files = [file for section in listed for file in {file for *_, file in section}]
    assert len(files) == len(set(files))


@pytest.mark.parametrize(
    "call",
    [
        lambda: make_instance([3, 2, 1], k=5),
        lambda: make_instance([3, 2, 1], k=2, dissimilarity=7),
        lambda: make_instance([3, 2, 1], k=2, constraints=Constraints(costs=[1, 2])),
        lambda: make_instance([3, 2, 1], k=2, objective="mrmr"),
        lambda: solve(make_instance([3, 2, 1], k=2), "no such backend"),
        lambda: solve(make_instance([3, 2, 1], k=2), time_limit=-1),
        lambda: solve(make_instance([3, 2, 1], k=2), "ranking", formulation="literal"),
        lambda: pyfsel.AlternativeFeatureSelector(measure="best").fit([[1, 2], [3, 4]], [0, 1]),
    ],
)
def test_messages_that_are_raised_are_on_the_page(call):
    with pytest.raises(pyfsel.PyfselError) as raised:
        call()
    said = " ".join(str(raised.value).split())
    patterns = {m.text: ".*".join(map(re.escape, m.text.split(GAP))) for m in messages()}
    fitting = [text for text, pattern in patterns.items() if re.fullmatch(pattern, said)]
    assert any(len(text.replace(GAP, "")) > 8 for text in fitting), said
