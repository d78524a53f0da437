"""The example from a table to a decision: its code is run, and prints what it says."""

import doctest
import re
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "benchmarks" / "example_decision.md"


def test_the_example_prints_what_it_says(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", EXAMPLE.read_text("utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, EXAMPLE.name, str(EXAMPLE), 0)
    assert len(test.examples) > 15
    monkeypatch.chdir(tmp_path)
    report = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert outcome.failed == 0, "".join(report)
    assert outcome.attempted == len(test.examples)
    assert (tmp_path / "sweep.png").stat().st_size > 10_000
