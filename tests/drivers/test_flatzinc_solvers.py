"""The bridge with every solver: the protocol, and exactness."""

import io
import random
import sys
import time
from itertools import product

import pytest
from flatzinc_runs import SOLVERS, solve, values

from pyfsel.drivers.linear import cbc, connection, scip
from pyfsel.drivers.linear.cbc import CbcProgram
from pyfsel.drivers.linear.connection import Settings
from pyfsel.drivers.linear.exact import Bounds, exact_solution, satisfies
from pyfsel.drivers.linear.installed import missing
from pyfsel.drivers.linear.model import LinearModel, Row
from pyfsel.drivers.linear.ortools import OrTools
from pyfsel.drivers.minizinc.bridge.linear import linearise
from pyfsel.drivers.minizinc.bridge.parser import parse
from pyfsel.drivers.minizinc.bridge.protocol import Reporter
from pyfsel.drivers.minizinc.bridge.run import run
from pyfsel.errors import InputError

KNAPSACK = """
var 0..20: value :: output_var;
var bool: a; var bool: b; var bool: c;
array [1..3] of var bool: chosen :: output_array([0..0, 1..3]) = [a, b, c];
constraint int_lin_eq([5, 4, 3, -1], [a, b, c, value], 0);
constraint int_lin_le([2, 3, 1], [a, b, c], 5);
solve maximize value;
"""
MIP = [name for name in SOLVERS if name != "cpsat"]


@pytest.mark.parametrize("name", SOLVERS)
def test_is_installed(name):
    assert missing(name) is None


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    "options", [(), ("-a", "-p", "1", "-r", "3", "-f", "-n", "1"), ("-i", "-t", "60000")]
)
def test_optimum(name, options, tmp_path):
    code, output, _ = solve(name, KNAPSACK, tmp_path / "model.fzn", *options)
    assert code == 0
    assert output.endswith(
        "value = 9;\nchosen = array2d(0..0, 1..3, [true, true, false]);\n----------\n==========\n"
    )
    found = values(output, "value")
    assert found == sorted(set(found))
    assert len(found) == 1 or options


@pytest.mark.parametrize("name", SOLVERS)
def test_statistics(name, tmp_path):
    _, output, _ = solve(name, KNAPSACK, tmp_path / "model.fzn", "-s")
    statistics = dict(
        line.removeprefix("%%%mzn-stat: ").split("=") for line in output.splitlines() if "mzn-stat: " in line
    )
    assert statistics["objective"] == statistics["objectiveBound"] == "9"
    assert statistics["variables"] == "4"
    assert int(statistics["nodes"]) >= 0
    assert float(statistics["solveTime"]) > 0
    assert output.endswith("%%%mzn-stat-end\n")


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "var 0..9: x; var 0..9: y; constraint int_lin_eq([2,2],[x,y],3); solve maximize x;",
            "UNSATISFIABLE",
        ),
        ("var 0..9: x; constraint int_le(11, x); solve satisfy;", "UNSATISFIABLE"),
        ("var 5..3: x; solve satisfy;", "UNSATISFIABLE"),
        ("var {}: x; solve minimize x;", "UNSATISFIABLE"),
        ("constraint int_le(2, 1); solve satisfy;", "UNSATISFIABLE"),
    ],
)
def test_infeasible(name, text, expected, tmp_path):
    assert solve(name, text, tmp_path / "model.fzn") == (0, f"====={expected}=====\n", "")


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("var {2,5,9}: x :: output_var; constraint int_le(x, 8); solve maximize x;", "x = 5;"),
        ("var -7..-2: x :: output_var; solve minimize x;", "x = -7;"),
        ("var -9..9: x :: output_var; constraint set_in(x, {-4, 3}); solve minimize x;", "x = -4;"),
        ("var bool: x :: output_var; var bool: y; constraint bool_not(x, y); solve minimize y;", "x = true;"),
        ("var 1..4: x :: output_var; solve maximize 3;", None),
        (
            "array [1..2] of int: a :: output_array([1..2]) = [4, 6]; solve minimize 1;",
            "a = array1d(1..2, [4, 6]);",
        ),
    ],
)
def test_optima(name, text, expected, tmp_path):
    code, output, _ = solve(name, text, tmp_path / "model.fzn")
    assert code == 0
    assert output.endswith("----------\n==========\n")
    assert expected is None or expected in output.splitlines()


@pytest.mark.parametrize("name", SOLVERS)
def test_satisfaction_prints_one_solution_and_claims_no_more(name, tmp_path):
    text = "var 0..9: x :: output_var; var 0..9: y :: output_var; constraint int_lt(x, y); solve satisfy;"
    for options in ((), ("-a",), ("-n", "1"), ("-n", "2"), ("-i",)):
        code, output, errors = solve(name, text, tmp_path / "model.fzn", *options)
        assert code == 0
        assert ("prints one solution" in errors) == (options in (("-a",), ("-n", "2")))
        assert output.endswith("----------\n")
        assert values(output, "x")[0] < values(output, "y")[0]
        assert output.count("----------") == 1


@pytest.mark.parametrize("name", MIP)
def test_floats_and_unbounded_variables(name, tmp_path):
    text = """
    var float: x :: output_var; var int: y :: output_var;
    constraint float_lin_le([2.0, 1.0], [x, y], 7.5);
    constraint float_le(0.5, x); constraint int_le(y, 3); constraint float_lin_le([-1.0, 0.0], [x, x], 0.0);
    solve maximize y;
    """
    code, output, _ = solve(name, text, tmp_path / "model.fzn")
    assert code == 0
    assert values(output, "y") == [3]
    unbounded = "var int: y :: output_var; var 0..3: x; constraint int_le(x, y); solve maximize y;"
    _, output, _ = solve(name, unbounded, tmp_path / "model.fzn")
    assert output.splitlines()[-1] in ("=====UNBOUNDED=====", "=====UNSATorUNBOUNDED=====")


def test_a_solver_that_cannot_tell_infeasible_from_unbounded():
    for high, ending in ((9, "UNSATISFIABLE"), (None, "UNSATorUNBOUNDED")):
        stream = io.StringIO()
        linear = LinearModel([0], [high], [True], goal=1, objective=0)
        reporter = Reporter(parse("solve satisfy;"), linear, stream, False, False, 0.0)
        reporter.finish(connection.Outcome.INFEASIBLE_OR_UNBOUNDED)
        assert stream.getvalue() == f"====={ending}=====\n"


def test_cpsat_finds_bounds_and_names_what_it_lacks(tmp_path):
    path = tmp_path / "model.fzn"
    bounded = "var int: y :: output_var; constraint int_le(y, 3); constraint int_le(-2, y); solve minimize y;"
    assert solve("cpsat", bounded, path) == (0, "y = -2;\n----------\n==========\n", "")
    for text, lacks in [
        ("var int: y; constraint int_le(y, 3); solve minimize y;", "y is an integer without bounds"),
        ("var 0.0..1.0: y; solve minimize y;", "y is a float variable"),
        ("var 0..1: y; constraint float_lin_le([0.5], [y], 1.0); solve minimize y;", "float coefficients"),
        (f"var 0..{2**51}: y; solve minimize y;", "2^50"),
    ]:
        code, output, errors = solve("cpsat", text, path)
        assert (code, output) == (1, "=====ERROR=====\n")
        assert lacks in errors


@pytest.mark.parametrize(("goal", "best"), [("maximize", 7), ("minimize", 0)])
def test_cpsat_takes_coefficients_of_any_size(goal, best, tmp_path):
    """Of a and b one only may be 1: their sum would be 2^63 + 1."""
    text = (
        "var 0..1: a; var 0..1: b; var 0..99: y :: output_var;"
        f"constraint int_lin_le([{2**62}, {2**62 + 1}], [a, b], {2**62 + 1});"
        f"constraint int_lin_eq([5, 7, -1], [a, b, y], 0); solve {goal} y;"
    )
    assert solve("cpsat", text, tmp_path / "model.fzn") == (0, f"y = {best};\n----------\n==========\n", "")


@pytest.mark.parametrize("name", MIP)
def test_numbers_that_floats_cannot_hold_are_refused(name, tmp_path):
    text = f"var 0..1: x; var int: y; constraint int_lin_le([{2**53 + 1}, 1], [x, y], 3); solve maximize y;"
    code, output, errors = solve(name, text, tmp_path / "model.fzn")
    assert (code, output) == (1, "=====ERROR=====\n")
    assert "2^53" in errors


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("scale", [1, 10**6, 10**9])
def test_large_coefficients_are_exact(name, scale, tmp_path):
    """The last digit decides, and no row may be violated by less than the solver's tolerance."""
    gains = [scale * 7 + i for i in range(12)]
    names = [f"x{i}" for i in range(12)]
    text = "".join(f"var 0..1: {n} :: output_var;\n" for n in names)
    text += f"var 0..{sum(gains)}: z :: output_var;\n"
    text += f"constraint int_lin_eq({[*gains, -1]}, [{','.join(names)},z], 0);\n"
    text += f"constraint int_lin_le({[1] * 12}, [{','.join(names)}], 5);\nsolve maximize z;"
    _, output, _ = solve(name, text, tmp_path / "model.fzn")
    assert values(output, "z") == [sum(gains[-5:])]
    assert output.endswith("==========\n")


def knapsack_reporter():
    model = parse(KNAPSACK)
    stream = io.StringIO()
    return Reporter(model, linearise(model), stream, True, True, 0.0), stream


def test_wrong_solutions_are_never_printed():
    reporter, stream = knapsack_reporter()
    assert not reporter.solution([12, 1, 1, 1])
    assert not reporter.solution([float("nan"), 0, 0, 0])
    assert not reporter.solution([float("inf"), 0, 0, 0])
    reporter.finish(connection.Outcome.OPTIMAL, 12.0)
    assert "----------" not in stream.getvalue()
    assert "=====UNKNOWN=====" in stream.getvalue()


def test_a_value_within_the_tolerance_is_corrected_and_its_claim_not_believed():
    reporter, stream = knapsack_reporter()
    assert reporter.solution([10.0, 0.9999999, 1, 0])
    reporter.finish(connection.Outcome.OPTIMAL, 10.0)
    assert values(stream.getvalue(), "value") == [9]
    assert "==========" not in stream.getvalue()


def test_bounds_are_rounded_to_the_safe_side():
    for goal, bound, expected in (
        (1, 9.00000001, 9),
        (1, 9.4, 9),
        (1, 8.9999999, 9),
        (-1, 8.6, 9),
        (-1, 9.0000001, 9),
    ):
        model = LinearModel([0], [20], [True], [], goal, 0)
        reporter = Reporter(parse("var 0..20: x; solve satisfy;"), model, io.StringIO(), True, True, 0.0)
        reporter.take_bound(bound)
        assert reporter.bound == expected
        reporter.take_bound(float("inf"))
        assert reporter.bound == expected


def test_bounds_are_printed_as_they_come():
    stream = io.StringIO()
    linear = LinearModel([0], [9], [True], goal=1, objective=0)
    long_ago = time.monotonic() - 60
    reporter = Reporter(parse("solve satisfy;"), linear, stream, True, True, long_ago)
    reporter.take_bound(8.5)
    assert stream.getvalue() == "%%%mzn-stat: objectiveBound=8\n%%%mzn-stat-end\n"
    reporter.take_bound(7.5)
    reporter.take_bound(6.5)
    assert "objectiveBound=7" not in stream.getvalue()
    reporter.solution([3])
    assert stream.getvalue().endswith("objectiveBound=6\n%%%mzn-stat-end\n----------\n")


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
def test_a_machine_that_is_full_is_named_in_words(error, tmp_path, monkeypatch, capsys):
    def fail(thread):
        raise error

    monkeypatch.setattr("threading.Thread.start", fail)
    path = tmp_path / "model.fzn"
    path.write_text(KNAPSACK)
    stream = io.StringIO()
    assert run("cbc", [str(path)], stream) == 1
    assert stream.getvalue() == "=====ERROR=====\n"
    assert capsys.readouterr().err == f"pyfsel-fzn-cbc: {str(error) or 'MemoryError'}\n"


def test_completion_respects_every_row():
    text = """
    var 0..1: a; var 0..1: b; var 0..2: count; var 0..100: z;
    constraint int_lin_eq([1, 1, -1], [a, b, count], 0);
    constraint int_lin_le([-40, -1, 1], [count, a, z], 0);
    solve maximize z;
    """
    model = linearise(parse(text))
    exact = exact_solution(model, [1, 0, 1, 41.9])
    assert exact == [1, 0, 1, 41]
    assert satisfies(model, exact)
    assert exact_solution(model, [1, 1, 1.2, 0]) == [1, 1, 2, 81]


def test_the_objective_gets_the_best_value_that_the_other_columns_allow():
    rows = "constraint int_lin_le([2, -7], [z, a], 0); constraint int_lin_le([2, -5, -1], [z, b, a], 0);"
    model = linearise(parse(f"var 0..1: a; var 0..1: b; var 0..9: z; {rows} solve maximize z;"))
    assert exact_solution(model, [1, 1, 0]) == [1, 1, 3]
    assert exact_solution(model, [1, 0, 0]) == [1, 0, 0]
    rows = "constraint int_lin_le([-2, 7], [z, a], 0);"
    model = linearise(parse(f"var 0..1: a; var 0..9: z; {rows} solve minimize z;"))
    assert exact_solution(model, [1, 9]) == [1, 4]
    assert exact_solution(model, [0, 9]) == [0, 0]


def test_tightening_of_bounds_ends():
    crawl = LinearModel(
        [0, 0], [10**9, 10**9], [True, True], [Row({0: 1, 1: -1}, -1), Row({1: 1, 0: -1}, -1)]
    )
    bounds = Bounds(crawl)
    assert bounds.tighten(range(2))
    assert Bounds(LinearModel([0], [9], [True], [Row({0: 2}, 7, "=")])).tighten(range(1)) is False


@pytest.mark.parametrize(
    ("seconds", "outcome"), [(0.01, connection.Outcome.LIMIT), (60, connection.Outcome.INFEASIBLE)]
)
def test_cbc_proves_infeasible_within_its_time_only(seconds, outcome, tmp_path):
    program = tmp_path / "cbc"
    program.write_text(
        "#!/bin/bash\nsleep 0.1\necho 'Integer infeasible - objective value 0' > \"${@: -1}\"\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    settings = Settings(deadline=time.monotonic() + seconds)
    solver = CbcProgram(LinearModel([0], [1], [True]), settings, str(program))
    assert solver.solve(knapsack_reporter()[0]).outcome == outcome


def test_cbc_is_the_program_or_else_the_one_in_ortools(monkeypatch, tmp_path):
    model = linearise(parse(KNAPSACK))
    assert isinstance(cbc.make(model, Settings()), CbcProgram)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(cbc.make(model, Settings()), OrTools)
    path = tmp_path / "model.fzn"
    for text, expected in [
        (
            KNAPSACK,
            "value = 9;\nchosen = array2d(0..0, 1..3, [true, true, false]);\n----------\n==========\n",
        ),
        ("var 0..9: x; constraint int_lin_eq([2], [x], 3); solve maximize x;", "=====UNSATISFIABLE=====\n"),
        ("var {2,5}: x :: output_var; solve minimize x;", "x = 2;\n----------\n==========\n"),
    ]:
        path.write_text(text)
        stream = io.StringIO()
        assert run("cbc", ["-t", "60000", str(path)], stream) == 0
        assert stream.getvalue() == expected


def test_scip_is_pyscipopt_or_else_the_one_in_ortools(monkeypatch):
    assert isinstance(scip.make(linearise(parse(KNAPSACK)), Settings()), scip.Scip)
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    solver = scip.make(linearise(parse(KNAPSACK)), Settings(seed=3, start=[(1, 1), (2, 1)]))
    assert isinstance(solver, OrTools)
    reporter, stream = knapsack_reporter()
    ending = solver.solve(reporter)
    reporter.finish(ending.outcome, ending.claimed)
    assert values(stream.getvalue(), "value") == [9]
    assert stream.getvalue().count("==========") == 1


def test_a_row_at_least_is_the_negated_row_at_most():
    rng = random.Random(2)
    for _ in range(60):
        terms = {j: rng.randint(-3, 3) or 1 for j in range(3)}
        limit, goal = rng.randint(-6, 6), rng.choice([1, -1])
        rows = Row(terms, limit, ">="), Row({j: -c for j, c in terms.items()}, -limit)
        at_least, at_most = (LinearModel([0] * 3, [1, 4, 9], [True] * 3, [row], goal, 2) for row in rows)
        for found in product((0, 1), (0, 3), (0, 5)):
            assert satisfies(at_least, found) == satisfies(at_most, found)
            assert exact_solution(at_least, found) == exact_solution(at_most, found)
        bounds = Bounds(at_least), Bounds(at_most)
        assert bounds[0].tighten(range(1)) == bounds[1].tighten(range(1))
        assert (bounds[0].low, bounds[0].high) == (bounds[1].low, bounds[1].high)
        assert at_least.trivially_infeasible() == at_most.trivially_infeasible()


def test_models_without_floats_only():
    with pytest.raises(InputError):
        cbc.make(LinearModel([0], [2**60], [True]), Settings())
