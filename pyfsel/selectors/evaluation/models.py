"""Models by short names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.tables.times import SURVIVAL
from pyfsel.problem.checks import suggestion
from pyfsel.selectors.evaluation.survival import CoxModel

MODELS = ("linear", "tree", "forest", "neighbours", "boosting")
SCALED = ("linear", "neighbours")


@dataclass(frozen=True)
class Predictor:
    """An unfitted model, and whether its numbers are standardised."""

    model: Any
    is_scaled: bool


def predictor(given: Any, task: str) -> Predictor:
    """Return a model, or one of `MODELS` by its name, as it is fitted in each fold."""
    if isinstance(given, str):
        return Predictor(_named(given, task), given in SCALED)
    return Predictor(given, False)


def _named(name: str, task: str) -> Any:
    """Return an unfitted model of `MODELS`; of times until an event there is a linear one only."""
    from sklearn import ensemble, linear_model, neighbors, tree

    if task == SURVIVAL:
        if name != "linear":
            raise InputError(f"model={name!r}: must be linear (a Cox model) for times until an event")
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


def check_scoring_name(scoring: Any) -> None:
    """Raise `InputError` for a text that is not the name of a scorer of scikit-learn."""
    from sklearn.metrics import get_scorer_names

    if isinstance(scoring, str) and scoring not in get_scorer_names():
        hint = suggestion(scoring, get_scorer_names())
        raise InputError(f"scoring={scoring!r}: must be the name of a scorer of scikit-learn.{hint}")
