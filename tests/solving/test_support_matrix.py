"""The support matrix: what backends say about themselves, its table in the docs, what solving then does."""

import pytest

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.solving.sequential import reason_against
from pyfsel.solving.solve import solve
from pyfsel.solving.support import CHANGES, QUESTIONS, probe, taken_objectives

QUICK = ("brute-force", "cpsat", "greedy-replacement", "ksubgraph", "packing", "sorting")
"""The others do not differ in what this table is about."""


def test_the_table_in_the_docs_is_what_the_command_writes(run):
    committed = (models_dir() / "SUPPORT.md").read_text("utf-8")
    assert committed == run("models --support", 0).out, "run: pyfsel models --support > models/SUPPORT.md"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_two_exact_backends_take_every_combination_and_quick_ones_solve_what_they_take(objective):
    for question, (search, aggregate) in QUESTIONS.items():
        problem, able = probe(objective, aggregate), set()
        for name, backend in registry().items():
            for formulation in backend.formulations:
                is_taken = reason_against(backend, formulation, search, problem) is None
                able |= {name} if is_taken and backend.exact else set()
                if name in QUICK and is_taken:
                    status = Status.OPTIMAL if backend.exact else Status.FEASIBLE
                    assert solve(problem, name, search, formulation=formulation).status is status
                elif name in QUICK:
                    with pytest.raises(InputError):
                        solve(problem, name, search, formulation=formulation)
        is_refused = search == "simultaneous" and not OBJECTIVES[objective].simultaneous
        assert not able if is_refused else len(able) >= 2, (objective, question)


@pytest.mark.parametrize("constraint", SIDE_CONSTRAINTS)
def test_side_constraints_in_the_table_are_solved(constraint):
    """Backends of the table solve a problem with the constraint, and the others refuse it."""
    problem = probe("univariate", "sum", **CHANGES[constraint])
    able = {"brute-force": True, "cpsat": True, "packing": None, "ranking": constraint == "forbidden"}
    for name, expected in able.items():
        taken = "univariate" in taken_objectives(registry()[name], CHANGES[constraint])
        assert expected in (None, taken)
        if taken:
            assert solve(problem, name, search="simultaneous").status is Status.OPTIMAL
        else:
            with pytest.raises(InputError):
                solve(problem, name, search="simultaneous")
