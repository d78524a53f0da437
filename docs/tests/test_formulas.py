"""The formulas of the papers and the lines of the models that say them are extracted, and compared."""

import re
import sys
from pathlib import Path

import pytest

from pyfsel.backends.minizinc.catalogue import CATALOGUE

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS))

from formulas import MODELS, beside, formulas, page_about, places, whole_lines  # noqa: E402

FORMULA = re.compile(r"^\$\$\n(.+?)\n\$\$", re.DOTALL | re.MULTILINE)
LINES = re.compile(r":caption: (\S+), line (\d+)\n(.+?)\n```", re.DOTALL)
PAGE = (DOCS / "modelling" / "formulas.md").read_text()
TITLE = re.compile(r"^## (.+)$", re.MULTILINE)


@pytest.mark.parametrize("model", CATALOGUE, ids=lambda model: model.name)
def test_what_a_model_is_said_to_be_stands_beside_its_lines(model):
    shown = list(beside(model.path.name))
    told = places(", ".join(one.formula.place for one in shown))
    assert places(model.equation) <= told, places(model.equation) - told
    n_shown = 0
    for part in page_about(model.path.name).split("**: ")[1:]:
        (latex,) = FORMULA.findall(part)
        (formula,) = (one for one in formulas() if one.latex == latex)
        for file, number, lines in LINES.findall(part):
            n_shown += 1
            source = (MODELS / file).read_text().splitlines()
            first, n_lines = int(number) - 1, len(lines.splitlines())
            assert source[first : first + n_lines] == lines.splitlines()
            assert formula.lines[file].strip() in lines
    assert n_shown == len(shown)


def test_the_page_has_the_models_of_the_catalogue():
    assert TITLE.findall(PAGE) == re.findall(r"^```\{formulas\} (.+)$", PAGE, re.MULTILINE)
    assert TITLE.findall(PAGE) == [model.path.name for model in CATALOGUE]


def test_every_formula_is_said_by_every_file_that_it_names():
    for formula in formulas():
        assert formula.lines
        for file, excerpt in formula.lines.items():
            assert whole_lines((MODELS / file).read_text(), excerpt)[0] >= 1


def test_the_comments_of_models_name_no_equation_that_is_not_here():
    known = places(", ".join(formula.place for formula in formulas()))
    for model in CATALOGUE:
        cited = re.findall(
            r"\(000 ([^)]*)\)", model.path.read_text().partition("\n\n")[0].replace("\n% ", " ")
        )
        assert places(", ".join(cited)) <= known, model.path.name


def test_an_excerpt_that_is_not_there_once_is_told():
    with pytest.raises(ValueError, match="2 times"):
        whole_lines("int: a;\nint: a;\n", "int: a;")
