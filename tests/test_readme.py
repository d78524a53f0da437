"""README: its Python example runs and prints what it says; its commands are those that exist."""

import os
import re
from pathlib import Path

from running import python

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def code_blocks(language):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [code for its_language, code in blocks if its_language == language]


def test_python_example_prints_what_its_comments_say(tmp_path):
    table, example = code_blocks("python")
    run = python("-c", f"{table}\n{example}", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "3 feature sets of 5" in run.stdout
    expected = re.findall(r"^# (\[.*)$", example, re.MULTILINE) + re.findall(
        r"\)  # (.*)$", example, re.MULTILINE
    )
    assert len(expected) == 2
    for line in expected:
        assert line in run.stdout.splitlines()


def test_first_output_is_what_the_command_prints():
    shown = next(block for block in code_blocks("") if block.startswith("3 feature sets of 5"))
    command = next(block for block in code_blocks("") if "pyfsel select --dataset" in block)
    arguments = command.strip().split("pyfsel select ")[1].split()
    run = python("-m", "pyfsel", "select", *arguments, cwd=ROOT, env=os.environ | {"COLUMNS": "80"})
    assert run.returncode == 0, run.stderr

    def lines(text):
        return [re.sub(r", [0-9.]+ s$", "", line).rstrip() for line in text.splitlines()]

    assert lines(run.stdout) == lines(shown)


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_test_command_is_what_ci_runs():
    assert "bash tests/run.sh" in [block.strip() for block in code_blocks("")]
    assert "exec bash tests/run.sh\n" in (ROOT / ".ci" / "run").read_text("utf-8")
