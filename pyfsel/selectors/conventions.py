"""What all selectors have in common, after the conventions of scikit-learn."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from pyfsel.errors import InputError
from pyfsel.problem.checks import LARGEST_SEED, generator_of, seed_or_generator


def seed_of(random_state: Any) -> int | None:
    """Return the seed that a selector's `random_state` means, checked; a generator draws one."""
    seed_or_generator("random_state", random_state)
    if random_state is None:
        return None
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator_of(random_state).randint(LARGEST_SEED))


class TargetMixin(SelectorMixin):  # type: ignore[misc]
    """For selectors that need a target, and take sparse tables."""

    def _handed_on(self, *own: str, **changed: Any) -> dict[str, Any]:
        """Return the parameters besides its own ones for a function that takes them alike, some changed."""
        given = self.get_params(deep=False)
        return {name: given[name] for name in given if name not in own} | changed

    def _require_target(self, y: Any) -> None:
        """Raise `InputError`, in the words that scikit-learn's own tests look for, if there is no target."""
        if y is None:
            raise InputError(
                f"y: This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class OneSetMixin(TargetMixin):
    """For selectors whose `fit` finds one set, `features_`."""

    features_: NDArray[np.intp]
    n_features_in_: int

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "features_")
        return np.isin(np.arange(self.n_features_in_), self.features_)
