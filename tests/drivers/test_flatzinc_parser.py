"""FlatZinc text: what is read, what is refused and where."""

from fractions import Fraction

import pytest

from pyfsel.drivers.linear.model import Row
from pyfsel.drivers.minizinc.bridge.linear import linearise
from pyfsel.drivers.minizinc.bridge.model import Domain, FlatZincError, UnsupportedFlatZincError, domain_of
from pyfsel.drivers.minizinc.bridge.parser import DEEPEST_NESTING, parse

EXAMPLE = """% a knapsack
predicate something(var int: a, array [int] of var int: b);
array [1..2] of int: weights = [3, -2];
float: half = 0.5;
var 1..9: x :: output_var;
var bool: b :: is_defined_var;
var {1, 3, 4}: holes;
var 0.0..1.5e1: real;
array [1..3] of var int: all :: output_array([1..1, 1..3]) = [x, b, 7];
constraint int_lin_le(weights, [x, b], 10) :: domain;
solve :: int_search([x], input_order, indomain_min, complete) maximize x;
"""


def test_reads_every_kind_of_item():
    model = parse(EXAMPLE)
    assert [(v.name, v.kind) for v in model.variables] == [
        ("x", "int"),
        ("b", "bool"),
        ("holes", "int"),
        ("real", "float"),
    ]
    assert [v.domain for v in model.variables] == [
        Domain(1, 9),
        Domain(0, 1),
        Domain(1, 4, (1, 3, 4)),
        Domain(Fraction(0), Fraction(15)),
    ]
    x, b, _, _ = model.variables
    assert [(o.name, o.dimensions) for o in model.outputs] == [("x", None), ("all", ((1, 1), (1, 3)))]
    assert model.outputs[1].content == [x, b, 7]
    assert model.constraints[0].call.arguments == ([3, -2], [x, b], 10)
    assert (model.goal, model.objective) == ("maximize", x)


def test_rows():
    text = """
    var 0..9: x; var 0..9: y; var bool: a; var bool: b; var bool: c = a;
    constraint int_lin_eq([2, 3, 2], [x, y, x], 7);
    constraint int_le(x, 4); constraint int_lt(3, y);
    constraint bool_clause([a], [b, c]);
    constraint array_bool_or([a, b], c);
    constraint int_lin_le([1, 1], [x, y], x);
    solve satisfy;
    """
    assert linearise(parse(text)).rows == [
        Row({2: -1, 4: 1}, 0, "="),
        Row({0: 4, 1: 3}, 7, "="),
        Row({0: 1}, 4),
        Row({1: -1}, -4),
        Row({2: -1, 3: 1, 4: 1}, 1),
        Row({2: 1, 4: -1}, 0),
        Row({3: 1, 4: -1}, 0),
        Row({2: -1, 3: -1, 4: 1}, 0),
        Row({1: 1}, 0),
    ]


def test_domains_with_holes_become_choices():
    model = linearise(parse("var {2, 5, 9}: x; solve maximize x;"))
    assert model.n_columns == 4
    assert model.rows == [
        Row({1: 1, 2: 1, 3: 1}, 1, "="),
        Row({0: -1, 1: 2, 2: 5, 3: 9}, 0, "="),
    ]
    assert domain_of([2, 3, 4]).values is None


def test_objective_is_expressed_in_what_defines_it():
    text = (
        "var 0..1: a; var 0..1: b; var 0..9: z; constraint int_lin_eq([1,-3,-4],[z,a,b],2); solve maximize z;"
    )
    assert linearise(parse(text)).cost() == ({0: 3, 1: 4}, 2)
    plain = "var 0..1: a; var 0..9: z; constraint int_lin_le([1,-3],[z,a],2); solve maximize z;"
    assert linearise(parse(plain)).cost() == ({1: 1}, 0)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("var int: x\nvar int: y;\nsolve satisfy;", 2, "expected ';' but found 'var'"),
        (
            "var 1..3: x;\n\n% comment ;\nconstraint int_le(x, y);\nsolve satisfy;",
            4,
            "the name y is not known",
        ),
        ("var 1..3: x;\nvar 1..3: x;\nsolve satisfy;", 2, "the name x is taken"),
        ("var bool: x;\n", 2, "the solve item is missing"),
        ("solve satisfy;\nvar bool: x;", 2, "nothing may follow"),
        ("var bool: x;\nsolve maximise x;", 2, "expected satisfy, minimize or maximize but found 'maximise'"),
        ("var bool: x;\nsolve maximize [x];", 2, "the objective must be a variable"),
        ("array [1..2] of int: a = [1,\n", 2, "but the text ends"),
        ("array [1..2] of int: a = [1 2];\nsolve satisfy;", 1, "expected ',' or ']' but found '2'"),
        ("var 1..: x;", 1, "expected a number"),
        ("var 1..3: x;\nconstraint int_le(x, 1..2);\nsolve satisfy;", 2, "constraint int_le: values must be"),
        ("var 1..3: x;\nconstraint int_le(x);\nsolve satisfy;", 2, "constraint int_le: wrong arguments"),
        ("var 1..3: x;\n\nconstraint int_lin_le([1], [x, x], 3);\nsolve satisfy;", 3, "as many values as"),
        ("int: n = 1" + "0" * 2000 + ";\nsolve satisfy;", 1, "is too large"),
        ("float: n = 1e999999999;\nsolve satisfy;", 1, "is too large"),
        ("\n" * 4 + "int: n = " + "[" * 10_000 + ";", 5, "nested too deeply"),
        ("var bool: x :: a" + "(a" * 2 * DEEPEST_NESTING + ";", 1, "nested too deeply"),
        ('var bool: x :: mzn_path("unclosed);\nsolve satisfy;', 1, "expected"),
        ("var 1..2: x; €", 1, "expected an item but found '€'"),
        ("array [1..2] of int: a :: output_array([1..3]) = [1,2];\nsolve satisfy;", 1, "does not fit"),
        ("", 1, "the solve item is missing"),
    ],
)
def test_errors_name_the_line(text, line, message):
    with pytest.raises(FlatZincError) as caught:
        linearise(parse(text))
    assert caught.value.line == line
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("var set of 1..3: s;\nsolve satisfy;", 1, "variables that are sets"),
        (
            "var 1..3: x;\nconstraint int_times(x, x, x);\nsolve satisfy;",
            2,
            "constraint int_times is not linear",
        ),
        ("var 1..3: x;\n\nconstraint int_ne(x, 2);\nsolve satisfy;", 3, "constraint int_ne is not linear"),
    ],
)
def test_unsupported_parts_are_named(text, line, message):
    with pytest.raises(UnsupportedFlatZincError) as caught:
        linearise(parse(text))
    assert (caught.value.line, str(caught.value)) == (line, f"line {line}: {message}")
