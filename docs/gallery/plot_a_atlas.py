"""
Which features can be replaced?
===============================

The best set is one answer; how many others are nearly as good, and what do they have in common? For trees and rule lists
such sets of models are called Rashomon sets. The atlas is that of feature sets: counted exactly, mostly without listing.
"""

from sklearn.datasets import load_breast_cancer

from pyfsel import atlas
from pyfsel.measures.from_table import problem_from_table

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
problem = problem_from_table(X, y, k=5)
near = atlas(problem, loss=0.05)
print(near)
figure = near.plot()

# %%
# Five per cent is a choice; the right half of the figure shows what another one would change. The atlas says of each
# feature in how many sets it is, and of any features in how many they are together:

print(near.to_frame().head(3))
print("mean radius and mean area:", near.together([0, 3]), "sets")

# %%
# A feature in all of the sets has no substitute. Pairs that are together less often than their shares suggest stand in for
# each other: here radius, perimeter and area, three measures of one size. Sets can be drawn at random, each with the same
# probability, to see what else a study could have reported:

for members in near.draw(3, random_state=0):
    print(problem.names_of(members))

# %%
# Models instead of sums
# ----------------------
#
# The same question about linear models: which columns of the diabetes table explain nearly as much as the best ones, for any
# number of columns, with BIC as the price of a column? Each set counts, however many columns it has.

from sklearn.datasets import load_diabetes

table, progression = load_diabetes(return_X_y=True, as_frame=True)
models = problem_from_table(table, progression, objective="r2", criterion="bic", min_k=1, k=10)
plausible = atlas(models, loss=0.02)
print(plausible)
regressions = plausible.plot()
