"""FlatZinc files: Gecode, given nothing else, finds the optimum, and its answer is read back."""

import random
import subprocess

import pytest
from random_instances import random_instance

from pyfsel.backends import get_backend
from pyfsel.backends.decode import decode
from pyfsel.backends.export import export
from pyfsel.backends.minizinc import flatzinc
from pyfsel.cli.app import main
from pyfsel.drivers.minizinc import installed
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.results.control import Control

EXAMPLE = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)


def solved(path):
    run = subprocess.run(["fzn-gecode", path], capture_output=True, text=True, timeout=60, check=True)
    return run.stdout


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("objective", "formulation"),
    [("univariate", "literal"), ("fcbf", None), ("mrmr", "pairs"), ("univariate", "pool")],
)
def test_its_optimum_is_that_of_brute_force(tmp_path, objective, formulation, seed):
    problem = Instance.from_dict(random_instance(random.Random(seed), objective))
    best = get_backend("brute-force").solve(problem, Control())
    path = tmp_path / "p.fzn"
    path.write_text(export(problem, "fzn", formulation))
    printed = solved(path)
    if best.sets is None:
        assert "UNSATISFIABLE" in printed
    else:
        assert total(problem, decode(problem, printed)) == total(problem, best.sets)


def test_the_commands_write_it_and_read_an_answer(tmp_path, capsys):
    instance, file, answer = (tmp_path / name for name in ("p.json", "p.fzn", "answer"))
    EXAMPLE.save(instance)
    assert main(["export", str(instance), "-o", str(file)]) == 0
    answer.write_text(solved(file))
    assert main(["decode", str(instance), str(answer), "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + EXAMPLE.n_sets


def test_what_no_model_takes_is_refused(monkeypatch):
    with pytest.raises(InputError, match="formulation='loose': fzn has strengthened, propagation, literal"):
        export(EXAMPLE, "fzn", "loose")
    with pytest.raises(InputError, match="a partition needs disjoint sets"):
        export(EXAMPLE, "fzn", "partition")
    monkeypatch.setattr(flatzinc, "minizinc_missing", lambda: installed.NO_MINIZINC)
    with pytest.raises(InputError, match=installed.NO_MINIZINC[:20]):
        export(EXAMPLE, "fzn")
