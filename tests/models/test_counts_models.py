"""The models of models/counts_loop by themselves, and the loop of the benchmark."""

import importlib.util
import json
import subprocess
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

LOOP = models_dir() / "counts_loop"
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "counts_loop.py"


@pytest.fixture
def minizinc(tmp_path):
    def run(model, data, *flags):
        path = tmp_path / "data.json"
        path.write_text(json.dumps(data))
        command = ["minizinc", "--solver", "org.gecode.gecode", *flags, LOOP / model, path]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    return run


def solution(run):
    assert run.returncode == 0, run.stderr
    assert "=====ERROR=====" not in run.stdout
    if "=====UNSATISFIABLE=====" in run.stdout:
        return None
    return json.loads([line for line in run.stdout.splitlines() if line.startswith("{")][-1])


def is_realisable(n_sets, k, max_shared, counts, chosen=()):
    """Return whether sets with these counts exist, by trying all sets one after another."""
    if len(chosen) == n_sets:
        return not counts.any()
    left = n_sets - len(chosen)
    if counts.min() < 0 or counts.max() > left or counts.sum() > left * k:
        return False
    sizes = range(max(0, int(counts.sum()) - (left - 1) * k), k + 1)
    for members in (s for size in sizes for s in combinations(np.flatnonzero(counts), size)):
        apart = all(len(set(members) & set(other)) <= max_shared for other in chosen)
        if apart and (not chosen or members >= chosen[-1]):
            rest = counts - np.isin(np.arange(len(counts)), members)
            if is_realisable(n_sets, k, max_shared, rest, (*chosen, members)):
                return True
    return False


def falling(length, total, largest):
    """Yield all sequences of this length and sum that do not rise, with entries up to the largest."""
    if not length:
        yield from [()] if not total else []
        return
    for first in range(min(total, largest), -1, -1):
        if first * length >= total:
            yield from ((first, *rest) for rest in falling(length - 1, total - first, first))


BARE = ["-D", "mzn_ignore_redundant_constraints=true; mzn_ignore_symmetry_breaking_constraints=true;"]


@pytest.mark.parametrize("flags", [[], BARE], ids=["whole", "bare"])
@pytest.mark.parametrize(
    ("shape", "counts"),
    [
        ((3, 3, 1), (3, 1, 1, 1, 1, 1, 1)),
        ((3, 3, 1), (2, 2, 2, 1, 1, 1)),
        ((3, 3, 1), (3, 2)),
        ((3, 3, 1), (2, 2, 1)),
        ((4, 3, 1), (2, 2, 2, 2, 2, 2)),
        ((4, 3, 1), (3, 3, 2, 1)),
        ((4, 3, 1), (3, 3, 1, 1, 1, 1, 1, 1)),
        ((3, 4, 2), (3, 3, 2, 2, 2)),
        ((3, 4, 2), (3, 3, 2, 2, 1, 1)),
        ((6, 5, 3), (6, 6, 4, 4, 3, 2, 2, 1, 1, 1)),
        ((3, 2, 0), (1, 1, 1, 1, 1, 1)),
    ],
)
def test_realisation_agrees_with_a_search_through_all_sets(minizinc, shape, counts, flags):
    names = ("n_sets", "k", "max_shared")
    data = dict(zip(names, shape, strict=True)) | {"counts": counts}
    found = solution(minizinc("realise_counts.mzn", data, *flags))
    assert (found is not None) == is_realisable(*shape, np.array(counts))
    if found is not None:
        sets = [set(members) for members in found["sets"]]
        assert [sum(j + 1 in s for s in sets) for j in range(len(counts))] == list(counts)
        assert max(map(len, sets)) <= shape[1]
        assert all(len(a & b) <= shape[2] for a, b in combinations(sets, 2))


def test_realisation_refuses_impossible_numbers(minizinc):
    data = {"n_sets": 3, "k": 2, "max_shared": 1, "counts": [4, 1]}
    run = minizinc("realise_counts.mzn", data)
    assert "counts: must be from 1 to 3" in run.stdout + run.stderr


@pytest.mark.parametrize("cuts", [[], [[5, 3, 0]], [[5, 3, 0], [4, 4, 2]]])
def test_master_agrees_with_all_counts_that_it_describes(minizinc, cuts):
    """Without what a solver may ignore, so that the cuts say what they say by themselves."""
    quality = np.sort(np.random.default_rng(3).integers(-20, 900, 18))
    problem = Instance(quality=quality, n_sets=5, k=4, max_shared=2)
    found = solution(minizinc("counts_master.mzn", problem.to_dict() | {"cuts": cuts}, *BARE))
    allowed = [
        counts
        for counts in falling(18, 20, 5)
        if sum(comb(c, 2) for c in counts) <= 2 * comb(5, 2)
        and all(any(c < most for c, most in zip(counts, cut, strict=False)) for cut in cuts)
    ]
    assert found["objective"] == max(int(np.dot(counts, quality[::-1])) for counts in allowed)
    assert sum(found["counts"]) == 20


def test_master_refuses_what_counts_do_not_decide(minizinc):
    for asked in ({"conflicts": [(0, 1)]}, {"forced": [1]}, {"min_quality": 2}):
        problem = Instance(quality=[3, 2, 1], n_sets=2, k=1, max_shared=0, **asked)
        run = minizinc("counts_master.mzn", problem.to_dict() | {"cuts": []})
        assert "counts decide alone only if" in run.stdout + run.stderr


def test_the_loop_finds_the_optimum_with_cuts():
    spec = importlib.util.spec_from_file_location("counts_loop", BENCHMARK)
    loop = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loop)
    example = Instance.load(models_dir() / "data" / "breast_cancer.json")
    problem = example.replace(n_sets=6, max_shared=3)
    sets, bound, n_cuts = loop.solve(problem, "org.gecode.gecode", 60)
    assert len(sets) == 6
    assert n_cuts > 0
    assert bound == solve(problem, "cpsat", search="simultaneous").integer_bound
