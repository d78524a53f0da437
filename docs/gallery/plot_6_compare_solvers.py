"""
Comparing solvers on your instance
==================================

Which solver suits your problem? Run several on it, with every answer verified and all statements held against each
other: a contradiction would be an error with the evidence.
"""

from sklearn.datasets import load_wine

from pyfsel.bench.compare import compare
from pyfsel.measures.from_table import problem_from_table

X, y = load_wine(return_X_y=True, as_frame=True)
problem = problem_from_table(X, y, k=4, n_alternatives=2, tau=0.5, measure="pearson")
backends = ["cpsat", "rc2", "mip:highs", "greedy-replacement"]
comparison = compare({"wine": problem}, backends, time_limit=60, search="simultaneous")
frame = comparison.to_frame()
print(frame[["backend", "status", "objective", "runtime"]].round(2).to_string(index=False))

# %%
# The heuristic claims nothing, and its distance to the proved optimum is known because the others proved it.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 2.8))
axes.barh(frame["backend"], frame["runtime"], color="#0a7d91")
axes.invert_yaxis()
axes.set_xlabel("seconds, the solver's start included")
figure.tight_layout()
