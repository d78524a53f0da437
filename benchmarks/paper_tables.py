"""Tables of the papers that the experiments leave out.

001's Table 1, 002's Table 1 and rows of RFE, 004's Tables 4 to 7:

    python benchmarks/paper_tables.py variability RECORDS.jsonl       # 001: W-SFG with naive Bayes on GMonks
    python benchmarks/paper_tables.py rfe RECORDS.jsonl               # 002: recursive feature elimination
    python benchmarks/paper_tables.py tuned RECORDS.jsonl FOLDER      # 002: LightGBM by the search of Table 1
    python benchmarks/paper_tables.py tuned-mlp RECORDS.jsonl FOLDER  # the same of the MLP
    python benchmarks/paper_tables.py accuracies RECORDS.jsonl FILE…  # 004: models after Graph-FS and ASDP
    python benchmarks/paper_tables.py report RECORDS.jsonl            # the tables, in Markdown

A line of the records is one run, table or sample; what earlier calls have made is not made again. FILE is a
table of 004 as CSV (NAME.csv.gz, class in the column `target`); XGBoost (`pip install xgboost-cpu`) is no
dependency of the package.
"""

import argparse
import json
import time
import warnings
from functools import cache
from itertools import product
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
from experiment_001 import scores
from experiment_002 import (
    PAPER_REAL,
    REAL,
    RELEVANT,
    SIZES,
    N,
    Parts,
    interval,
    lines,
    parts_of,
    scored,
    table_of,
)
from graph_score_tables import SIMILARITY_THRESHOLDS
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from pyfsel.algorithms.heuristics.asdp import asdp
from pyfsel.bench.instances import Request, generated
from pyfsel.measures import delta, prepare, read_table, redundancy
from pyfsel.papers.graph_fs import graph_fs
from pyfsel.papers.graph_score import graph_score_problem, shift_grid

RUNS, SAMPLES = 10, 10
SPLITS = {"tuned": 10, "tuned-mlp": 10}
SPACE = {
    "num_leaves": [7, 15], "learning_rate": [0.01, 0.025, 0.05], "n_estimators": [10, 20],
    "subsample": [0.6, 0.8], "colsample_bytree": [0.6, 0.8], "min_child_samples": [5, 10],
}  # fmt: skip
"""002, Table 1. Without a frequency, LightGBM ignores `subsample`."""
SPACE_MLP = {
    "hidden_layer_sizes": [(20,), (40,), (10,), (20, 10)], "activation": ["relu", "logistic"],
    "alpha": [0.0001, 0.001, 0.01], "learning_rate_init": [0.001, 0.01],
}  # fmt: skip
FIXED = {"n_jobs": 1, "random_state": 0, "verbose": -1}
PAPER_RFE = {"building": 85.30, "sonar": 0.4944}
"""002, Table 4."""
MODELS = {
    "RF": RandomForestClassifier(50, random_state=0),
    "XGBoost": None,
    "naive Bayes": GaussianNB(),
    "k-NN": make_pipeline(StandardScaler(), KNeighborsClassifier()),
}
WEIGHTS = (0.25, 0.5, 0.75)
PAPER_ACCURACY = (0.876, 0.869, 0.884, 0.858, 0.876, 0.875, 0.872, 0.880, 0.881, 0.873)
PAPER_SCORE = (0.603, 0.601, 0.588, 0.609, 0.730, 0.475, 0.456, 0.412, 0.630, 0.630)
"""001, Table 1."""
PAPER_4_TO_7 = {
    "abalone": ((46.17, 53.11, 46.17, 53.34), (55.02, 54.54, 55.02, 53.34), (55.02, 54.06, 55.02, 53.34),
                (51.67, 55.02, 51.67, 53.34)),
    "credit_approval_uci": ((98.55, 97.10, 97.10, 97.10), (98.55, 97.10, 97.10, 95.65),
                            (98.55, 97.10, 97.10, 95.65), (95.65, 95.65, 95.65, 78.26)),
    "pima": ((80.51, 74.02, 74.02, 71.42), (72.72, 71.45, 71.42, 71.42), (75.32, 72.72, 72.72, 71.42),
             (71.42, 75.32, 75.32, 71.42)),
    "ionosphere": ((100, 100, 100, 100),) * 4,
    "sonar": ((100, 100, 100, 100),) * 4,
    "letter": ((95.85, 94.95, 88.25, 95.20), (95.70, 95.70, 90.00, 95.35), (63.40, 62.60, 52.6, 61.45),
               (94.85, 94.70, 86.8, 94.45)),
    "spambase": ((96.52, 90.67, 85.46, 94.79), (96.52, 89.15, 85.68, 94.79), (90.60, 91.32, 97.61, 59.65),
                 (91.54, 92.62, 84.38, 50.45)),
    "vehicle": ((78.82, 78.82, 77.64, 74.11), (75.29, 74.11, 70.58, 75.29), (52.94, 56.47, 50.58, 49.41),
                (67.05, 72.94, 63.52, 69.41)),
    "wdbc_uci": ((78.94, 78.94, 75.43, 75.43), (78.94, 78.94, 77.19, 75.43), (78.94, 78.94, 77.19, 75.43),
                 (78.94, 78.94, 77.19, 75.43)),
}  # fmt: skip
"""By table and, in the order of `MODELS`: accuracies after Graph-FS, ASDP, both, and with all features."""
PAPER_4_TO_7["abalone, sex"] = PAPER_4_TO_7["abalone"]
READINGS = {"abalone": ("target", lambda rings: rings > 9), "abalone, sex": ("Sex", lambda sex: sex)}
"""The paper does not say which two classes abalone has: here many rings, and what its accuracies point at."""
METHODS = ("Graph-FS", "ASDP", "Graph-FS + ASDP", "all features")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    steps = {
        "variability": variability, "rfe": rfe, "tuned": tuned, "tuned-mlp": tuned_mlp,
        "accuracies": accuracies, "report": report,
    }  # fmt: skip
    for name, step in steps.items():
        command = commands.add_parser(name)
        command.add_argument("records", type=Path)
        command.set_defaults(do=step)
        if name in SPLITS:
            command.add_argument("folder", type=Path, help="of the tables of experiment_002")
        if name == "accuracies":
            command.add_argument("tables", nargs="+", type=Path)
            command.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    options = parser.parse_args()
    options.do(options)


def make(path, keys, run):
    """Run what has no record yet."""
    done = {tuple(line["key"]) for line in lines(path)}
    for key in keys:
        if key in done:
            continue
        begin = time.process_time()
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore")
            found = run(*key[1:])
        seconds = round(time.process_time() - begin, 2)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "cpu_seconds": seconds, **found}) + "\n")


def variability(options):
    """001, Table 1: ten samples of 600 rows, N_R = 24, N_R' = 12, N_I = 24; accuracy by ten folds."""

    def run(sample):
        made = generated(
            "gmonks", Request(n_features=24, n_irrelevant=24, n_redundant=12, n_rows=600), sample
        )
        X, y = made.table.drop(columns="target"), made.table["target"].to_numpy()
        accuracy, chosen = forward_naive_bayes(X.to_numpy(), y, sample)
        names = [X.columns[j] for j in chosen]
        known = {name: made.about[name] for name in ("relevant", "irrelevant", "copies")}
        irrelevant = sum(name in set(made.about["irrelevant"]) for name in names)
        about = {"useful": len(names) - irrelevant, "irrelevant": irrelevant}
        return {"accuracy": round(accuracy, 4), **scores(names, known), **about}

    make(options.records, [("variability", sample) for sample in range(RUNS)], run)


def forward_naive_bayes(X, y, seed):
    """Return the best accuracy on the way of forward selection, and the set with it (W-SFG).

    What a feature adds to the logarithm of a class's probability does not depend on the others: each fold
    fits the features once, and sets are sums.
    """
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    added, priors, rows = [], [], []
    for train, test in folds.split(X, y):
        model = CategoricalNB(min_categories=int(X.max()) + 1).fit(X[train], y[train])
        logs = [model.feature_log_prob_[j][:, X[test, j]].T for j in range(X.shape[1])]
        added.append(np.stack(logs))
        priors.append(np.tile(model.class_log_prior_, (len(test), 1)))
        rows.append(test)
    added, total, truth = np.concatenate(added, axis=1), np.concatenate(priors), y[np.concatenate(rows)]
    classes, chosen, best = np.unique(y), [], (0.0, [])
    while len(chosen) < X.shape[1]:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        accuracies = [(classes[(total + added[j]).argmax(axis=1)] == truth).mean() for j in left]
        at = int(np.argmax(accuracies))
        chosen.append(left[at])
        total = total + added[left[at]]
        if accuracies[at] > best[0]:
            best = (float(accuracies[at]), list(chosen))
    return best


def rfe(options):
    """002, Table 2: the row of RFE, with LightGBM and its importances (samples as in experiment_002)."""
    from lightgbm import LGBMRegressor

    def run(sample):
        rng = np.random.default_rng(1000 + sample)
        X = rng.random((300, N))
        y = (X[:, :RELEVANT] ** 2 + np.sin(X[:, :RELEVANT])).sum(axis=1)
        model = LGBMRegressor(**FIXED)
        parts = Parts(X, y, model, sample)
        sets = eliminated(parts, SIZES)
        kept = {
            size: [sum(j < RELEVANT for j in s), sum(j >= RELEVANT for j in s)] for size, s in sets.items()
        }
        return {"kept": kept, "chosen": parts.chosen(sets)}

    make(options.records, [("rfe", sample) for sample in range(SAMPLES)], run)


def eliminated(parts, sizes):
    """Return the set of each size that recursive elimination, a feature a step, leaves."""
    found = RFE(parts.model, n_features_to_select=min(sizes)).fit(*parts.of("training"))
    return {size: tuple(np.flatnonzero(found.ranking_ <= 1 + size - min(sizes)).tolist()) for size in sizes}


def tuned(options):
    """002, Tables 4 and 6 with RFE: LightGBM with the best parameters of Table 1 by cross-validation."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kinds = {"classification": LGBMClassifier(**FIXED), "regression": LGBMRegressor(**FIXED)}
    searched("tuned", kinds, SPACE, options)


def tuned_mlp(options):
    """002, Tables 3 and 5: the MLP likewise; RFE needs importances, which it has not."""
    kinds = {"classification": MLPClassifier(random_state=0), "regression": MLPRegressor(random_state=0)}
    searched("tuned-mlp", kinds, SPACE_MLP, options)


def searched(kind, kinds, space, options):
    """Score the methods with the best parameters of a space, each split with its own."""

    def run(table, sample):
        parts = parts_of(table, lambda task: kinds[task], sample, options.folder)
        scoring = "neg_log_loss" if is_classifier(parts.model) else "neg_mean_squared_error"
        grid = GridSearchCV(parts.model, space, cv=3, scoring=scoring, refit=False)
        parts.model.set_params(**grid.fit(*parts.of("training")).best_params_)

        def more(sizes):
            found = eliminated(parts, sizes) if kind == "tuned" else {}
            return {f"RFE {size}": s for size, s in found.items()}

        return {"test": scored(parts, more)["test"], "parameters": grid.best_params_}

    keys = product(range(SPLITS[kind]), REAL)
    make(options.records, [(kind, table, sample) for sample, table in keys], run)


def accuracies(options):
    """004, Section 4.3: the highest mean accuracy over ten folds among the selections of a grid."""
    paths = {path.name.split(".")[0]: path for path in options.tables}

    @cache
    def measured(name):
        column, classes_of = READINGS.get(name, ("target", lambda y: y))
        X, y = read_table(paths[name.split(",")[0]], column)
        table = prepare(X, np.unique(classes_of(y), return_inverse=True)[1], missing="impute")
        return table, selections(delta(table), redundancy(table, "pearson"))

    def run(name, model):
        table, sets = measured(name)
        classifier = xgboost() if model == "XGBoost" else MODELS[model]
        folds = StratifiedKFold(10, shuffle=True, random_state=0)

        @cache
        def accuracy(features):
            return cross_val_score(classifier, table.X[:, features], table.y, cv=folds).mean()

        best = {}
        for method, some in sets.items():
            highest = max(some, key=lambda features: (accuracy(features), -len(features)))
            best[method] = [round(100 * accuracy(highest), 2), len(highest), len(some)]
        return {"n_rows": len(table.y), "best": best}

    names = [name for name in PAPER_4_TO_7 if name.split(",")[0] in paths]
    make(options.records, [("accuracies", *key) for key in product(names, options.models)], run)


def xgboost():
    """Return XGBoost with the most rounds and the middle depth of the paper's ranges."""
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=30, max_depth=8, n_jobs=1, random_state=0)


def selections(weights, similarity):
    """Return by method the different selections: thresholds and shifts at quartiles, w of .25, .5 and .75."""
    n, quartiles = len(weights), shift_grid(weights)[1:4]
    thresholds = product((*quartiles, weights.max()), SIMILARITY_THRESHOLDS)
    by_graph = {graph_fs(weights, similarity, t_delta=d, t_p=p).features for d, p in thresholds}

    def by_score(features, shifts):
        of = np.array(features)
        pairs = similarity[np.ix_(of, of)][np.triu_indices(len(of), 1)]
        for w, d, p in product(WEIGHTS, range(*shifts), range(*shifts)):
            if len(pairs) == 0:
                yield tuple(features)
                continue
            problem = graph_score_problem(
                weights[of],
                similarity[np.ix_(of, of)],
                weight=w,
                shift_delta=shift_grid(weights[of])[d],
                shift_p=shift_grid(pairs)[p],
            )
            found = asdp(-problem.quality, problem.pairs).features
            yield tuple(sorted(of[list(found)].tolist()))

    whole = tuple(range(n))
    return {
        "Graph-FS": sorted(tuple(sorted(s)) for s in by_graph),
        "ASDP": sorted(set(by_score(whole, (1, 4)))),
        "Graph-FS + ASDP": sorted({s for some in by_graph for s in by_score(sorted(some), (2, 3))}),
        "all features": [whole],
    }


def report(options):
    found = lines(options.records)
    texts = {
        "variability": variability_text, "rfe": rfe_text, "tuned": tuned_text, "tuned-mlp": tuned_text,
        "accuracies": accuracy_text,
    }  # fmt: skip
    for kind, text in texts.items():
        runs = [line for line in found if line["key"][0] == kind]
        seconds = sum(line["cpu_seconds"] for line in runs)
        print(f"{text(runs)}\n\n({seconds:.0f} CPU seconds)\n" if runs else f"{kind}: not run\n")


def variability_text(runs):
    rows = [
        [line["key"][1] + 1, line["accuracy"], f"{line['score']:.3f}", line["useful"], line["irrelevant"]]
        for line in runs
    ]
    ours = [[line[name] for line in runs] for name in ("accuracy", "score")]
    texts = []
    for accuracy, score in (ours, (PAPER_ACCURACY, PAPER_SCORE)):
        rho = pd.Series(accuracy).corr(pd.Series(score), method="spearman")
        texts.append(
            f"accuracy {min(accuracy):.3f} to {max(accuracy):.3f}, score {min(score):.3f} to "
            f"{max(score):.3f}, their rank correlation {rho:.2f}"
        )
    head = ["#", "naive Bayes", "score s", "relevant or redundant", "irrelevant"]
    return f"{table_of(head, rows)}\n\nHere: {texts[0]}; in the paper: {texts[1]}."


def rfe_text(runs):
    rows = [
        [line["key"][1], *(f"{right}+{wrong}" for right, wrong in line["kept"].values()), line["chosen"]]
        for line in runs
    ]
    return table_of(["sample", *(f"RFE {size}" for size in SIZES), "size chosen"], rows)


def tuned_text(runs):
    rows = []
    for table in REAL:
        some = [line["test"] for line in runs if line["key"][1] == table]
        model = "mlp" if runs[0]["key"][0] == "tuned-mlp" else "hist"
        paper = {"RFE": PAPER_RFE[table], **PAPER_REAL[model, table]}
        scale = 1e4 if table == "building" else 1
        whole = np.array([line["all"][0] for line in some]) * scale
        for method in some[0]:
            losses = np.array([line[method][0] for line in some]) * scale
            sizes = [line[method][1] for line in some]
            change = "–" if method == "all" else interval(losses - whole)
            rows.append([table, method, len(some), interval(losses), paper.get(method, "–"),
                         f"{np.mean(sizes):.1f}", change])  # fmt: skip
    head = [
        "table",
        "method",
        "splits",
        "test loss, 95 %",
        "paper",
        "features",
        "minus all features', paired",
    ]
    return table_of(head, rows)


def accuracy_text(runs):
    rows = []
    for line in runs:
        _, name, model = line["key"]
        cells = []
        for method, theirs in zip(METHODS, PAPER_4_TO_7[name][list(MODELS).index(model)], strict=True):
            ours, size, tried = line["best"][method]
            cells.append(f"{ours} ({theirs:g}), {size} of {tried}")
        rows.append([name, model, *cells])
    return (
        table_of(["table", "model", *METHODS], rows)
        + "\n\nIn %, the paper's in brackets; features of the best selection, of how many selections."
        + f"\n\n{of_one_fold()}"
    )


def of_one_fold():
    """Say how many of the printed accuracies are those of a tenth of the rows, to the digit."""
    rows = {
        "abalone": 4177, "credit_approval_uci": 690, "letter": 20000, "pima": 768, "spambase": 4601,
        "vehicle": 846, "wdbc_uci": 569,
    }  # fmt: skip
    figures = [(n, x) for name, n in rows.items() for model in PAPER_4_TO_7[name] for x in model]

    def share(size_of):
        return sum(
            any(0 <= 100 * hits / size_of(n) - x < 0.01 for hits in range(size_of(n) + 1)) for n, x in figures
        )

    return (
        f"Of the {len(figures)} figures printed for {', '.join(rows)}, {share(lambda n: ceil(n / 10))} are "
        "whole numbers of rows out of a tenth of the table, cut off after two digits; only "
        f"{share(lambda n: n)} are whole numbers out of all rows, as means over ten folds would nearly be."
    )


if __name__ == "__main__":
    main()
