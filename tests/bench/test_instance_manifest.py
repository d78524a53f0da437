"""The manifest of the instance library: what several benchmarks found, combined."""

import importlib.util
import json
from pathlib import Path

import pytest
from test_bench import record_all

from pyfsel.bench import check_folder
from pyfsel.problem.instance import Instance

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "instance_manifest.py"
SEVEN = Instance(quality=[9, 8, 7, 3, 2, 1, 1], n_sets=2, k=2, max_shared=1)


@pytest.fixture
def manifest(tmp_path, monkeypatch):
    """The module, with a library of one instance."""
    specification = importlib.util.spec_from_file_location("instance_manifest", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    library = tmp_path / "library"
    (library / "real").mkdir(parents=True)
    SEVEN.save(library / "real" / "wine-mi.json")
    (library / "manifest.json").write_text("[]")
    (library / "sources.toml").write_text('[wine]\nlicence = "CC0"\n')
    monkeypatch.setattr(module, "LIBRARY", library)
    return module


def benchmark(folder, backend, text):
    """Run a backend on an instance of the library's name, and check the results."""
    folder.mkdir()
    (folder / "wine-mi.json").write_text(text)
    suite = folder / "suite.toml"
    suite.write_text(f'solver = "{backend}"\nfiles = "wine-mi.json"\nsearch = "sum"\n')
    record_all(suite, folder / "out")
    assert check_folder(folder / "out").is_clean
    return folder / "out"


def written(manifest, *folders):
    manifest.write_manifest(*folders)
    (entry,) = json.loads((manifest.LIBRARY / "manifest.json").read_text())
    return entry


def library_file(manifest):
    return manifest.LIBRARY / "real" / "wine-mi.json"


def test_benchmarks_are_combined_and_what_is_known_is_kept(manifest, tmp_path):
    text = library_file(manifest).read_text()
    greedy = benchmark(tmp_path / "greedy", "greedy-replacement", text)
    exact = benchmark(tmp_path / "exact", "brute-force", text)
    assert written(manifest)["status"] is None
    entry = written(manifest, greedy)
    assert (entry["status"], entry["best_known"], entry["by"]) == ("FEASIBLE", 33, "greedy-replacement")
    assert (entry["licence"], entry["tried"]) == ("CC0", ["greedy-replacement 60 s"])
    for folders in ((exact, greedy), (greedy, exact), (greedy,), ()):
        entry = written(manifest, *folders)
        assert (entry["status"], entry["best_known"], entry["by"]) == ("OPTIMAL", 33, "brute-force")
    assert entry["sets"] == [[0, 1], [0, 2]]


def test_bounds_and_sets_of_different_runs_prove_together_and_contradict(manifest):
    sets = [[0, 1]]
    found = {"status": "FEASIBLE", "best_known": 7, "bound": 9, "sets": sets, "by": "a"}
    bounded = {"status": "NOT_SOLVED", "best_known": None, "bound": 7, "sets": None, "by": "b"}
    for pair in ((found, bounded), (bounded, found)):
        assert manifest.better("x", *pair) == {**found, "bound": 7, "status": "OPTIMAL"}
    assert manifest.better("x", found, {**bounded, "bound": 8}) == {**found, "bound": 8}
    infeasible = {"status": "INFEASIBLE", "best_known": None, "bound": None, "sets": None, "by": "c"}
    assert manifest.better("x", bounded, infeasible) == infeasible
    for false in ({**bounded, "bound": 6}, infeasible):
        with pytest.raises(SystemExit, match="x: "):
            manifest.better("x", found, false)
