"""
3,000 genes
===========

Gene expression: few patients, thousands of genes, many of which say the same. Relevance minus redundancy (mRMR) asks for
genes that tell the classes apart and not what others tell already. Greedy mRMR is what everybody uses; here the best set
is proved.

The data are made here, so that the page can be built without a network: blocks of correlated genes, some of which follow
the class. With your own, replace the next lines by, say, ``fetch_openml("leukemia")``.
"""

import numpy as np

from pyfsel import solve
from pyfsel.measures import keep_best
from pyfsel.measures.from_table import problem_from_table

rng = np.random.default_rng(0)
n_patients, n_genes, n_blocks = 80, 3000, 300
y = rng.integers(0, 2, n_patients)
blocks = rng.normal(size=(n_patients, n_blocks))
blocks[:, :12] += np.outer(y, np.linspace(2, 0.5, 12))
X = np.repeat(blocks, n_genes // n_blocks, axis=1) + rng.normal(scale=0.8, size=(n_patients, n_genes))
print(X.shape)

# %%
# Pairs are measured among the 200 most relevant genes only. That is a choice, and part of the question: what is proved is
# that no five of these 200 are better.

table = keep_best(X, y, n_features=200, measure="pearson")
problem = problem_from_table(table, objective="mrmr", measure="pearson", k=5)
result = solve(problem, search="simultaneous")
print(result.status, round(result.objective, 4), "bound", round(result.bound, 4))
chosen = [int(name.strip("xX")) for name in result.feature_sets[0]]
print("genes", chosen, "of the blocks", [gene // 10 for gene in chosen])

# %%
# The five genes come from five different blocks: what tells the same was not chosen twice.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4, 3.4))
image = axes.imshow(abs(np.corrcoef(X[:, chosen].T)), vmin=0, vmax=1, cmap="Blues")
axes.set_xticks(range(5), [f"gene {gene}" for gene in chosen], rotation=45, ha="right")
axes.set_yticks(range(5), [f"gene {gene}" for gene in chosen])
figure.colorbar(image, label="|correlation|")
figure.tight_layout()
