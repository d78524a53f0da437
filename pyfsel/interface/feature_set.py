"""One set of features, as users see it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar, TypeVar, overload

from pyfsel.results.backend_answer import Status
from pyfsel.results.result import Result
from pyfsel.results.saved_entry import Saved

Item = TypeVar("Item")


class Listed(Sequence[Item]):
    """Iterates over the parts of the tuple that one of its fields is."""

    parts: ClassVar[str]

    def __len__(self) -> int:
        return len(getattr(self, self.parts))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        found: Item | tuple[Item, ...] = getattr(self, self.parts)[index]
        return found


@dataclass(frozen=True)
class FeatureSet(Saved, Listed[str]):
    """One set of features; it iterates over their names.

    Parameters
    ----------
    names : tuple of str
    indices : tuple of int
        The 0-based positions of the features in the problem.
    quality : float
        In the unit of the answer.
    relative : float
        The quality as a proportion of the quality of set 0; NaN if set 0 has no positive quality.
    high : float or None
        No set that differs enough from the earlier ones has a larger quality; None if that is not proved.
        If shared features have a price: no such set for which no higher price is due.
    status : Status
    shared : tuple of int
        The number of features shared with each earlier set.
    cost : float or None
    error : float or None
        Half the width of the 95% interval of the quality.
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    quality: float
    relative: float = math.nan
    high: float | None = None
    status: Status = Status.FEASIBLE
    shared: tuple[int, ...] = ()
    cost: float | None = None
    error: float | None = None

    parts = "names"


def feature_sets(result: Result, best: float | None = None) -> tuple[FeatureSet, ...]:
    """Return the sets of a result; proportions are of the best quality, by default the quality of set 0."""
    bounds = result.step_bounds if result.is_stepwise else []
    margins = () if result.sampling is None else result.sampling.margins
    statuses = [step.status for step in result.steps if step.features is not None]
    qualities = result.qualities
    top = best or next(iter(qualities), 0)
    costs, reached = result.problem.costs, bounds and result.step_objectives
    columns: Any = zip_longest(result.sets, qualities, reached, bounds, statuses, margins)
    return tuple(
        FeatureSet(
            tuple(result.problem.names_of(members)),
            members,
            quality,
            quality / top if top > 0 else math.nan,
            None if bound is None else quality + max(0.0, bound - value),
            status or result.status,
            tuple(len({*members} & {*other}) for other in result.sets[:i]),
            None if costs is None else int(costs[list(members)].sum()) / result.problem.cost_scale,
            error,
        )
        for i, (members, quality, value, bound, status, error) in enumerate(columns)
    )
