"""
Stable or not?
==============

Would other rows have led to the same features? The selection is repeated inside each of five training folds, the sets are
scored on the rows held out, and compared with each other.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.plot import plot_evaluation

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = AlternativeFeatureSelector(4, n_alternatives=2, tau=1, measure="pearson")
evaluation = evaluate(X, y, selector, "linear", n_splits=5)
print(evaluation.to_frame()[["set", "score", "stability"]].round(2).to_string(index=False))

# %%
# Set 0 is the original one, then come the alternatives, then all features. Scores are balanced accuracies; a stability of
# 1 says that all folds choose the same features, about 0 that they choose as by chance.

figure = plot_evaluation(evaluation)
