"""The site in all its versions, for its address: ``python docs/versions.py ADDRESS`` makes docs/_build/site.

What is here now becomes the folder ``dev``, and each tag such as ``v0.2.0`` the folder ``0.2.0``, built by
its own `docs/build.sh` with its own packages. All get the same list of versions, which each page offers.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).parent
SITE = DOCS / "_build" / "site"
LIST = Path("_static", "versions.json")
CURRENT = "dev"
START = '<!doctype html><title>pyfsel</title><meta http-equiv="refresh" content="0; url={}/index.html">\n'


def build_site(address: str) -> None:
    """Build every version, their lists, and a page that leads to the newest release."""
    shutil.rmtree(SITE, ignore_errors=True)
    said = subprocess.run(
        ["git", "tag", "--list", "v*", "--sort=-version:refname"], cwd=DOCS, check=True, capture_output=True
    )
    names = [tag.removeprefix("v") for tag in said.stdout.decode().split()]
    _build(DOCS, CURRENT)
    for name in names:
        with TemporaryDirectory() as folder:
            subprocess.run(["git", "worktree", "add", "--detach", folder, f"v{name}"], cwd=DOCS, check=True)
            try:
                _build(Path(folder) / "docs", name, PYTHON="no-python-but-its-own")
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=DOCS, check=True)
    write_lists(SITE, address, [CURRENT, *names])
    (SITE / "index.html").write_text(START.format([*names, CURRENT][0]))


def write_lists(site: Path, address: str, names: list[str]) -> None:
    """Write the list of the versions, folders of a site at an address, into each of them."""
    entries = [{"version": name, "url": f"{address.rstrip('/')}/{name}/"} for name in names]
    for name in names:
        path = site / name / LIST
        path.unlink(missing_ok=True)
        path.write_text(json.dumps(entries))


def _build(docs: Path, name: str, **more: str) -> None:
    subprocess.run(
        ["bash", "build.sh"], cwd=docs, check=True, env={**os.environ, "DOCS_VERSION": name, **more}
    )
    shutil.copytree(docs / "_build" / "html", SITE / name)


if __name__ == "__main__":
    build_site(*sys.argv[1:])
