"""How far the numbers of a problem can be trusted, as the rows say that they were measured from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.arrays import Indices, Reals
from pyfsel.problem.checks import finite_array, is_a

Replicates = NDArray[np.floating[Any]]
OfPairs = Callable[[Sequence[int]], tuple[Replicates, Replicates]]
NAMES_IN_FILES = ("measured_p_values", "measured_chance_left_out", "measured_errors")
LEVEL = 0.05
"""In at most this proportion of tables a column without information counts as significant."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known of the qualities of a problem in addition to their values.

    Parameters
    ----------
    p_values : array of float, shape (n_features,), optional
        How often chance alone makes some column as informative as this (Westfall and Young).
    are_left_out : bool
        Whether columns that are not significant are forbidden.
    standard_errors : array of float, shape (n_features,), optional
        Of the qualities, on their scale; an empty list in files if they were not measured.
    replicates : array of float, shape (n_replicates, n_features), optional
        Errors of the qualities as other samples of rows could make them, of all features together, on their
        scale; not in files.
    of_pairs : callable, optional
        Returns the errors of some features and of their pairs, which are measured from the table when they
        are needed, shapes (n_replicates, m) and (n_replicates, m, m); not in files and other processes.

    Examples
    --------
    >>> Evidence(p_values=[0.001, 0.4]).not_above_chance().tolist()
    [1]
    """

    p_values: Reals | None = None
    are_left_out: bool = False
    standard_errors: Reals | None = None
    replicates: Replicates | None = field(default=None, repr=False)
    of_pairs: OfPairs | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what needs the table."""
        return self.__dict__ | {"of_pairs": None}

    def errors(self, features: Sequence[int]) -> tuple[Replicates, Replicates | None] | None:
        """Return replicates of the errors of some features and of their pairs, None if they are unknown."""
        if self.of_pairs is not None:
            return self.of_pairs(features)
        return (
            None if self.replicates is None else (self.replicates[:, list(features)].astype(np.float64), None)
        )

    def not_above_chance(self, features: Iterable[int] | None = None) -> Indices:
        """Return which features, of these or of all, are not significant."""
        p_values = np.asarray(() if self.p_values is None else self.p_values)
        found = np.flatnonzero(p_values > LEVEL)
        return found if features is None else found[np.isin(found, list(features))]

    def checked(self, n_features: int) -> Evidence:
        """Return the same with arrays of floats; raise `InputError` for others of another length."""
        numbers: dict[str, Any] = {}
        for name in ("p_values", "standard_errors"):
            given = getattr(self, name)
            numbers[name] = None if given is None else finite_array(name, given, (n_features,))
        return replace(self, **numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a problem's JSON."""
        data: dict[str, Any] = {}
        if self.p_values is not None:
            p_values = np.asarray(self.p_values).tolist()
            data = {"measured_p_values": p_values, "measured_chance_left_out": self.are_left_out}
        errors = () if self.standard_errors is None else self.standard_errors
        return data | {"measured_errors": np.asarray(errors).tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence | None:
        """Return the evidence in the JSON of a problem, None if it has none."""
        p_values, errors = data.get("measured_p_values"), data.get("measured_errors")
        if p_values is None and errors is None:
            return None
        are_left_out = data.get("measured_chance_left_out", False)
        is_a("measured_chance_left_out", are_left_out, bool, "true or false")
        return cls(p_values, are_left_out, None if errors == [] else errors)
