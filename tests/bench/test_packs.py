"""Packs: what collections and competitions ask for, read by the tools that they name."""

import csv
import re
import shutil
import subprocess

import pytest

from pyfsel import InputError
from pyfsel.backends.minizinc.dzn import problem_of_dzn
from pyfsel.bench import packs
from pyfsel.bench.instances import Request
from pyfsel.bench.packs import PACKS, write_pack
from pyfsel.cli.app import main
from pyfsel.solvers.minizinc.installed import SOLVERS
from pyfsel.solving.solve import solve

MINIZINC = pytest.mark.skipif(SOLVERS[0].missing() is not None, reason="MiniZinc is not installed")
REQUEST = Request(n_features=12, k=3, n_alternatives=1)


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(packs, "N_INSTANCES", 3)


def known_of(path):
    return {row["instance"]: row for row in csv.DictReader(path.open())}


@pytest.mark.parametrize("pack", PACKS)
def test_packs_have_a_toy_instances_and_their_best_values(pack, tmp_path):
    path = write_pack(pack, "uniform", REQUEST, tmp_path)
    known = known_of(path)
    assert list(known) == ["toy", "01", "02", "03"]
    assert [row["difficulty"] for row in known.values()] == ["0.0", "0.0", "0.5", "1.0"]
    assert all(row["status"] == "OPTIMAL" and row["objective"] == row["bound"] for row in known.values())
    files = [file for file in tmp_path.rglob("*") if file.stem in known]
    assert len(files) == 4
    assert all("SPDX-License-Identifier: MIT" in file.read_text() for file in files)
    assert all("made by pyfsel generate uniform: seed" in file.read_text() for file in files)


@MINIZINC
def test_one_model_without_other_files_proves_the_known_values(tmp_path):
    known = known_of(write_pack("minizinc-challenge", "uniform", REQUEST, tmp_path))
    (model,) = tmp_path.glob("*.mzn")
    for name in ("toy", "02"):
        command = ["minizinc", "--solver", "gecode", model.name, f"{name}.dzn"]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert "==========" in printed
        assert re.findall(r"as an integer: (\d+)", printed)[-1] == known[name]["objective"]
    problem, _ = problem_of_dzn((tmp_path / "02.dzn").read_text(), "02.dzn")
    assert solve(problem, search="simultaneous").integer_objective == int(known["02"]["objective"])


def test_wcnf_has_hard_lines_and_its_optimum_is_the_known_value(tmp_path):
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    known = known_of(write_pack("maxsat", "uniform", REQUEST, tmp_path))
    text = (tmp_path / "02.wcnf").read_text()
    assert re.search(r"^h ", text, re.MULTILINE)
    assert not re.search(r"^p ", text, re.MULTILINE)
    with RC2(WCNF(from_file=str(tmp_path / "02.wcnf"))) as solver:
        assert solver.compute()
        cost = solver.cost
    (largest,) = re.findall(r"largest integer objective = (\d+) - least cost", text)
    assert int(largest) - cost == int(known["02"]["objective"])


@pytest.mark.skipif(shutil.which("clasp") is None, reason="apt-get install clasp")
def test_another_pseudo_boolean_solver_proves_the_known_values(tmp_path):
    known = known_of(write_pack("pb", "uniform", REQUEST, tmp_path))
    for name, row in known.items():
        command = ["clasp", f"{name}.opb"]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
        assert "s OPTIMUM FOUND" in printed
        assert re.findall(r"^o (-?\d+)", printed, re.MULTILINE)[-1] == f"-{row['objective']}"


def test_the_first_line_of_opb_says_its_size(tmp_path):
    known = known_of(write_pack("pb", "uniform", REQUEST, tmp_path))
    text = (tmp_path / "02.opb").read_text()
    found = re.match(r"\* #variable= (\d+) #constraint= (\d+)\n", text)
    rows = [line for line in text.splitlines() if line.endswith(";") and not line.startswith("min:")]
    assert int(found[2]) == len(rows)
    assert max(int(x) for x in re.findall(r"x(\d+)", text.split("min:")[1])) == int(found[1])
    assert known["02"]["by"]


def test_what_cannot_be_packed_is_said_before_anything_is_solved(tmp_path, capsys):
    with pytest.raises(InputError, match="pack='x': must be one of csplib"):
        write_pack("x", "uniform", REQUEST, tmp_path)
    with pytest.raises(InputError, match="makes tables, not problems"):
        write_pack("pb", "parity", Request(), tmp_path)
    assert not list(tmp_path.iterdir())
    assert main(["generate", "uniform", "-n", "9", "-k", "2", "--pack", "csplib", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "specification.md").read_text().startswith("---\nTitle: Alternative feature selection")
    assert (tmp_path / "results" / "best_known.csv").exists()
    assert "results/best_known.csv" in capsys.readouterr().out
