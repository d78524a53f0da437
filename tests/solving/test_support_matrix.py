"""The support matrix: what backends say about themselves, its table in the docs, what solving then does."""

import pytest

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.cli.app import main
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.solving.solve import solve
from pyfsel.solving.support import CHANGES, QUESTIONS, probe, support_matrix, taken_objectives

CELLS = support_matrix()


def test_the_table_in_the_docs_is_what_the_command_writes(capsys):
    committed = (models_dir() / "SUPPORT.md").read_text(encoding="utf-8")
    assert main(["models", "--support"]) == 0
    assert committed == capsys.readouterr().out, "run: pyfsel models --support -o models/SUPPORT.md"


def test_every_combination_has_a_cell():
    found = {(c.objective, c.search, c.aggregate, c.backend, c.formulation) for c in CELLS}
    assert len(found) == len(CELLS)
    assert found == {
        (objective, *question, name, formulation)
        for objective in OBJECTIVES
        for question in QUESTIONS
        for name, backend in registry().items()
        for formulation in backend.formulations
    }


def test_every_combination_of_the_papers_has_two_exact_backends():
    for objective in OBJECTIVES:
        for search, aggregate in QUESTIONS:
            asked = (objective, search, aggregate)
            able = {
                c.backend
                for c in CELLS
                if (c.objective, c.search, c.aggregate) == asked and c.exact and c.reason is None
            }
            if search == "simultaneous" and not OBJECTIVES[objective].simultaneous:
                assert not able, (asked, able)
            else:
                assert len(able) >= 2, (asked, able)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_solving_agrees_with_the_cells(objective):
    """Quick backends are run; the others do not differ in what this table is about."""
    quick = ("brute-force", "cpsat", "greedy-replacement", "ksubgraph", "packing", "sorting")
    for cell in (c for c in CELLS if c.objective == objective and c.backend in quick):
        problem = probe(objective, cell.aggregate)
        if cell.reason is None:
            result = solve(problem, cell.backend, cell.search, formulation=cell.formulation)
            assert result.sets
            assert result.status is (Status.OPTIMAL if cell.exact else Status.FEASIBLE)
        else:
            with pytest.raises(InputError):
                solve(problem, cell.backend, cell.search, formulation=cell.formulation)


@pytest.mark.parametrize("constraint", SIDE_CONSTRAINTS)
def test_side_constraints_in_the_table_are_solved(constraint):
    """Backends of the table solve a problem with the constraint, and the others refuse it."""
    for name in ("brute-force", "cpsat", "packing", "ranking"):
        taken = taken_objectives(registry()[name], CHANGES[constraint])
        problem = probe("univariate", "sum", **CHANGES[constraint])
        if "univariate" in taken:
            assert solve(problem, name, search="simultaneous").status is Status.OPTIMAL
        else:
            with pytest.raises(InputError):
                solve(problem, name, search="simultaneous")
    assert "univariate" in taken_objectives(registry()["cpsat"], CHANGES[constraint])
    taken_by_ranking = taken_objectives(registry()["ranking"], CHANGES[constraint])
    assert ("univariate" in taken_by_ranking) == (constraint == "forbidden")
