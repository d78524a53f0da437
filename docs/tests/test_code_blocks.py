"""Every code block of a page runs, and prints what the page says; `…` stands for whatever is there."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pyfsel.cli.app import commands_of

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
FENCE = re.compile(r"^```(?P<language>[\w-]+|\{[^}]*\}.*)?\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if not {"_build", "auto_gallery"} & set(path.parts)
)
# what stands for a file of the reader's, or would take minutes; the commands are those that exist
PLACEHOLDERS = (
    "DATA.csv",
    "table.csv",
    ".parquet'",
    ".npz",
    "DATA.json",
    "lab.csv",
    "bench run",
    "bench report",
    "veripb",
    "pip install",
    "-m venv",
    ".venv/bin/activate",
)


def blocks(page, *languages):
    text = (DOCS / page).read_text(encoding="utf-8")
    return [match["code"] for match in FENCE.finditer(text) if match["language"] in languages]


def test_there_are_pages_with_code():
    assert sum(len(blocks(page, "pycon", "console")) for page in PAGES) > 10


def test_every_experiment_has_a_page():
    results = (ROOT / "benchmarks" / "results").glob("experiment[-_]*")
    made = {path.stem.replace("-", "_") for path in results}
    listed = (DOCS / "papers.md").read_text(encoding="utf-8")
    assert made
    assert all(
        f"\nresults/{name}\n" in listed and (DOCS / "results" / f"{name}.md").exists() for name in made
    )


def test_every_block_is_of_a_language_that_is_tested():
    for page in PAGES:
        for match in FENCE.finditer((DOCS / page).read_text(encoding="utf-8")):
            language = match["language"] or ""
            assert language in {"pycon", "console", "sh"} or language.startswith("{"), (page, language)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_sessions_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    report = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert outcome.failed == 0, "".join(report)


def commands(console):
    """Return the commands of a console block, each with what is shown of its output."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def pattern(shown):
    """Return what the output must match: the lines as they are, but for `…` and spaces at their ends."""
    lines = [".*" if line == "…" else re.escape(line.rstrip()) for line in shown.rstrip("\n").split("\n")]
    return "\n".join(lines)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_commands_print_what_the_page_says(page, tmp_path):
    environment = os.environ | {
        "COLUMNS": "80",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    for block in blocks(page, "console"):
        for command, shown in commands(block):
            run = subprocess.run(
                ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, env=environment
            )
            assert run.returncode == (4 if "FEWER" in shown else 0), (command, run.stderr)
            printed = "\n".join(line.rstrip() for line in run.stdout.splitlines())
            assert re.fullmatch(pattern(shown), printed, re.DOTALL), (command, printed)


def options_of(words):
    """Return the options of a command, the one that the first word or two name."""
    one, two = (" ".join(words[:number]).replace("-", "_") for number in (1, 2))
    commands = commands_of(one.split()[0])
    command = commands.get(two) or commands[one]
    return {flag for option in command.options for flag in option.flags} | {"-h", "--help", "--help-all"}


def test_commands_with_placeholders_name_options_that_exist():
    for page in PAGES:
        for line in "\n".join(blocks(page, "sh")).replace("\\\n", " ").split("\n"):
            if not line:
                continue
            assert any(word in line for word in PLACEHOLDERS), (page, line)
            for command in line.split("#")[0].split("&&"):
                words = shlex.split(command)
                if words[:1] == ["pyfsel"]:
                    given = {word for word in words if re.fullmatch("--?[a-z][a-z-]*", word)}
                    assert given <= options_of(words[1:]), (page, command)


def texts_of_modellers():
    """Yield what stands in pages, and in what is said in the models."""
    pages = [*(DOCS / page for page in PAGES), *(ROOT / "instances").glob("*.md")]
    pages += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for path in [*pages, *(ROOT / "models").rglob("*.md"), *(ROOT / "models").rglob("*.mzn")]:
        yield path, re.sub(r"\n%?\s*", " ", path.read_text(encoding="utf-8"))


def test_commands_in_sentences_exist_with_their_options():
    checked = 0
    for path, text in texts_of_modellers():
        for command in re.findall(r"(?<!`)`pyfsel ([a-z_]+(?: [^`]*)?)`", text):
            words = command.split()
            given = {word for word in words if re.fullmatch("--?[a-z][a-z-]*", word)}
            assert commands_of(words[0]), (path, command)
            assert not given or given <= options_of(words), (path, command)
            checked += 1
    assert checked > 50
