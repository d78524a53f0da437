"""
The cheapest panel of lab tests
===============================

Thirteen chemical analyses tell three wines apart. Each analysis costs something, and of three kinds of phenols one
shall do. Which panel is cheapest among those that keep a given share of the information, and which other panels cost
little more?

The prices are made up; everything else is scikit-learn's wine data.
"""

from sklearn.datasets import load_wine

from pyfsel import Group, cheapest_sets
from pyfsel.measures.from_table import problem_from_table

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
problem = problem_from_table(
    X,
    y,
    k=6,
    min_k=1,
    n_alternatives=2,
    tau=0.5,
    measure="mutual_info_binned",
    costs=prices,
    min_quality=0.4,
    groups=[Group(["flavanoids", "nonflavanoid_phenols", "total_phenols"], at_most=1)],
)
answer = cheapest_sets(problem, search="simultaneous")
for cost, names in zip(answer.costs, answer.feature_sets, strict=True):
    print(f"{cost:5.1f}  {', '.join(names)}")

# %%
# Every panel has at least 0.4 of the whole quality (the qualities of all thirteen analyses sum to 1), at most one of the
# three kinds of phenols, and differs from the others by a Dice dissimilarity of 0.5. The bound on the cost is proved:

print(answer.status, "cost", answer.cost, "bound", answer.cost_bound)

# %%
# What each panel costs:

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(8, 2.6))
axes.barh(
    [", ".join(names).replace("_", " ") for names in answer.feature_sets], answer.costs, color="#0a7d91"
)
axes.invert_yaxis()
axes.set_xlabel("cost")
figure.tight_layout()
