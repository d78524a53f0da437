"""What notebooks and shells show: small tables with bars, escaped; short texts for large results."""

import numpy as np
from sklearn.datasets import load_iris
from small_problems import asked

from pyfsel import AlternativeFeatureSelector, explore
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.display import bar, html_cell
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.solving.solve import solve

PROBLEM = make_instance([4, 3, 2, 1], k=2, n_alternatives=1, tau=0.5, feature_names=["<a>", "b", "c", "d"])


def test_a_result_of_many_features_is_shown_in_a_line():
    result = solve(
        make_instance(np.arange(5000.0), k=5, n_alternatives=1, tau=1), "sorting", search="simultaneous"
    )
    assert repr(result) == (
        "<Result OPTIMAL: 2 of 2 sets of 5 out of 5000 features, objective 49945, simultaneous by sorting>"
    )
    assert len(result._repr_html_()) < 5000


def test_shares_are_bars_and_names_are_escaped():
    html = solve(PROBLEM, "brute-force", "sequential")._repr_html_()
    assert "width:100%" in html
    assert "width:86%" in html
    assert "&lt;a&gt;" in html
    assert "<a>" not in html
    assert "width:0%" in bar(-0.5, "-50 %")
    assert "width:100%" in bar(1.5, "150 %")
    assert html_cell("<") == "<td>&lt;</td>"


LONG = Instance(
    range(5000, 0, -1), n_sets=2, set_size=2, max_overlap=0, feature_names=[f"<{j}>" for j in range(5000)]
)


def test_a_line_says_what_thousands_of_features_are():
    answer = explore.most_dissimilar(asked(LONG), 0.5, solver="cpsat")
    shown = [LONG, solve(LONG), answer, explore.sweep(asked(LONG), dissimilarity=[1])]
    assert all(len(repr(one)) < 250 for one in shown)
    assert repr(LONG) == (
        "<Instance: 2 sets, sum of qualities, of 2 out of 5000 features, univariate, at most 0 shared>"
    )


def test_sweeps_evaluations_and_estimators_are_tables():
    assert explore.sweep(asked(PROBLEM), solver="brute-force")._repr_html_().count("<tr>") == 3
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = AlternativeFeatureSelector(
        1, measure="pearson", solver="brute-force", near_duplicates="ignore", n_sets=2, dissimilarity=1
    )
    html = evaluate(X, y, selector, "tree", cv=2)._repr_html_()
    assert html.count("<tr>") == 5 + 5, "five rows, five facts"
    assert "petal width (cm)" in html
    assert "OPTIMAL" not in selector._repr_html_()
    assert "OPTIMAL" in selector.fit(X, y)._repr_html_()
