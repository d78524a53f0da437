"""Tables of the papers that the experiments leave out."""

import numpy as np
import paper_tables
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB


def test_forward_selection_by_sums_has_the_accuracy_of_naive_bayes():
    rng = np.random.default_rng(0)
    X = rng.integers(1, 4, (80, 6))
    y = (X[:, 0] + X[:, 1] > 4).astype(int)
    accuracy, chosen = paper_tables.forward_naive_bayes(X, y, 0)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    by_scikit_learn = cross_val_score(CategoricalNB(min_categories=4), X[:, chosen], y, cv=folds)
    assert np.isclose(accuracy, by_scikit_learn.mean())
    assert {0, 1} <= set(chosen)


def test_printed_accuracies_are_those_of_one_tenth():
    assert "112 figures" in paper_tables.of_one_fold()
    assert "109 are whole numbers of rows out of a tenth" in paper_tables.of_one_fold()
