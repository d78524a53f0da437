"""Models for families of solvers, and models that print their sets: patterns, and custom ones."""

import pytest
from small_problems import PROBLEM

from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.backends.minizinc.own_model import OwnModel
from pyfsel.errors import FalseClaimError
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

FAMILIES = ("propagation", "linear", "clauses")
PRINTED = """
include "lib/objective.mzn";
aggregated_by = sum;
array[SETS] of var 0..n_features - 1: first;
constraint forall(s, t in SETS where s < t)(first[s] < first[t]);
array[SETS, FEATURES] of bool: selected :: output_only :: add_to_output =
  array2d(SETS, FEATURES,
    [f in {fix(first[s]), (fix(first[s]) + STEP) mod n_features} | s in SETS, f in FEATURES]);
solve minimize sum(first);
"""


@pytest.mark.parametrize(("step", "is_valid"), [(1, True), (3, True), (6, False)])
def test_a_model_of_ones_own_may_print_its_sets(step, is_valid, tmp_path):
    path = tmp_path / "own.mzn"
    path.write_text(PRINTED.replace("STEP", str(step)))
    if not is_valid:  # one feature in place of two: the verifier looks at printed sets as at all others
        with pytest.raises(FalseClaimError):
            solve(PROBLEM, OwnModel(path))
        return
    result = solve(PROBLEM, OwnModel(path))
    assert {frozenset(s) for s in result.sets} == {frozenset((f, (f + step) % 6)) for f in range(3)}
    assert result.model_claim.objective == 3


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_strengthened_depends_on_the_family_of_the_solver(aggregate):
    problem = PROBLEM.replace(aggregate=aggregate)
    chosen = {family: find_model(problem, "strengthened", family).name for family in FAMILIES}
    lean, other = f"simultaneous_{aggregate}_lean", f"simultaneous_{aggregate}"
    assert chosen == {"propagation": other, "linear": lean, "clauses": lean}
    assert {find_model(problem, "propagation", family).name for family in FAMILIES} == {other}
    assert {find_model(problem.replace(n_sets=1), "strengthened", f).name for f in FAMILIES} == {"sequential"}


SMALL = """
int: n_features; int: n_sets; int: k; array[int] of int: quality;
set of int: FEATURES = 0..n_features - 1;
array[1..n_sets, FEATURES] of var bool: selected;
array[FEATURES] of int: worth = array1d(FEATURES, array1d(quality));
constraint forall(s in 1..n_sets)(sum(f in FEATURES)(selected[s, f]) = k);
constraint forall(f in FEATURES)(sum(s in 1..n_sets)(selected[s, f]) <= 1);
var int: total = sum(s in 1..n_sets, f in FEATURES)(worth[f] * selected[s, f]);
constraint total in 0..sum(worth) * n_sets;
solve maximize total;
"""


@pytest.mark.parametrize("factor", [1, 10**7], ids=["small", "large"])
def test_a_model_declares_what_its_question_needs_and_no_more(factor, tmp_path):
    path = tmp_path / "small.mzn"
    path.write_text(SMALL)
    quality = [factor * q for q in (9, 8, 7, 3, 2, 1)]
    problem = Instance(quality=quality, n_sets=2, k=2, max_shared=0)
    result = solve(problem, OwnModel(path))
    assert (result.model_claim.objective, result.integer_objective) == (27 * factor, 27 * factor)
