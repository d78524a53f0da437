"""
How many features?
==================

One set of each size is selected in the training rows of the same folds and scored on the rows held out. The smallest size
whose score is within one standard error of the best is recommended.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import AlternativeFeatureSelector, choose, stability

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = AlternativeFeatureSelector(n_alternatives=2, measure="pearson", copies="ignore")
choice = choose(X, y, selector, set_sizes=range(1, 11), taus=[0.4, 0.7, 1], n_repeats=2)
print(choice.recommendation)
figure = choice.plot()

# %%
# What would it cost to ask for three sets that differ? The quality that is left, and what models of the sets score:

print(choice.prices.round(3).to_string(index=False))

# %%
# Would they come out again?
# --------------------------
#
# The same selection in 20 pairs of halves of the rows: the number in a cell is in how many per cent of the halves the feature
# is in the set; those of the sets of all rows are framed.

found = stability(X, y, selector.set_params(n_features_to_select=choice.set_size), n_pairs=20)
figure = found.plot()
