"""
Stable or not?
==============

Would other rows have led to the same features? The selection is repeated inside each of five training folds, the sets are
scored on the rows held out, and compared with each other.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest

from pyfsel import AlternativeFeatureSelector, evaluate

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
disjoint = AlternativeFeatureSelector(
    4, n_sets=3, dissimilarity=1, measure="pearson", near_duplicates="ignore"
)
evaluation = evaluate(X, y, {"disjoint": disjoint, "best four": SelectKBest(k=4)})
columns = ["set", "score", "score_low", "score_high", "stability"]
print(evaluation.to_frame()[columns].round(2).to_string(index=False))

# %%
# Set 0 is the original one, then come the alternatives. Scores are balanced accuracies with their 95% intervals; a
# stability of 1 says that all folds choose the same features, about 0 that they choose as by chance.
#
# The picture shows each score with its interval. To compare two sets, use the column ``compared`` of the table: it compares them
# fold by fold.

figure = evaluation.plot()

# %%
# An ensemble
# -----------
#
# ``disjoint vote`` is the mean of what the models of all three sets predict. They look at different columns, so that they err
# on different rows, and together they can do better than each. Do more sets help? Each further one is worse by itself:

for n_alternatives in (0, 1, 2, 4):
    selector = AlternativeFeatureSelector(
        4, n_sets=n_alternatives + 1, dissimilarity=1, measure="pearson", near_duplicates="ignore"
    )
    scores = evaluate(X, y, selector).to_frame().set_index("set")["score"]
    last, voted = scores[str(n_alternatives)], scores.get("vote", scores["0"])
    print(f"{n_alternatives + 1} sets: the last one {last:.3f}, all together {voted:.3f}")

# %%
# The gain is small here and its interval wide; but the vote costs nothing more than the sets, and a patient of whom one
# column is missing can still be judged by the sets that do without it.
