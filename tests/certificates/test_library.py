"""The certificates that lie beside the instances of the library stand."""

import json
from pathlib import Path

import pytest

from pyfsel import checker

INSTANCES = Path(__file__).parents[2] / "instances"
FILES = sorted((INSTANCES / "certificates").rglob("*.cert"))


@pytest.mark.parametrize("part", range(4))
def test_each_is_of_its_instance_and_stands(part):
    assert len(FILES) > 200
    for file in FILES[part::4]:
        instance = INSTANCES / file.relative_to(INSTANCES / "certificates").with_suffix(".json")
        problem = checker.Instance.of(json.loads(instance.read_text()))
        ((told, by),) = checker.check(file.read_text(), problem)
        assert by, (file, told)


def test_they_say_what_the_manifest_says():
    entries = {entry["file"]: entry for entry in json.loads((INSTANCES / "manifest.json").read_text())}
    for file in FILES:
        entry = entries[file.relative_to(INSTANCES / "certificates").with_suffix(".json").as_posix()]
        claim = json.loads(file.read_text().splitlines()[1])
        assert claim["claim"] == {"OPTIMAL": "optimum", "INFEASIBLE": "infeasible"}[entry["status"]], file
        assert claim.get("value") == (entry["best_known"] if claim["claim"] == "optimum" else None), file
