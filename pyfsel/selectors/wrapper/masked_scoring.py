"""The quality of feature sets as one fitted model sees it, with all other features masked (paper 002)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.masked_model import fitted_masked_model
from pyfsel.measures.tables.table import Table
from pyfsel.problem.objectives import FeatureSet


class MaskedScorer:
    """Scores feature sets by minus the loss of one model, fitted once; takes the place of `SetScorer`.

    Parameters
    ----------
    table : Table
    estimator : estimator, optional
        Histogram gradient boosting unless given.
    random_state : int, optional

    Attributes
    ----------
    n_models : int
        One.
    scores : dict
        Minus the loss on the held-out rows, by feature set.
    """

    def __init__(self, table: Table, estimator: Any = None, random_state: int | None = None) -> None:
        self.model = fitted_masked_model(table, estimator, random_state=random_state or 0)
        self.n_models = 1
        self.scores: dict[FeatureSet, float] = {}

    def __call__(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the score of each set, larger is better."""
        self.scores.update(zip(sets, self.model(sets), strict=True))
        return [self.scores[s] for s in sets]

    def fingerprint(self) -> str:
        """Return a hash of the data and the model: what the scores depend on."""
        import joblib

        model = self.model
        parameters = repr(sorted(model.estimator.get_params().items(), key=lambda item: item[0]))
        kind = f"{type(model.estimator).__module__}.{type(model.estimator).__qualname__}"
        return str(joblib.hash((model.X, model.y, model.fill, "masked", kind, parameters)))

    def remember(self, scores: Iterable[tuple[Iterable[int], float]]) -> None:
        """Take scores over from an earlier run."""
        self.scores.update({tuple(members): score for members, score in scores})


def check_alone(scoring: Any, cv: Any) -> None:
    """Raise `InputError` if folds or a scorer are given with a masked model, which has its own loss."""
    for name, given in (("scoring", scoring), ("cv", cv)):
        if given is not None:
            raise InputError(f"{name}={given!r}: is for scored_by='cross-validation' only")
