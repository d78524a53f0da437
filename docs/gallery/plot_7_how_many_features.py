"""
How many features?
==================

One set of each size is selected in the training rows of the same folds and scored on the rows held out. The smallest size
whose score is within one standard error of the best is recommended.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import AlternativeFeatureSelector, choose_k, stability

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = AlternativeFeatureSelector(n_sets=3, measure="pearson", near_duplicates="ignore")
choice = choose_k(X, y, selector, dissimilarity=[0.4, 0.7, 1], repeats=2)
print(choice.headline)
figure = choice.plot()

# %%
# What would it cost to ask for three sets that differ? The quality that is left, and what models of the sets score:

print(choice.details["prices"].round(3).to_string(index=False))

# %%
# Are they selected again?
# ------------------------
#
# The same selection in 20 pairs of halves of the rows: the number in a cell is in how many per cent of the halves the feature
# is in the set; those of the sets of all rows are framed.

found = stability(X, y, selector.set_params(k=choice.recommended), pairs=20)
figure = found.plot()
