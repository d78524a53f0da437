"""Models by short names, and what they and those of users need where columns are categories or have gaps.

All of it is fitted in each fold, to the training rows.
"""

from __future__ import annotations

from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.tables.times import SURVIVAL
from pyfsel.selectors.evaluation.survival import CoxModel

ESTIMATORS = ("linear", "tree", "forest", "neighbours", "boosting")
SCALED = ("linear", "neighbours")
RARE = 5
"""Levels of fewer training rows count as one."""
MOST_COLUMNS, MOST_LEVELS = 50, 200
"""So many levels of a column are told apart in one-hot columns, and by boosting, which takes at most 255."""


def model_for(estimator: Any, task: str, missing: str, is_plain: bool) -> Any:
    """Return an unfitted model behind what it needs for columns of categories and with gaps.

    Parameters
    ----------
    estimator : estimator or one of `ESTIMATORS`
        One that holds a `ColumnTransformer` is taken as it is.
    task : {"classification", "regression", "survival"}
    missing : {"error", "drop", "impute", "level"}
        "level": a gap is a level of categories, and a column of its own beside numbers.
    is_plain : bool
        Whether all columns are numbers without gaps.
    """
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

    model = _named(estimator, task) if isinstance(estimator, str) else estimator
    scaling = [StandardScaler()] if isinstance(estimator, str) and estimator in SCALED else []
    of_columns = any(isinstance(part, ColumnTransformer) for part in model.get_params().values())
    if is_plain or of_columns:
        return make_pipeline(*scaling, model) if scaling else model
    numbers, categories = (make_column_selector(dtype_include=kind) for kind in ("number", "category"))
    rare: dict[str, Any] = {"min_frequency": RARE, "max_categories": MOST_COLUMNS}
    if estimator == "boosting":
        unknown = {"handle_unknown": "use_encoded_value", "unknown_value": float("nan")}
        levels = OrdinalEncoder(**rare | unknown | {"max_categories": MOST_LEVELS})
        as_levels = FunctionTransformer(_as_categories, feature_names_out="one-to-one")
        steps: list[Any] = [("categories", make_pipeline(levels, as_levels), categories)]
        columns = ColumnTransformer(steps, remainder="passthrough", verbose_feature_names_out=False)
        return make_pipeline(columns.set_output(transform="pandas"), model)
    one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", sparse_output=False, **rare)
    filled = [] if missing == "level" else [_imputer("most_frequent")]
    steps = [
        ("numbers", make_pipeline(_imputer("median", missing == "level"), *scaling), numbers),
        ("categories", make_pipeline(*filled, one_hot), categories),
    ]
    return make_pipeline(ColumnTransformer(steps), model)


def _named(name: str, task: str) -> Any:
    """Return an unfitted estimator of `ESTIMATORS`; of times until an event there is a linear one only."""
    from sklearn import ensemble, linear_model, neighbors, tree

    if task == SURVIVAL:
        if name != "linear":
            raise InputError(f"estimator={name!r}: must be linear (a Cox model) for times until an event")
        return CoxModel()
    is_class = task == "classification"
    if name == "linear":
        return linear_model.LogisticRegression(max_iter=2000) if is_class else linear_model.Ridge()
    module, kind = {
        "tree": (tree, "DecisionTree"),
        "forest": (ensemble, "RandomForest"),
        "neighbours": (neighbors, "KNeighbors"),
        "boosting": (ensemble, "HistGradientBoosting"),
    }[name]
    return getattr(module, f"{kind}{'Classifier' if is_class else 'Regressor'}")()


def _imputer(strategy: str, add_indicator: bool = False) -> Any:
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy=strategy, add_indicator=add_indicator, keep_empty_features=True)


def _as_categories(codes: Any) -> Any:
    return codes.astype("category")


def filled_numbers(train: Any, test: Any) -> tuple[Any, Any]:
    """Return two tables for selectors that take numbers only: codes, and gaps filled by the first."""
    train, test = (
        frame.apply(lambda column: column.astype(float) if column.dtype == "category" else column)
        for frame in (train, test)
    )
    middle = train.median().fillna(0.0)
    return train.fillna(middle), test.fillna(middle)
