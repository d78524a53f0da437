"""
The cheapest panel of lab tests
===============================

Thirteen chemical analyses distinguish three wines. Each analysis costs something, and of three kinds of phenols one
is enough. Which panels that keep 70% of the quality of the best one are cheapest, if any two of them differ by half?

The prices are made up; everything else is scikit-learn's wine data.
"""

from sklearn.datasets import load_wine

from pyfsel import Constraints, Group, Problem, explore, measure

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.rename(columns={"od280/od315_of_diluted_wines": "od280"})
prices = dict.fromkeys(X.columns, 4.0) | {
    "alcohol": 2.0,
    "hue": 1.0,
    "color_intensity": 1.5,
    "flavanoids": 9.0,
    "proline": 12.0,
    "total_phenols": 6.0,
}
phenols = Group(["flavanoids", "nonflavanoid_phenols", "total_phenols"], at_most=1)
rules = Constraints(costs=prices, groups=[phenols], min_quality="70%")
scores = measure(X, y, by="mutual_info_binned")
problem = Problem(scores, k=(1, 6), n_sets=3, dissimilarity=0.5, search="sum", constraints=rules)
answer = explore.cheapest(problem)
print(answer)

# %%
# Every panel has at least 70% of the quality of the best panel, contains at most one of the three kinds of phenols, and differs
# from the others by a Dice dissimilarity of 0.5. The total cost is proved:

print(answer.low, "≤ total cost ≤", answer.high)

# %%
# The longer a bar, the more expensive the panel:

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(8, 2.6))
names = [", ".join(one).replace("_", " ") for one in answer]
axes.barh(names, [one.cost for one in answer], color="#0a7d91")
axes.invert_yaxis()
axes.set_xlabel("cost")
figure.tight_layout()
