"""One hash of the results of all searches that use the core, whatever the compiler does with it.

Sets, bounds and all that is counted on the way, of random problems with ties, zeros, both signs and limits,
and floats to the last bit. What the others are held against is the library itself: -O3, with gcc where that
is the compiler of the system.
"""

import hashlib
import os
import sys
from importlib.util import find_spec
from shutil import which

import numpy as np
import pytest
from small_problems import random_problem
from test_binding import FUNCTIONS

from pyfsel.algorithms.ksubgraph import chains
from pyfsel.algorithms.ksubgraph.concave_bound import Tree, search_tree
from pyfsel.algorithms.ksubgraph.heavy_chains import Pairs
from pyfsel.backends import get_backend
from pyfsel.core import binding
from pyfsel.core.building import LIBRARY, compile_library, current_library, zig_compiler
from pyfsel.papers.consistency.branching import DifferenceSets
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.results.control import Control

COMPILERS = {
    "gcc -O0": ["gcc", "-O0"],
    "clang": ["clang", "-O3"],
    "zig": ["zig", "-O3"],
}
IN_CI = os.environ.get("CI") == "true" and sys.platform == "linux"


def of_backend(name, seed, times, **fields):
    """Return what a backend finds for a problem in large numbers, or in coarse ones: with ties and zeros."""
    drawn = random_problem(seed, **fields)
    pairs = None if drawn.pairs is None else 3 * drawn.pairs * times // 400
    problem = drawn.replace(quality=drawn.quality * times // 400, pairs=pairs)
    answer = get_backend(name).solve(problem, Control())
    return answer.status.name, answer.sets, answer.bound, sorted(answer.statistics.items())


def floats_of_tree(rng, n, k):
    """Return the bounds and the points of some nodes below a function whose H is diagonally dominant."""
    upper, nothing = np.triu(rng.integers(-20, 21, (n, n)), 1), np.zeros(0, np.int64)
    weights = upper + upper.T
    edges = Pairs(
        weights, np.eye(n, dtype=bool), np.zeros((0, n), bool), nothing, nothing, np.zeros(n, np.int64),
        weights.max(axis=1),
    )  # fmt: skip
    tree = Tree.before_its_first_node(edges, k)
    tree.write_curvature(weights / 3 - 7.3 * n * np.eye(n))
    search_tree(tree, edges, 1e-6, 10**5)
    return tree.bound.tolist(), tree.point.tolist()


def results(monkeypatch):
    """Yield what is compared; the relaxation of one set begins at once."""
    rng = np.random.default_rng(0)
    for name, value in (("BEFORE_RELAXATION", 0), ("PER_CUBE_BEFORE_RELAXATION", 0)):
        monkeypatch.setattr(chains, f"ENTRIES_{name}", value)
    yield floats_of_tree(rng, 20, 6)
    alone = {"objective": "mrmr", "n_sets": 1, "max_shared": 2, "conflicts": [(0, 9), (3, 8)]}
    for seed, times in enumerate((4 * 10**6, 13, 1)):
        for k in (5, 8):
            yield of_backend("ksubgraph", seed, times, k=k, previous=[range(k), range(5, 5 + k)], **alone)
        for objective, aggregate in (("univariate", "min"), ("mrmr", "sum"), ("mrmr", "min")):
            several = {"objective": objective, "aggregate": aggregate, "k": 3, "max_shared": 1}
            yield of_backend("packing", seed, times, **several)
        rows = rng.integers(0, 2, (40, 12))
        yield DifferenceSets(consistency_problem(rows, rng.integers(0, 2, 40), rate=0)).of_size(7)


def load_anew():
    """Have each function of the core looked up when it is called next, in the library that is named then."""
    binding._library.cache_clear()
    for function in FUNCTIONS:
        vars(function).pop("_loaded", None)


def hash_with(library, monkeypatch):
    monkeypatch.setenv("PYFSEL_CORE_LIBRARY", str(library))
    load_anew()
    return hashlib.sha256(repr(list(results(monkeypatch))).encode()).hexdigest()


@pytest.fixture(scope="module")
def usual_hash():
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield hash_with(current_library(), monkeypatch)
    load_anew()


@pytest.mark.parametrize("name", COMPILERS)
def test_results_are_the_same_with_each_compiler(name, usual_hash, tmp_path, monkeypatch):
    compiler, optimisation = COMPILERS[name]
    is_there = find_spec("ziglang") if compiler == "zig" else which(compiler)
    if not is_there:
        assert not (IN_CI and compiler == "gcc"), "gcc belongs to the machines of CI"
        pytest.skip(f"{compiler} is not installed")
    command = zig_compiler() if compiler == "zig" else [compiler]
    library = tmp_path / LIBRARY.name
    compile_library(library, command, options=[optimisation])
    assert hash_with(library, monkeypatch) == usual_hash
