"""The site in all its versions, with a build that takes no time."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = Path(__file__).parents[1] / "versions.py"
BUILD = """
mkdir -p _build/html/_static
echo "$DOCS_VERSION {state} ${{PYTHON:-here}}" > _build/html/index.html
"""


def git(folder, *arguments):
    own = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True)


def test_each_tag_is_built_as_it_was_and_all_know_of_each_other(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copy(VERSIONS, docs)
    (tmp_path / ".gitignore").write_text("_build\n")
    git(tmp_path, "init", "-q")
    for state, tag in (("first", "v0.9.0"), ("second", "v0.10.0"), ("third", "no-version")):
        (docs / "build.sh").write_text(BUILD.format(state=state))
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", state)
        git(tmp_path, "tag", tag)
    subprocess.run([sys.executable, docs / "versions.py", "https://example.org/it/"], check=True)
    site = docs / "_build" / "site"
    names = ["dev", "0.10.0", "0.9.0"]
    assert sorted(path.name for path in site.iterdir()) == sorted([*names, "index.html"])
    for name, state in zip(names, ("third here", "second no-", "first no-"), strict=True):
        assert (site / name / "index.html").read_text().startswith(f"{name} {state}")
        listed = json.loads((site / name / "_static" / "versions.json").read_text())
        assert [entry["version"] for entry in listed] == names
        assert listed[1]["url"] == "https://example.org/it/0.10.0/"
    assert "0.10.0/index.html" in (site / "index.html").read_text()
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=docs, capture_output=True, text=True).stdout
    assert len(worktrees.splitlines()) == 1
