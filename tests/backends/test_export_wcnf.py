"""WCNF files: readable by others, and solutions find the way back."""

import pytest
from hypothesis import given, settings
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from small_problems import problems

from pyfsel import InputError, Status
from pyfsel.backends.brute_force import BruteForce
from pyfsel.backends.export import export
from pyfsel.backends.maxsat.wcnf import decode_model, wcnf_text
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import total
from pyfsel.results.control import Control
from pyfsel.results.solution_file import verify

FORMULATIONS = ("strengthened", "literal")
EXAMPLE = Instance(
    quality=[9, 1, 8, 7, 3, 2, 1],
    n_sets=2,
    set_size=3,
    max_overlap=1,
    feature_names=["a", "b\nc", "d", "é", "f", "g", "h"],
)


def solve_file(text):
    """Solve the text of a file with plain RC2, which knows nothing of the encoding."""
    wcnf = WCNF(from_string=text)
    with RC2(wcnf) as solver:
        model = solver.compute()
        return model, solver.cost


@pytest.mark.parametrize("formulation", FORMULATIONS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(problem=problems(most_features=6, most_sets=2))
def test_a_file_has_the_optimum_of_the_problem(formulation, problem):
    text = wcnf_text(problem, formulation)
    expected = BruteForce().solve(problem, Control())
    model, cost = solve_file(text)
    if expected.status is Status.INFEASIBLE:
        assert model is None
        return
    line = next(line for line in text.splitlines() if "least cost" in line)
    assert int(line.split()[-4]) - cost == expected.bound
    sets = decode_model(problem, "s OPTIMUM FOUND\nv " + " ".join(map(str, model)) + " 0\n", formulation)
    assert verify(problem, sets) == []
    assert total(problem, sets) == expected.bound


def test_only_wcnf_has_cardinality_encodings():
    assert export(EXAMPLE, "wcnf", cardinality="totalizer") == wcnf_text(EXAMPLE, cardinality="totalizer")
    assert "cardinality encoding totalizer" in export(EXAMPLE, "wcnf", cardinality="totalizer")
    with pytest.raises(InputError, match="cardinality='totalizer': is for wcnf"):
        export(EXAMPLE, "lp", cardinality="totalizer")


def test_every_line_is_a_comment_or_a_clause():
    for line in wcnf_text(EXAMPLE).splitlines():
        kind, *rest = line.split()
        assert kind == "c" or (rest[-1] == "0" and (kind == "h" or int(kind) > 0))
    assert '"b\\nc"' in wcnf_text(EXAMPLE)


def test_unknown_names():
    with pytest.raises(InputError, match="formulation='best': must be one of strengthened, literal"):
        wcnf_text(EXAMPLE, "best")
    with pytest.raises(InputError, match="formulation='best': must be one of strengthened, literal"):
        decode_model(EXAMPLE, "v 1 0", "best")
    with pytest.raises(InputError, match="cardinality='pairwise'"):
        wcnf_text(EXAMPLE, cardinality="pairwise")
