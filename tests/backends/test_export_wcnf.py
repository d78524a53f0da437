"""WCNF files: plain RC2 finds the optimum of brute force, and its solutions find the way back."""

import re
from random import Random

import pytest
from conformance import is_solution, optimum, total_of
from fuzzing.domain import whole_domain_problem
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

from pyfsel.backends.export import export
from pyfsel.backends.maxsat.encoding import FORMULATIONS
from pyfsel.backends.maxsat.wcnf import decode_model, wcnf_text
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance


@pytest.mark.parametrize("seed", range(24))
def test_a_file_has_the_optimum_of_the_problem(seed):
    random = Random(seed)
    problem, formulation = whole_domain_problem(random), random.choice(FORMULATIONS)
    best, text = optimum(problem), wcnf_text(problem, formulation)
    with RC2(WCNF(from_string=text)) as solver:
        model, cost = solver.compute(), solver.cost
    assert (model is None) == (best is None)
    if model:
        assert int(re.search(r"(-?\d+) - least cost", text)[1]) - cost == best
        sets = decode_model(problem, f"v {' '.join(map(str, model))} 0\n", formulation)
        assert is_solution(problem, sets)
        assert total_of(problem, sets) == best


EXAMPLE = Instance(
    quality=[9, 1, 8, 7, 3, 2, 1],
    n_sets=2,
    k=3,
    max_shared=1,
    feature_names=["a", "b\nc", "d", "é", "f", "g", "h"],
)


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
