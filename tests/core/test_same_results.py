"""One hash of the results of all searches that use the core, whatever the compiler does with it.

Sets, bounds and all that is counted on the way, of random problems with ties, zeros, both signs and limits,
and floats to the last bit. What the others are held against is the library itself: -O3, with gcc where that
is the compiler of the system.
"""

import hashlib
import os
import sys
from importlib.util import find_spec
from itertools import combinations
from shutil import which

import numpy as np
import pytest
from test_binding import FUNCTIONS

from pyfsel.algorithms.ksubgraph import chains
from pyfsel.algorithms.ksubgraph.concave_bound import Tree, search_tree
from pyfsel.algorithms.ksubgraph.heavy_chains import Pairs
from pyfsel.backends import get_backend
from pyfsel.core import binding
from pyfsel.core.building import LIBRARY, compile_library, current_library, zig_compiler
from pyfsel.papers.consistency.branching import DifferenceSets
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control

COMPILERS = {
    "gcc -O0": ["gcc", "-O0"],
    "clang": ["clang", "-O3"],
    "zig": ["zig", "-O3"],
}
IN_CI = os.environ.get("CI") == "true" and sys.platform == "linux"
SPREADS = (1, 20, 10**6)


def pairs(rng, n, spread):
    upper = np.triu(rng.integers(-spread, spread + 1, (n, n)), 1)
    return upper + upper.T


def one_set(rng, spread):
    """Return an mRMR problem of one set, with conflicts and previous sets."""
    n, k = int(rng.integers(20, 45)), int(rng.integers(3, 9))
    all_pairs = list(combinations(range(n), 2))
    return Instance(
        rng.integers(-spread, spread + 1, n), 1, k, int(rng.integers(1, k + 1)), objective="mrmr",
        pairs=pairs(rng, n, spread),
        conflicts=[all_pairs[i] for i in rng.choice(len(all_pairs), 5, replace=False)],
        previous=[rng.choice(n, k, replace=False).tolist() for _ in range(2)],
    )  # fmt: skip


def several_sets(rng, spread, objective):
    n, k = int(rng.integers(8, 12)), int(rng.integers(3, 5))
    redundancy = {"univariate": None, "mrmr": pairs(rng, n, spread)}[objective]
    return Instance(
        rng.integers(0, spread + 1, n), 3, k, int(rng.integers(0, k)), objective=objective,
        aggregate=str(rng.choice(["sum", "min"])), pairs=redundancy,
    )  # fmt: skip


def of_backend(name, problem):
    answer = get_backend(name).solve(problem, Control())
    return answer.status.name, answer.sets, answer.bound, sorted(answer.statistics.items())


def floats_of_tree(rng, n, k):
    """Return the bounds and the points of some nodes below a function whose H is diagonally dominant."""
    weights, nothing = pairs(rng, n, 20), np.zeros(0, np.int64)
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
    for spread in SPREADS:
        for _ in range(2):
            yield of_backend("ksubgraph", one_set(rng, spread))
        for objective in ("univariate", "mrmr"):
            yield of_backend("packing", several_sets(rng, spread, objective))
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
