"""Packs: what collections and competitions ask for, read by the tools that they name."""

import csv
import re
import shutil
from functools import cache

import pytest
from running import ended

from pyfsel import InputError
from pyfsel.backends.minizinc.dzn import problem_of_dzn
from pyfsel.bench import packs
from pyfsel.bench.instances import Request
from pyfsel.bench.packs import PACKS, write_pack
from pyfsel.drivers.minizinc.installed import SOLVERS
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

MINIZINC = pytest.mark.skipif(SOLVERS[0].missing() is not None, reason="MiniZinc is not installed")
REQUEST = Request(n_features=12, k=3, n_sets=2)
PARTS = Request(k=2, n_sets=3)


@pytest.fixture(scope="module", autouse=True)
def _few():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"N_INSTANCES": 3, "N_LEVELS": 6, "SEEDS_PER_LEVEL": 1, "EASIEST": 0.0}.items():
            patch.setattr(packs, name, value)
        yield


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Write a pack once; return its family, its folder, and what is known of its instances by their names."""

    @cache
    def write(pack):
        folder = tmp_path_factory.mktemp(pack)
        family, request = ("partition", PARTS) if pack == "maxsat" else ("uniform", REQUEST)
        with write_pack(pack, family, request, folder).open() as file:
            return family, folder, {row["instance"]: row for row in csv.DictReader(file)}

    return write


@pytest.mark.parametrize("pack", PACKS)
def test_packs_have_a_toy_instances_and_their_best_values(pack, packed):
    family, folder, known = packed(pack)
    assert [name for name in known if name != "toy"] == ["01", "02", "03"]
    ladder = [row for name, row in known.items() if name != "toy"]
    assert len({(row["n_features"], row["n_sets"]) for row in ladder}) >= 2
    assert all(float(row["seconds_cpsat"]) > 0 and float(row["seconds_mip:highs"]) > 0 for row in ladder)
    assert all(row["status"] == "OPTIMAL" and row["objective"] == row["bound"] for row in known.values())
    files = [file for file in folder.rglob("*") if file.stem in known]
    assert len(files) == len(known)
    assert all("SPDX-License-Identifier: MIT" in file.read_text() for file in files)
    assert all(f"made by pyfsel generate {family}: version" in file.read_text() for file in files)


@MINIZINC
def test_one_model_without_other_files_proves_the_known_values(packed):
    _, folder, known = packed("minizinc-challenge")
    (model,) = folder.glob("*.mzn")
    toy = "toy.dzn"  # the others can take it minutes
    printed = ended("minizinc", "--solver", "gecode", model.name, toy, cwd=folder, check=True).stdout
    assert "==========" in printed
    assert re.findall(r"objective = (\d+)", printed)[-1] == known["toy"]["objective"]
    problem, _ = problem_of_dzn((folder / "02.dzn").read_text())
    assert solve(problem, search="simultaneous").integer_objective == int(known["02"]["objective"])


def test_wcnf_has_hard_lines_and_a_positive_cost_of_the_known_value(packed):
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    _, folder, known = packed("maxsat")
    for name, row in known.items():
        text = (folder / f"{name}.wcnf").read_text()
        assert re.search(r"^h ", text, re.MULTILINE)
        assert not re.search(r"^p ", text, re.MULTILINE)
        with RC2(WCNF(from_string=text)) as solver:
            assert solver.compute()
            cost = solver.cost
        assert cost > 0
        if name == "02":
            (largest,) = re.findall(r"largest integer objective = (-?\d+) - least cost", text)
            assert int(largest) - cost == int(row["objective"])


@pytest.mark.skipif(shutil.which("clasp") is None, reason="apt-get install clasp")
def test_another_pseudo_boolean_solver_proves_the_known_values(packed):
    _, folder, known = packed("pb")
    for name, row in known.items():
        printed = ended("clasp", f"{name}.opb", cwd=folder).stdout
        assert "s OPTIMUM FOUND" in printed
        assert re.findall(r"^o (-?\d+)", printed, re.MULTILINE)[-1] == f"-{row['objective']}"


def result_of(seconds):
    problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    return Result(problem, ((0,),), Status.OPTIMAL, 3, "x", "simultaneous", seconds, StopReason.FINISHED)


@pytest.mark.parametrize("n", [1, 3, 7, 40])
def test_the_ladder_is_spread_evenly_in_ratios_and_ends_with_the_hardest(n):
    made = [
        packs.Packed(str(i), {}, {"a": result_of(0.1 * 2**i), "b": result_of(0.1 * 2**i)}) for i in range(n)
    ]
    chosen = [int(one.name) for one in packs._spread(iter(made[::-1]))]
    assert chosen == ([*range(n)] if n <= 3 else [0, *chosen[1:-1], n - 1])
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(n, 3)
    assert n <= 3 or abs(chosen[1] - (n - 1) / 2) <= 0.5


def test_what_cannot_be_packed_is_said_before_anything_is_solved(tmp_path, run):
    with pytest.raises(InputError, match="pack='x': must be one of maxsat"):
        write_pack("x", "uniform", REQUEST, tmp_path)
    with pytest.raises(InputError, match="makes tables, not problems"):
        write_pack("pb", "parity", Request(), tmp_path)
    assert not list(tmp_path.iterdir())
    assert "best_known.csv" in run(f"generate uniform --n-features 9 -k 2 -o {tmp_path} --pack pb", 0).out
    assert (tmp_path / "best_known.csv").exists()
