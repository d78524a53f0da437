"""What notebooks and shells show: small tables with bars, escaped; short texts for large results."""

import numpy as np
from sklearn.datasets import load_iris

from pyfsel import AlternativeFeatureSelector, make_problem, solve
from pyfsel.questions.sweep.sweep import sweep
from pyfsel.results.notebook import bar, html_cell
from pyfsel.selectors.evaluation.evaluate import evaluate

PROBLEM = make_problem([4, 3, 2, 1], k=2, n_alternatives=1, tau=0.5, feature_names=["<a>", "b", "c", "d"])


def test_a_result_of_many_features_is_shown_in_a_line():
    result = solve(
        make_problem(np.arange(5000.0), k=5, n_alternatives=1, tau=1), "sorting", search="simultaneous"
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


def test_sweeps_evaluations_and_estimators_are_tables():
    assert sweep(PROBLEM, backend="brute-force")._repr_html_().count("<tr>") == 4
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = AlternativeFeatureSelector(1, 1, 1, measure="pearson", backend="brute-force", copies="ignore")
    html = evaluate(X, y, selector, "tree", n_splits=2)._repr_html_()
    assert html.count("<tr>") == 5
    assert "petal width (cm)" in html
    assert "OPTIMAL" not in selector._repr_html_()
    assert "OPTIMAL" in selector.fit(X, y)._repr_html_()
