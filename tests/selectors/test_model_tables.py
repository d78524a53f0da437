"""Tables for models: one encoding for all selectors; folds, weights and groups mean the same everywhere."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from test_columns import SELECTORS

from pyfsel import AlternativeFeatureSelector, InputError, evaluate
from pyfsel.measures import quality
from pyfsel.measures.tables.model_tables import FoldTables, ModelColumns, encoding_of
from pyfsel.measures.tables.table import prepare
from pyfsel.objectives import Model
from pyfsel.papers.mask_selector import MaskSelector
from pyfsel.papers.subset.selector import SubsetSelector
from pyfsel.selectors.splits import SplitRows

N = 240
LETTERS = np.array(list("abcdefgh"))


def table_with_category(dtype="category"):
    """A category of eight values that decides nine of ten labels, next to noise; its order says nothing."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 8, N)
    y = np.isin(level, [1, 4, 6]) ^ (rng.random(N) < 0.1)
    X = pd.DataFrame(rng.normal(size=(N, 5)), columns=[f"f{i}" for i in range(5)])
    return X.assign(c=pd.Series(LETTERS[level]).astype(dtype)), y.astype(int)


def one_hot(columns):
    steps = (OneHotEncoder(handle_unknown="ignore"), columns), (StandardScaler(), ["f0", "f1"])
    return make_pipeline(make_column_transformer(*steps, remainder="passthrough"), LogisticRegression())


MODELS = {
    "linear": (LogisticRegression(), "blocks"),
    "forest": (RandomForestClassifier(10, min_samples_leaf=10, random_state=0), "blocks"),
    "scaled": (make_pipeline(StandardScaler(), LogisticRegression()), "blocks"),
    "boosting": (HistGradientBoostingClassifier(max_iter=4, random_state=0), "levels"),
    "listed": (HistGradientBoostingClassifier(max_iter=4, categorical_features=["c"]), "levels"),
    "by name": (one_hot(["c"]), "frame"),
    "by place": (one_hot([5]), "frame"),
    "by mask": (one_hot(np.arange(6) == 5), "frame"),
    "by type": (one_hot(make_column_selector(dtype_exclude="number")), "frame"),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, "category") for name in MODELS),
        ("linear", "object"),
        ("boosting", "object"),
        ("by type", "object"),
    ],
)
def test_models_find_a_category(name, dtype):
    """In wrapper, subset by a model, masks, held-out scores and importances; codes 0 … 7 reach 0.66."""
    X, y = table_with_category(dtype)
    model, kind = MODELS[name]
    assert encoding_of(model, ModelColumns.of(prepare(X, y))) == kind
    wrapper = AlternativeFeatureSelector(1, n_sets=1, objective=Model(model, cv=3)).fit(X, y)
    assert wrapper.sets_[0].names == ("c",)
    assert wrapper.sets_[0].quality > 0.85
    subset = SubsetSelector("forward", "model", 1, estimator=model, cv=3).fit(X, y)
    assert subset.get_feature_names_out().tolist() == ["c"]
    assert subset.value_ == pytest.approx(wrapper.sets_[0].quality)
    mask = MaskSelector(model, 1, random_state=0).fit(X, y)
    assert mask.get_feature_names_out().tolist() == ["c"]
    assert evaluate(X, y, mask, model, cv=3, repeats=1).to_frame()["score"][0] > 0.85
    importances = quality(
        prepare(X, y), measure="permutation_importance", estimator=model, random_state=0, n_repeats=2
    )
    assert importances.argmax() == 5
    if kind == "blocks":
        assert quality(prepare(X, y), measure="model_importance", estimator=model).shape == (6,)


@pytest.mark.parametrize("missing", ["impute", "category"])
def test_blocks_are_what_a_pipeline_of_scikit_learn_makes(missing):
    X, y = table_with_category()
    rng = np.random.default_rng(1)
    X = X.mask(rng.random(X.shape) < 0.05)
    rare = X["c"].isin(["b", "c"]) & (rng.random(N) < 0.95)
    X["c"] = X["c"].mask(rare)
    train, test = np.arange(0, N, 2), np.arange(1, N, 2)
    table = FoldTables(ModelColumns.of(prepare(X, y, missing=missing)), LogisticRegression(), train, test)
    numbers = [f"f{i}" for i in range(5)]
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", sparse_output=False, min_frequency=5)
    filled = [SimpleImputer(strategy="most_frequent")] if missing == "impute" else []
    expected = ColumnTransformer(
        [
            ("numbers", SimpleImputer(strategy="median"), numbers),
            ("categories", make_pipeline(*filled, encoder), ["c"]),
        ]
    )
    wanted = expected.fit(X.iloc[train]).transform(X.iloc[test])
    members = range(6)
    found, parts = table(members)[1], table.parts(members)
    first = found[:, [part[0] for part in parts[:5]]]
    assert first == pytest.approx(wanted[:, :5])
    levels = found[:, parts[5]]
    assert sorted(levels.sum(axis=0)) == sorted(wanted[:, 5:].sum(axis=0))
    assert (levels.sum(axis=1) == 1).all()
    assert all(len(part) == (1 if missing == "impute" else 2) for part in parts[:5])


@pytest.mark.parametrize("model", ["linear", "neighbours", "tree"])
@pytest.mark.parametrize("power", [-1000, 500, 1000])
def test_scores_do_not_depend_on_the_units_of_numbers(model, power):
    (X, y), selector = noise(), AlternativeFeatureSelector(2, n_sets=2)
    tables = (evaluate(X * unit, y, selector, model, cv=2, repeats=1).to_frame() for unit in (1, 2.0**power))
    assert len({tuple(table["score"]) for table in tables}) == 1


def test_estimators_that_look_at_columns_get_those_of_the_user():
    seen = []

    def look(X):
        seen.append(X.dtypes.astype(str).to_dict())
        return X.to_numpy(dtype=float)

    X = pd.DataFrame({"n": np.arange(N) % 7, "x": np.linspace(0, 1, N), "b": np.arange(N) % 2 == 0})
    y = np.arange(N) % 3 == 0
    model = make_pipeline(FunctionTransformer(look), LogisticRegression())
    SubsetSelector("forward", "model", 2, estimator=model).fit(X, y)
    assert {name: kind for one in seen for name, kind in one.items()} == X.dtypes.astype(str).to_dict()


def noise():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 5))
    X[:, 1] += y
    return pd.DataFrame(X, columns=list("abcde")), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SELECTORS)
def test_missing_dates_groups_and_weights_mean_the_same_in_all_selectors(kind):
    (X, y), selector = noise(), SELECTORS[kind]()
    groups, weights = np.arange(60) // 4, 1.0 + np.arange(60) % 2
    gappy = X.assign(day=pd.date_range("2024-01-01", periods=60))
    gappy.loc[[3, 23, 43], ["a", "day"]] = None
    read, without = clone(selector).fit(gappy, y), clone(selector).set_params(missing="drop")
    assert evaluate(gappy, y, read, cv=2, repeats=1).details["n_rows"] == 60
    dropped = evaluate(gappy, y, without, cv=2, repeats=1).details
    assert (dropped["n_rows"], dropped["n_dropped"]) == (57, 3)
    with pytest.raises(InputError, match="missing: 'drop' and 'impute' are specified"):
        evaluate(gappy, y, [read, without])
    clone(selector).fit(X, y, groups=groups)
    if kind in ("graph", "asdp"):
        with pytest.raises(InputError, match="sample_weight: "):
            clone(selector).fit(X, y, sample_weight=weights)
    else:
        clone(selector).fit(X, y, groups=groups, sample_weight=weights)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        clone(selector).fit(X, y, colour=groups)
    assert len(evaluate(X, y, selector, groups=groups, cv=2, repeats=1).folds())


@pytest.mark.parametrize("as_cv", [list, iter, lambda pairs: GroupKFold(3), lambda pairs: 3])
def test_folds_are_the_same_however_they_are_given(as_cv):
    X, y = noise()
    groups = np.arange(60) // 4
    pairs = list(GroupKFold(3).split(X, y, groups))
    expected = [set(test) for _, test in pairs]
    found = SplitRows(60, None, groups).splits(as_cv(pairs))
    assert [set(test) for _, test in found] == expected
    for kind, name in (("wrapper", "objective__cv"), ("subset", "cv")):
        fitted = SELECTORS[kind]().set_params(**{name: as_cv(pairs)}).fit(X, y, groups=groups)
        assert "b" in fitted.get_feature_names_out()
    found = evaluate(X, y, SELECTORS["alternatives"](), groups=groups, cv=as_cv(pairs), repeats=2)
    assert found.details["n_folds"] == (6 if as_cv(pairs) == 3 else 3)


def test_a_column_that_does_not_exist_is_named():
    with pytest.raises(InputError, match="names the column 'z'"):
        SubsetSelector("forward", "model", 2, estimator=one_hot(["z"])).fit(*table_with_category())


def pairs(fold):
    """Numbers of the rows that train, and a mask of those that are held out."""
    return [(np.flatnonzero(fold != one), fold == one) for one in range(3)]


@pytest.mark.parametrize("way", [pairs, PredefinedSplit])
def test_rows_of_folds_are_rows_of_the_users_table(way):
    """Rows that are left out are in no fold; the others stay in theirs."""
    (X, y), fold = noise(), np.arange(60) % 3
    gappy = X.mask(np.random.default_rng(1).random(X.shape) < 0.03)
    left = gappy.notna().all(axis=1).to_numpy()
    assert 40 < left.sum() < 55

    def found(rows, target, folds):
        subset = SubsetSelector("forward", "model", 2, missing="drop", cv=way(folds)).fit(rows, target)
        drops = AlternativeFeatureSelector(2, missing="drop")
        return subset.value_, *evaluate(rows, target, drops, cv=way(folds), repeats=1).folds()["score"]

    assert found(gappy, y, fold) == found(X[left], y[left], fold[left])
