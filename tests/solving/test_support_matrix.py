"""The support matrix: what backends say about themselves, its table in the docs, what solving then does."""

import pytest

from pyfsel import Status
from pyfsel.backends import registry
from pyfsel.cli.app import main
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.questions.min_then_sum import min_then_sum
from pyfsel.questions.most_dissimilar import most_dissimilar
from pyfsel.questions.most_sets import most_sets
from pyfsel.questions.support import QUESTIONS as QUESTION_NAMES
from pyfsel.questions.support import question_support
from pyfsel.questions.ties import ties
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


def test_cells_of_special_cases():
    symbols = {(c.backend, c.formulation, c.objective, c.search, c.aggregate): c.symbol for c in CELLS}
    assert symbols["minizinc:gecode", "partition", "fcbf", "simultaneous", "min"] == "exact: disjoint sets"
    assert symbols["minizinc:gecode", "counts", "univariate", "simultaneous", "min"] == "–"
    assert symbols["minizinc:gecode", "pairs", "mrmr", "simultaneous", "min"] == "exact"
    assert symbols["greedy-replacement", "literal", "univariate", "simultaneous", "sum"] == "heuristic"


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


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTION_NAMES)
def test_asking_agrees_with_the_table_of_questions(question):
    """Quick backends are asked; for fractions, counting bounds the number of sets before that."""
    quick = ("brute-force", "cpsat", "ranking", "sorting")
    cells = [c for c in question_support() if c.question == question and c.backend in quick]
    assert {c.objective for c in cells} == set(OBJECTIVES)
    for cell in cells:
        problem = probe(cell.objective, "sum", min_quality=None)
        if cell.reason is None:
            assert asked(question, problem, cell.backend).status is Status.OPTIMAL, cell
        elif (question, cell.backend, cell.objective) == ("most dissimilar, one", "sorting", "univariate"):
            # it solves disjoint sets, the first level that is tried, and these exist here
            assert asked(question, problem, "sorting").largest == asked(question, problem, "cpsat").largest
        elif question != "most sets" or not OBJECTIVES[cell.objective].is_fraction:
            with pytest.raises(InputError):
                asked(question, problem, cell.backend)
        if cell.one_set:
            assert ties(problem.replace(n_sets=1), backend=cell.backend).is_complete


def asked(question, problem, backend):
    options = {"backend": backend}
    if question == "min then sum":
        return min_then_sum(problem, **options)
    if question == "ties":
        return ties(problem, **options)
    if question == "most sets":
        return most_sets(problem, 1, **options)
    search = "sequential" if question.endswith("one") else "simultaneous"
    return most_dissimilar(problem, 1, search=search, **options)


def test_every_question_has_two_independent_backends():
    cells = question_support()
    for question in QUESTION_NAMES:
        for objective in ("univariate", "fcbf", "mrmr", "graph_score"):
            able = [c for c in cells if (c.question, c.objective) == (question, objective)]
            assert sum(bool(c.symbol) for c in able) >= 2, (question, objective)
