"""The classic searches beside other packages, where they mean the same.

    python benchmarks/subset_peers.py > benchmarks/results/peers/subset_searches.md

Floating forward selection: mlxtend's `SequentialFeatureSelector(floating=True)`, on random set functions
(given as a score, no model) and with a model. Relief: skrebate's `ReliefF`. Masks with a linear model:
scikit-learn's `RFE`. Nothing here is random.
"""

import argparse
from importlib.metadata import version
from itertools import combinations

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale
from skrebate import ReliefF

from pyfsel.bench.instances import Request, generated
from pyfsel.measures import load_dataset, prepare, quality
from pyfsel.papers.mask_selector import elimination_path
from pyfsel.papers.masked_model import MaskedModel
from pyfsel.papers.subset.best_subset import SubsetSearch, select_subset

N = 6
SETS = [s for size in range(N + 1) for s in combinations(range(N), size)]


class Given:
    """A random set function as a criterion, and as an estimator that mlxtend scores."""

    is_monotone = False
    batch_size = 100
    feature_names = tuple(map(str, range(N)))

    def __init__(self, seed):
        values = np.random.default_rng(seed).random(len(SETS))
        self.values = dict(zip(SETS, values.tolist(), strict=True))

    def keys(self, sets):
        return [self.values[s] for s in sets]

    def value(self, key):
        return key

    def least_key(self, value):
        return value

    def scorer(self, model, X, y):
        return self.values[tuple(sorted(X[0].astype(int).tolist()))]


class Nothing(Ridge):
    """Needs no fit: the score looks at the columns it was given."""

    def fit(self, X, y):
        return self


def set_functions(n_functions=50):
    X, y = np.tile(np.arange(N), (4, 1)), np.zeros(4)
    better = worse = same = 0
    for seed in range(n_functions):
        given = Given(seed)
        for size in range(1, N):
            peer = SequentialFeatureSelector(
                Nothing(), size, forward=True, floating=True, scoring=given.scorer, cv=0, n_jobs=1
            ).fit(X, y)
            theirs = given.values[tuple(sorted(peer.k_feature_idx_))]
            ours = SubsetSearch("floating-forward", given, k=size).by(given).value
            better, worse, same = better + (ours > theirs), worse + (ours < theirs), same + (ours == theirs)
    found = f"same J {same}, ours better {better}, worse {worse}"
    return f"- {n_functions} random set functions of {N} features, all sizes: {found}"


def models():
    lines = []
    for name, size in (("wine", 5), ("iris", 2)):
        X, y = load_dataset(name)
        peer = SequentialFeatureSelector(GaussianNB(), size, forward=True, floating=True, cv=5, n_jobs=1).fit(
            X.to_numpy(), y
        )
        ours = select_subset(X, y, criterion="model", estimator=GaussianNB(), cv=5, k=size)
        lines.append(
            f"- naive Bayes on {name}, size {size}: ours {ours.value:.4f}, mlxtend {peer.k_score_:.4f}"
        )
    return "\n".join(lines)


def relief():
    made = generated("parity", Request(n_features=4, n_irrelevant=4, n_redundant=4), 0)
    frame = made.table
    X, y = frame.drop(columns="target"), frame["target"]
    ours = quality(prepare(X, y), "relief", n_neighbors=10)
    theirs = ReliefF(n_neighbors=10, n_features_to_select=4).fit(X.to_numpy(float), y.to_numpy())
    theirs = theirs.feature_importances_
    return (
        f"- parity 4 + 4 + 4: largest difference of weights {np.abs(ours - theirs).max():.4f}, "
        f"correlation {np.corrcoef(ours, theirs)[0, 1]:.4f}"
    )


def linear():
    lines = []
    for name, size in (("breast_cancer", 5), ("wine", 4)):
        X, y = load_dataset(name)
        X = scale(X)
        model = LogisticRegression(max_iter=5000)
        training, held_out = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
        rfe = np.flatnonzero(RFE(model, n_features_to_select=size).fit(X[training], y[training]).support_)
        fitted = LogisticRegression(max_iter=5000).fit(X[training], y[training])
        masked = MaskedModel(fitted, X[held_out], np.asarray(y)[held_out])
        path = elimination_path(masked)[0]
        sets = {"RFE": tuple(rfe.tolist()), "FLBMO": path.fixed_length(size)}
        losses = masked.losses(list(sets.values()))
        scores = [cross_val_score(model, X[:, list(s)], y).mean() for s in sets.values()]
        shown = (
            f"{who}: masked loss {loss:.4f}, accuracy when fitted anew {score:.4f}"
            for who, loss, score in zip(sets, losses, scores, strict=True)
        )
        lines.append(f"- {name}, {size} features: {'; '.join(shown)}")
    return "\n".join(lines)


def main():
    used = ", ".join(f"{name} {version(name)}" for name in ("mlxtend", "skrebate", "scikit-learn"))
    print(f"# Searches for one set\n\n`python benchmarks/subset_peers.py`, {used}.\n")
    print(f"Floating forward selection beside mlxtend:\n\n{set_functions()}\n{models()}\n")
    print(f"Relief beside skrebate's ReliefF, ten neighbours:\n\n{relief()}\n")
    print(f"Logistic regression, half of the rows for training, beside scikit-learn's RFE:\n\n{linear()}")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
