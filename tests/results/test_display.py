"""How answers look in terminals and notebooks."""

from html.parser import HTMLParser

import numpy as np
import pytest
from rich.cells import cell_len
from sklearn.datasets import load_iris
from small_problems import asked

from pyfsel import AlternativeFeatureSelector, explore
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.solving import solve
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints
from pyfsel.results.display import Bar, aligned, html_cell, plain_text
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.solving.solve import solve as solve_instance

Q = [9, 8, 7, 3, 2, 1]


def solved(search="sum", quality=Q, **changes):
    given = {"k": 2, "n_sets": 3, "dissimilarity": "shared:1"} | changes
    return solve(Problem(quality, **given, search=search), "brute-force")


def test_the_table_names_everything():
    answer = solved(names=["age", "height", "weight", "pulse", "iron", "sodium"])
    rows = [line.split() for line in str(answer).splitlines()]
    assert ["0", "100%", "age,", "height"] in rows
    assert ["1", "94%", "1", "of", "2", "age,", "weight"] in rows
    facts = dict(answer.details["facts"])
    assert facts["asked"] == "3 sets of 2 out of 6 features, any two share at most 1"
    assert facts["search"].startswith("simultaneous by brute-force, ")
    alone = dict(solved(n_sets=1, constraints=Constraints(previous=[[0, 5], [1, 4]])).details["facts"])
    assert alone["asked"].endswith("shares with each of 2 known sets at most 1")
    assert dict(solved(n_sets=1).details["facts"])["asked"] == "1 set of 2 out of 6 features"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_fit_and_are_not_broken_inside(width):
    names = [f"rather long, no. {j}" for j in range(5)] + ["y" * 150]
    answer = solved(names=names, k=3, dissimilarity="shared:2")
    lines = plain_text(answer.tables[0], width).splitlines()
    assert max(map(cell_len, lines)) <= width
    for name in answer[0]:
        assert any(name in line for line in lines)


@pytest.mark.parametrize("search", SEARCHES)
def test_names_are_neither_markup_nor_html(search):
    names = ["[bold]a[/bold]", "[/]", "<script>alert(1)</script>", "a & b", '"q, r"', "f"]
    answer = solved(search, names=names)
    assert "[bold]a[/bold], [/]" in str(answer)
    html = answer._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag != "br":
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Reader().feed(html)
    assert open_tags == []
    assert '"q, r"' in str(solved(search, names=names, constraints=Constraints(forced=[4])))


def test_infeasible_short_and_odd_answers_say_so():
    assert "INFEASIBLE  Proved: 3 such sets do not exist." in str(solved(k=4))
    short = " ".join(str(solved("sequential", k=3, dissimilarity=1)).split())
    assert "FEWER Proved for each set: no set of 3 features" in short
    assert "No further set exists in addition to these 2." in short
    zeros = str(solved(quality=[0.0] * 6))
    assert "nan" not in zeros
    assert "These sets tie" in zeros


def test_numbers_and_cells():
    assert aligned([1e-12, 5e-13]) == ["1.0000e-12", "5.0000e-13"]
    assert aligned([123456.7, 1.0]) == ["123457", "1"]
    assert (aligned([0, -3]), aligned([])) == (["0", "-3"], [])
    assert 'value="0.00"' in html_cell(Bar("-50%", -0.5))
    assert 'value="1.00"' in html_cell(Bar("150%", 1.5))
    assert html_cell("<") == "<td>&lt;</td>"


LONG = Instance(
    range(5000, 0, -1), n_sets=2, k=2, max_shared=0, feature_names=[f"<{j}>" for j in range(5000)]
)


def test_a_line_says_what_thousands_of_features_are():
    result = solve_instance(
        make_instance(np.arange(5000.0), k=5, n_sets=2, dissimilarity=1), "sorting", search="simultaneous"
    )
    assert repr(result).startswith("<Result OPTIMAL: 2 of 2 sets of 5 out of 5000 features, objective 49945")
    assert len(solve(asked(LONG))._repr_html_()) < 5000
    answer = explore.most_dissimilar(asked(LONG), 0.5, solver="cpsat")
    shown = [LONG, solve(asked(LONG)), answer, explore.sweep(asked(LONG), dissimilarity=[1])]
    assert all(len(repr(one)) < 250 for one in shown)


def test_sweeps_evaluations_and_estimators_are_tables():
    assert explore.sweep(asked(LONG), dissimilarity=[0.5, 1])._repr_html_().count("<tr>") == 3
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = AlternativeFeatureSelector(
        1, measure="pearson", solver="brute-force", near_duplicates="ignore", n_sets=2, dissimilarity=1
    )
    html = evaluate(X, y, selector, "tree", cv=2, repeats=1)._repr_html_()
    assert html.count("<tr>") == 5 + 3 + 5, "a head and four rows of scores, two of features, five facts"
    assert "petal width (cm)" in html
    assert "OPTIMAL" not in selector._repr_html_()
    assert "OPTIMAL" in selector.fit(X, y)._repr_html_()
