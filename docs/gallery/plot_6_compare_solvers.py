"""
Comparing solvers on your instance
==================================

Which solver suits your problem? Run several on it: every answer is verified, and all statements are compared with
each other. A contradiction would be shown with its evidence.
"""

from sklearn.datasets import load_wine

import pyfsel

X, y = load_wine(return_X_y=True, as_frame=True)
problem = pyfsel.Problem(pyfsel.measure(X, y, by="pearson"), k=4, dissimilarity=0.5, search="sum")
comparison = pyfsel.compare(problem, ["cpsat", "rc2", "highs", "greedy-replacement"])
print(comparison)

# %%
# The heuristic claims nothing, and its distance to the proved optimum is known because the others proved it.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 2.8))
frame = comparison.to_frame()
axes.barh(frame["solver"], frame["seconds"], color="#0a7d91")
axes.invert_yaxis()
axes.set_xlabel("seconds, the solver's start included")
figure.tight_layout()
