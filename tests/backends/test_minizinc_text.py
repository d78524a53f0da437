"""Tokens and items of MiniZinc text: where a word stands decides what it is."""

from itertools import product

import pytest

from pyfsel.backends.minizinc.text import items, items_of, joined, tokens
from pyfsel.backends.minizinc.without_strengthening import has_strengthenings

HIDING = (
    "",
    '% solve maximize 0; include "no.mzn";\n',
    "/* solve satisfy; */ ",
    'output ["100%; solve satisfy"]; ',
    r'output ["\(if true then "50%;" else ")" endif)"]; ',
    "int: 'solve; %' = 3; ",
    "constraint let { int: a = 1; constraint a = 1; int: b = a } in b = 1; ",
)
SEPARATORS = (" ", "\n", " /* ; */ ", " % ;\n")
INCLUDES = ("lib/sum_of_qualities.mzn", "lib/sets.mzn", "lib/products.mzn", "lib/objective.mzn")
REST = (
    "aggregated_by = sum;",
    "var n_sets * lowest_quality..n_sets * highest_quality: objective_value = sum(s in SETS)(quality_of(s));",
    'constraint :: "first" redundant_constraint(true);',
    "solve :: bool_search([selected[s, f] | s in SETS, f in FEATURES], input_order, indomain_max) "
    "maximize objective_value;",
)


@pytest.fixture(params=list(product(HIDING, SEPARATORS)), ids=str)
def model(request, tmp_path):
    hiding, separator = request.param
    (tmp_path / "rest.mzn").write_text(hiding + separator.join(REST))
    included = (f'include "{name}";' for name in ("rest.mzn", *INCLUDES))
    path = tmp_path / "own.mzn"
    comment = hiding if hiding.startswith(("%", "/*")) else ""
    path.write_text(comment + separator.join(included))
    return path


def test_includes_goal_and_strengthenings_are_found_wherever_they_stand(model):
    found = items_of(model)
    assert {item.file.name for item in found} >= {"rest.mzn", "sets.mzn", "problem.mzn", "solution_text.mzn"}
    assert [item.goal for item in found if item.goal] == ["maximize"]
    assert [item.words[3] for item in found if item.is_strengthening] == ["redundant_constraint"]
    assert has_strengthenings(model)
    assert not {item.included for item in items(joined(found))} & {"rest.mzn", *INCLUDES}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"a\"b" x', ["string", "name"]),
        (r'"\(f("%", ")"))" x', ["string", "name"]),
        ("1..3", ["numbers", "symbol", "symbol", "numbers"]),
        ("1, 2|3 ::x", ["numbers", "symbol", "name"]),
        ("'a % b' % c", ["name"]),
        ("/* open", []),
        ('"open', ["string"]),
    ],
)
def test_tokens_have_their_kinds_and_lose_nothing(text, expected):
    found = list(tokens(text))
    assert [token.kind for token in found if token.kind != "blank"] == expected
    assert "".join(token.text for token in found) == text


def test_items_know_their_lines_and_what_they_assign():
    text = (
        "% a; b\nint: n = /* ;\n */ 3;\nquality = [1, 2]; enum E = {A, B};\n\n"
        'constraint assert(n = 3, "no; \\"%");\nconstraint let { var bool: b; constraint b } in b;\n'
        "solve satisfy"
    )
    found = list(items(text))
    lines = [(2, "n"), (4, "quality"), (4, ""), (6, ""), (7, ""), (8, "")]
    assert [(item.line, item.assigned) for item in found] == lines
    assert [item.line for item in found if item.is_constraint] == [7]
    assert found[1].value == "[1, 2]"
