"""Malformed, truncated and hostile FlatZinc: always an answer or an error message, never a traceback."""

import pytest
from flatzinc_runs import SOLVERS, run_file, solve
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel.drivers.minizinc.bridge.tokens import TOKEN

SOUND = """predicate p(var int: a);
array [1..3] of int: w = [3, -2, 1];
var 0..9: x :: output_var;
var bool: b;
var {1, 4}: h :: output_var;
var 0.0..1.5: r;
array [1..3] of var int: all :: output_array([1..3]) = [x, b, h];
constraint int_lin_le(w, all, 10) :: domain;
constraint int_lin_eq([1, 1], [x, h], 6);
constraint bool_clause([b], [b]);
constraint float_lin_le([2.0], [r], 1.0);
solve :: int_search(all, input_order, indomain_min, complete) maximize x;
"""
TOKENS = [match.group() for match in TOKEN.finditer(SOUND) if match.group(1)]
NUMBERS = ("-1", "0", "1e308", "1e-308", "99999999999999999999", "9007199254740993", "1e400", "3.", "1..0")
SIGNS = ("..", "[", "]", "{", "}", "(", ")", "::", ";", ",", "=", "-", "_", "%", "[]", "{}", '"', '"text"')
WORDS = (
    "true",
    "set of",
    "array",
    "var",
    "int",
    "float",
    "maximize",
    "constraint",
    "int_times",
    "x",
    "nobody",
)
NASTY = (*NUMBERS, *SIGNS, *WORDS, "\x00", "é")
ENDS = (
    "==========\n",
    "----------\n",
    "=====UNKNOWN=====\n",
    "=====UNSATISFIABLE=====\n",
    "=====UNBOUNDED=====\n",
)


def assert_orderly(outcome):
    code, output, errors = outcome
    assert "Traceback" not in errors
    if code == 0:
        assert output.endswith(ENDS)
    else:
        assert code == 1
        assert output.endswith("=====ERROR=====\n")
        assert errors.startswith("pyfsel-fzn-")
        assert len(errors) < 1000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "model.fzn"


@st.composite
def broken_texts(draw):
    tokens = list(TOKENS)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(tokens) - 1))
        change = draw(st.sampled_from(["replace", "insert", "delete", "swap", "repeat"]))
        other = draw(st.sampled_from([*NASTY, *TOKENS]))
        if change == "replace":
            tokens[place] = other
        elif change == "insert":
            tokens.insert(place, other)
        elif change == "delete" and len(tokens) > 1:
            del tokens[place]
        elif change == "swap":
            tokens[place], tokens[-1 - place] = tokens[-1 - place], tokens[place]
        else:
            tokens[place:place] = tokens[place : place + draw(st.integers(1, 9))]
    return " ".join(tokens)


@pytest.mark.parametrize("name", ["highs", "scip", "cpsat"])
@settings(max_examples=150)
@given(text=broken_texts())
def test_broken_texts(name, path, text):
    assert_orderly(solve(name, text, path, "-t", "2000"))


@settings(max_examples=30)
@given(text=broken_texts())
def test_broken_texts_with_cbc(path, text):
    assert_orderly(solve("cbc", text, path, "-t", "2000"))


@pytest.mark.parametrize("length", range(0, len(SOUND), 7))
def test_truncated_texts(path, length):
    outcome = solve("highs", SOUND[:length], path)
    assert_orderly(outcome)
    assert outcome[0] == 1


@settings(max_examples=100)
@given(text=st.text(max_size=200))
def test_arbitrary_texts(path, text):
    text = text.encode("utf-8", "replace").decode("utf-8")
    outcome = solve("highs", text, path)
    assert_orderly(outcome)
    assert outcome[0] == 1


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b"\x00" * 1000,
        b"[" * 100_000,
        b"(" * 100_000,
        b"var 0..1: x :: " + b"a(" * 100_000,
        b'"' * 100_000,
        b"% only a comment",
        b" " * 1_000_000,
        b"var 1..3: x; constraint int_lin_le([" + b"1," * 100_000,
    ],
)
def test_hostile_files(name, path, content):
    path.write_bytes(content)
    outcome = run_file(name, path)
    assert_orderly(outcome)
    assert outcome[0] == 1


def test_bytes_that_are_no_text_are_named_with_their_line(path):
    path.write_bytes(b"var 1..3: x;\n% \xe9t\xe9\nsolve satisfy;")
    assert run_file("cbc", path)[2] == f"pyfsel-fzn-cbc: {path}: line 2: byte 0xe9 is not text\n"


def test_missing_file(path):
    code, output, errors = run_file("cbc", path.with_name("nothing.fzn"))
    assert (code, output) == (1, "=====ERROR=====\n")
    assert "No such file" in errors
