"""The manifest of the instance library: what several benchmarks found, combined."""

import instance_manifest
import pytest


def test_bounds_and_sets_of_different_runs_prove_together_and_contradict():
    sets = [[0, 1]]
    found = {"status": "FEASIBLE", "best_known": 7, "bound": 9, "sets": sets, "by": "a"}
    bounded = {"status": "NOT_SOLVED", "best_known": None, "bound": 7, "sets": None, "by": "b"}
    for pair in ((found, bounded), (bounded, found)):
        assert instance_manifest.better("x", *pair) == {**found, "bound": 7, "status": "OPTIMAL"}
    assert instance_manifest.better("x", found, {**bounded, "bound": 8}) == {**found, "bound": 8}
    infeasible = {"status": "INFEASIBLE", "best_known": None, "bound": None, "sets": None, "by": "c"}
    assert instance_manifest.better("x", bounded, infeasible) == infeasible
    for false in ({**bounded, "bound": 6}, infeasible):
        with pytest.raises(SystemExit, match="x: "):
            instance_manifest.better("x", found, false)
