"""OPB files: read by a reader of this test and solved by CP-SAT, they have the optimum of brute force."""

import random
import re
import sys
from pathlib import Path

import pytest
from conformance import optimum
from fake_pseudo_boolean import solved
from fuzzing.domain import whole_domain_problem

from pyfsel.backends.decode import read_sets as decode
from pyfsel.backends.export import export
from pyfsel.backends.maxsat.encoding import FORMULATIONS
from pyfsel.backends.maxsat.program import MaxSat
from pyfsel.cli.app import main
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.solving.solve import solve


@pytest.mark.parametrize("seed", range(60))
def test_its_optimum_is_that_of_brute_force(seed):
    rng = random.Random(seed)
    problem, formulation = whole_domain_problem(rng, ["facility_location"]), rng.choice(FORMULATIONS)
    best, text = optimum(problem), export(problem, "opb", formulation)
    answer = solved(text)
    assert (answer is None) == (best is None)
    if answer is not None:
        constant = int(re.search(r"objective = (-?\d+) - least cost", text)[1])
        assert constant - answer[0] == best
        assert total(problem, decode(problem, answer[1])) == best


def test_commands_write_it_and_read_a_model(tmp_path, capsys):
    instance, file, model = (tmp_path / name for name in ("i.json", "i.opb", "model"))
    Instance(quality=[3, 2, 1], n_sets=2, set_size=1, max_overlap=0).save(instance)
    assert main(["export", str(instance), str(file)]) == 0
    model.write_text(solved(file.read_text())[1])
    assert main(["check", str(instance), str(model)]) == 0
    assert "2 sets" in capsys.readouterr().out


def test_what_it_cannot_say_is_refused():
    problem = Instance([3, 2], n_sets=1, set_size=1, max_overlap=1)
    with pytest.raises(InputError, match="must be one of strengthened, literal"):
        export(problem, "opb", "other")
    for objective in ("cfs", "r2"):
        fraction = problem.replace(objective=objective, redundancy=[[0, 1], [1, 0]], scale=3)
        with pytest.raises(InputError, match=f"objective {objective} has no 0/1 model"):
            export(fraction, "opb")
    with pytest.raises(InputError, match="nothing about variable 2"):
        decode(problem, "v x1")


FAKE = Path(__file__).parents[1] / "fake_pseudo_boolean.py"


@pytest.mark.parametrize(
    ("lie", "evidence"),
    [("", ""), ("cost", "states the objective 49"), ("model", "1 feature"), ("infeasible", "found by")],
)
def test_a_program_solves_it_and_its_lies_do_not_pass(lie, evidence):
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
    backend = MaxSat.of_command(f"'{sys.executable}' '{FAKE}' '{lie}' {{opb}}")
    assert backend.name == "pb:command"
    if evidence:
        with pytest.raises(FalseClaimError, match=evidence):
            solve(problem, backend, search="simultaneous")
        return
    result = solve(problem, backend, search="simultaneous")
    assert (result.status, result.objective) == ("OPTIMAL", 48)
