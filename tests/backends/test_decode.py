"""What other programs print is read: every format, the last of several solutions, and what is no solution."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from running import ended

from pyfsel import InputError
from pyfsel.backends.decode import read_sets as decode
from pyfsel.problem.instance import Instance

PROBLEM = Instance(quality=[5, 4, 3], n_sets=2, k=2, max_shared=1)
BEST = [(0, 1), (0, 2)]
ROWS = "true, true, false", "true, false, true"
BITS, OTHER = "110101" + "0" * 9, "101110" + "0" * 9
LITERALS, OTHERS = (
    " ".join(str(i if bit == "1" else -i) for i, bit in enumerate(bits, 1)) for bits in (BITS, OTHER)
)
NAMED = LITERALS.replace("-", "-x").replace(" ", " x").replace("x-", "-")
MODELS = Path(__file__).parents[2] / "models"

TEXTS = {
    "JSON of MiniZinc": '{"selected" : [[true, true, false], [true, false, true]]}\n----------',
    "sets of a model": "set 0: a, b  (features [0, 1], quality 9)\nset 1: a, c  (features [0, 2], quality 8)",
    "FlatZinc": f"selected = array2d(0..1, 0..2, [{ROWS[0]}, {ROWS[1]}]);\n----------\n",
    "FlatZinc in lines": f"selected = array2d(0..1,\n  0..2,\n  [{ROWS[0]},\n   {ROWS[1]}]);\n",
    "rows of dzn with indices": f"selected = \n[|  0:  1:  2:\n | 0: {ROWS[0]}\n | 1: {ROWS[1]}\n |];\n",
    "the last of dzn": f"selected = [|{ROWS[1]}|{ROWS[0]}|];\n---\nselected = [|{ROWS[0]}|{ROWS[1]}|];",
    "digits": f"s OPTIMUM FOUND\no 3\nv {BITS}\n",
    "digits in two lines": f"v {BITS[:4]}\nv {BITS[4:]}\n",
    "digits of two models": f"v {OTHER}\nv {BITS}\n",
    "digits of an empty model before": f"v {'0' * 15}\nv {BITS}\n",
    "digits after a better cost": f"o 9\nv {OTHER}\no 3\nv {BITS}\n",
    "literals": f"v {LITERALS} 0\n",
    "literals in two lines": f"v {LITERALS[:9]}\nv {LITERALS[9:]} 0\n",
    "literals of two models": f"v {OTHERS} 0\nv {LITERALS} 0\n",
    "literals of two models without an end": f"v {OTHERS}\nv {LITERALS}\n",
    "literals of OPB": f"s OPTIMUM FOUND\nv {NAMED}\n",
    "values of LP": "x_0_0 1\nx_0_1 1.0\nx_0_2 0\nx_1_0 0.999999\nx_1_2 1 (obj:3)\n",
    "table of HiGHS": "".join(
        f"  {i}  0  1  {value}  Integer  x_{i // 3}_{i % 3}\n"
        for i, value in enumerate([1, 1, "-0", 1, 0, 1])
    ),
    "table of GLPK": "  1 x_0_0  *  1  0  1 \n  2 x_0_1  *  1  0  1\n 4 x_1_0 * 1 0 1\n 6 x_1_2 * 1 0 1\n",
    "values of OPB": "objective value: -17\nx1   1 (obj:-5)\nx2 1\nx4 1\nx6 1.0\nx13 1\n",
    "XML": "".join(f'<variable name="x{i}" index="{i}" value="{bit}"/>\n' for i, bit in enumerate(BITS, 1)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_is_read(name):
    assert decode(PROBLEM, TEXTS[name]) == BEST


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "Looked for: selected in MiniZinc's JSON or dzn; lines that begin with 'set 0:'; a model of WCNF",
        ),
        ("no solution available\n", r"or OPB \(v ...\); values of variables of LP or MPS \(x_0_0 1\) or OPB"),
        ("s UNSATISFIABLE\n", "no line with a model .*; the solver says UNSATISFIABLE"),
        ("v 1 -2 0\n", "says nothing about variable 3"),
        *(
            (f"{line}\n", f"{line.replace(' ', ' = ')} does not belong")
            for number in (2, -1, 0.5, "1e400", "1.2.3", "1e")
            for line in (f"x1 {number}", f"x_0_0 {number}", "x_2_0 1", "x_0_3 1")
        ),
        ("x_0_0\n1 x_0_1\n", "Looked for: selected"),
        ("selected = [| true, true | true, false |];", "must have 3 features each"),
    ],
)
def test_what_contains_no_sets_says_what_was_looked_for(text, message):
    with pytest.raises(InputError, match=message):
        decode(PROBLEM, text)


LARGER = Instance(quality=[5, 4, 3, 1], n_sets=2, k=2, max_shared=1)


@pytest.mark.parametrize(
    "options", [[], ["--output-mode", "json"], ["--json-stream", "--output-mode", "json"]]
)
def test_what_minizinc_prints_is_read_and_its_last_solution_counts(options, tmp_path):
    data = tmp_path / "problem.json"
    LARGER.save(data)
    model = MODELS / "simultaneous_sum_literal.mzn"
    text = ended("minizinc", "--solver", "gecode", "--intermediate", *options, model, data, check=True).stdout
    assert sorted(decode(LARGER, text)) == [(0, 1), (0, 2)]


def test_solutions_of_any_kind_and_broken_ones():
    rows = [[1, 1, 0, 0], [1, 0, 1, 0]]
    same = [[1, 1, 0, 0], [1, 1, 0, 0]]
    last = SimpleNamespace(selected=rows)
    for solution in (
        last,
        {"selected": rows},
        SimpleNamespace(solution=[SimpleNamespace(selected=same), last]),
    ):
        assert decode(LARGER, solution) == [(0, 1), (0, 2)]
    for broken in (
        {"selected": 3},
        {"selected": []},
        {"chosen": rows},
        3,
        None,
        "",
        "=====UNSATISFIABLE=====",
    ):
        with pytest.raises(InputError, match=r"^solution: "):
            decode(LARGER, broken)
