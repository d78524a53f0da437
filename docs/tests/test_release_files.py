"""What is ready for a release says the same as the package."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pyfsel

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent


def test_citation_and_changelog_name_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {pyfsel.__version__}\n" in citation
    assert f"\n## {pyfsel.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_logo_shows_three_sets_of_two_every_two_of_which_share_one():
    logo = ET.parse(DOCS / "_static" / "logo.svg")
    space = {"svg": "http://www.w3.org/2000/svg"}
    coloured = [group for group in logo.findall("svg:g", space) if "fill-opacity" not in group.attrib]
    sets = [{square.get("y") for square in group.findall("svg:rect", space)} for group in coloured]
    assert [len(held) for held in sets] == [2, 2, 2]
    assert [len(one & other) for at, one in enumerate(sets) for other in sets[at + 1 :]] == [1, 1, 1]


def test_the_package_workflow_checks_what_the_readme_promises():
    workflow = (ROOT / ".github" / "workflows" / "packages.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"run: (pyfsel select .*?) \|", workflow)
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
