"""The design of paper 000, Section 5: tables, folds, methods, settings, and what follows from n alone."""

from math import comb
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

SEED = 25
N_FOLDS = 5
MOST = {"seq.": 10, "rep.": 10, "sim. (sum)": 5, "sim. (min)": 5, "bal.": 5}
"""The largest a of each search; a run of seq. or rep. with it contains those with fewer alternatives."""
COLUMNS = {
    "GAMETES_Epistasis_2_Way_20atts_0.1H_EDM_1_1": 20, "GAMETES_Epistasis_2_Way_20atts_0.4H_EDM_1_1": 20,
    "GAMETES_Epistasis_3_Way_20atts_0.2H_EDM_1_1": 20,
    "GAMETES_Heterogeneity_20atts_1600_Het_0.4_0.2_50_EDM_2_001": 20,
    "GAMETES_Heterogeneity_20atts_1600_Het_0.4_0.2_75_EDM_2_001": 20,
    "Hill_Valley_with_noise": 100, "backache": 32, "chess": 36, "churn": 20, "clean1": 168, "clean2": 168,
    "coil2000": 85, "credit_a": 15, "credit_g": 20, "dis": 29, "hepatitis": 19, "horse_colic": 22,
    "house_votes_84": 16, "hypothyroid": 25, "ionosphere": 34, "molecular_biology_promoters": 57,
    "mushroom": 22, "ring": 20, "sonar": 60, "spambase": 57, "spect": 22, "spectf": 44, "tokyo1": 44,
    "twonorm": 20, "wdbc": 30,
}  # fmt: skip
"""The tables with their numbers of features (Table 2)."""
SMALL = ("hepatitis", "credit_a", "house_votes_84")
METHODS = {
    "mi": "MI",
    "fcbf": "FCBF",
    "mrmr": "mRMR",
    "model-gain": "Model Gain",
    "wrapper": "Greedy Wrapper",
}
WHITE_BOX = ("model-gain", "mi", "fcbf", "mrmr")
OWN = ("mi-own", "fcbf-own", "mrmr-own")
"""The same with the package's mutual information, which takes classes and few-valued columns as such."""
UNIVARIATE = ("model-gain", "mi", "mi-own")
EXACT = ("seq.", "sim. (sum)", "sim. (min)")
HEURISTICS = ("rep.", "bal.")
CLIMBS = {"sequential": "seq.", "sum": "sim. (sum)", "min": "sim. (min)"}
"""How the Greedy Wrapper searches, by the names that its options give."""
SEARCHES = ("bal.", "rep.", *EXACT)
TIERS = ("smoke", "core", "own", "wrapper", "complete")


class Task(NamedTuple):
    """One search: `a` alternatives to the original set of `k` features, of which sets share `overlap`."""

    table: str
    fold: int
    method: str
    search: str
    k: int
    overlap: int
    a: int


def model():
    return DecisionTreeClassifier(criterion="entropy", random_state=SEED)


def folds(y):
    """Return the rows for selection and training, and those for testing, of each fold."""
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED)
    return list(splitter.split(np.zeros(len(y)), y))


def by_size(tables=COLUMNS):
    """Return names of tables, those with the fewest features first."""
    return sorted(tables, key=lambda name: (COLUMNS[name], name))


def tables_of(tier, chosen=None):
    return by_size(chosen or (SMALL if tier == "smoke" else COLUMNS))


def methods_of(tier, chosen=None):
    methods = {"wrapper": ("wrapper",), "own": OWN}.get(tier, WHITE_BOX)
    return tuple(method for method in methods if not chosen or method in chosen)


def tasks(tier, n_folds=N_FOLDS, chosen=None, methods=None, climbs=(CLIMBS["sequential"],)):
    """Yield the searches of a tier, fold by fold, k = 5 before k = 10, methods without pairs first.

    `climbs` are those of the Greedy Wrapper.
    """
    smoke = tier == "smoke"
    methods = methods_of(tier, methods)
    for fold in range(min(n_folds, 2) if smoke else n_folds):
        for k in (5,) if smoke else (5, 10):
            for method in methods:
                for table in tables_of(tier, chosen):
                    yield from _of_table(table, fold, method, k, tier, climbs)


def _of_table(table, fold, method, k, tier, climbs):
    for search in SEARCHES:
        if method == "wrapper" and search not in climbs:
            continue
        if (search in HEURISTICS and method not in UNIVARIATE) or (
            search.startswith("sim.") and k == 10 and tier not in ("complete", "wrapper")
        ):
            continue
        most = min(MOST[search], 2 if tier == "smoke" else 10)
        for overlap in range(k - 1, -1, -1):
            for a in (most,) if search in ("seq.", "rep.") else range(1, most + 1):
                yield Task(table, fold, method, search, k, overlap, a)


def heuristic_fails(n, k, a, overlap):
    """Tell whether Greedy Replacement and Balancing run out of features (paper 000, Section 3.5)."""
    return k + a * (k - overlap) > n


def counted_out(n, k, a, overlap):
    """Tell whether counting shows that there are no a + 1 sets: pairs of sets share too many features.

    A feature in c sets is shared by C(c, 2) pairs of them; that is convex, so even counts have the fewest.
    """
    every, more = divmod(k * (a + 1), n)
    shared = more * comb(every + 1, 2) + (n - more) * comb(every, 2)
    return every + (more > 0) > a + 1 or shared > comb(a + 1, 2) * overlap
