"""
Which features can be replaced?
===============================

The best set is one answer; how many others are nearly as good, and what do they have in common? For trees and rule lists
such sets of models are called Rashomon sets. The atlas is that of feature sets: counted exactly, mostly without listing.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import Problem, explore, measure

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
near = explore.atlas(Problem(measure(X, y), k=5), loss=0.05)
print(near)
figure = near.plot()

# %%
# Five percent is a choice; the right half of the figure shows what another one would change. Without a feature that is in all
# of the sets, every set of five loses more than 5%. The table says of each feature in how many sets it is:

print(near.to_frame().head(3))

# %%
# Models instead of sums
# ----------------------
#
# The same question about linear models: which columns of the diabetes table explain nearly as much as the best ones, for any
# number of columns, with BIC as the price of a column? Each set counts, however many columns it has.

from sklearn.datasets import load_diabetes

table, progression = load_diabetes(return_X_y=True, as_frame=True)
models = Problem(measure(table, progression, by="pearson"), k=(1, 10), objective="r2:criterion=bic")
plausible = explore.atlas(models, loss=0.02)
print(plausible)
regressions = plausible.plot()
