"""
3,000 genes
===========

Gene expression: few patients, thousands of genes, many of which say the same. Relevance minus redundancy (mRMR) asks for
genes that distinguish the classes and are not redundant. Most programs search greedily; here the best set
of five is proved, and compared with the greedy one.

The data are those of Golub et al. (1999), 72 patients with one of two kinds of leukaemia and 7,129 genes, from
`OpenML <https://www.openml.org/d/1104>`_ by scikit-learn. Where they cannot be fetched (and when this page is built, so that
it needs no network), a table is made instead: blocks of correlated genes, some of which follow the class.
"""

import os

import numpy as np
from sklearn.datasets import fetch_openml

from pyfsel import Problem, measure, solve


def golub():
    if os.environ.get("PYFSEL_OFFLINE"):
        raise OSError("no network wanted")
    return fetch_openml(data_id=1104, as_frame=False, return_X_y=True)


def made(n_patients=80, n_genes=3000, n_blocks=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_patients)
    blocks = rng.normal(size=(n_patients, n_blocks))
    blocks[:, :12] += np.outer(y, np.linspace(2, 0.5, 12))
    return np.repeat(blocks, n_genes // n_blocks, axis=1) + rng.normal(
        scale=0.8, size=(n_patients, n_genes)
    ), y


try:
    X, y = golub()
except OSError as error:
    print("made data:", error)
    X, y = made()
print(X.shape)

# %%
# All pairs of 3,000 genes are measured, 72 MB of correlations. Of more genes we take the 3,000 most relevant ones. That is a
# choice, and part of the question: what is proved is that no five of these are better.

X = X[:, np.argsort(-np.abs(measure(X, y, by="pearson").quality), kind="stable")[:3000]]
scores = measure(X, y, by="pearson")
answer = solve(Problem(scores, k=5, n_sets=1, objective="mrmr"), time_limit=120)
print(answer)
chosen = list(answer[0].indices)

# %%
# Greedy mRMR takes the gene with the maximum relevance minus its mean redundancy with those taken before. How far is it from
# the optimum?

q, r = np.abs(scores.quality), np.abs(scores.pairs())
np.fill_diagonal(r, 0)
greedy = [int(np.argmax(q))]
while len(greedy) < 5:
    gain = q - r[greedy].mean(axis=0)
    gain[greedy] = -np.inf
    greedy.append(int(np.argmax(gain)))


def quality(genes):
    pairs = r[np.ix_(genes, genes)]
    return q[genes].mean() - pairs.sum() / (len(genes) * (len(genes) - 1))


print(
    f"greedy {quality(greedy):.4f}, best {quality(chosen):.4f}: {1 - quality(greedy) / quality(chosen):.1%} below"
)

# %%
# No two of the chosen genes are redundant: away from the diagonal the picture is pale.

import matplotlib.pyplot as plt

names = list(answer[0])
figure, axes = plt.subplots(figsize=(4, 3.4))
image = axes.imshow(r[np.ix_(chosen, chosen)] + np.eye(5), vmin=0, vmax=1, cmap="Blues")
axes.set_xticks(range(5), names, rotation=45, ha="right")
axes.set_yticks(range(5), names)
figure.colorbar(image, label="|correlation|")
figure.tight_layout()

# %%
# On 3,051 genes of Golub's first 38 patients the greedy set is 24% below the optimum, which is proved in 3 CPU seconds, and six
# dissimilar sets in 4: :doc:`measured </results/large_mrmr>`.
