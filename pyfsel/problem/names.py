"""Side constraints as users write them: features by name or number, costs as floats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from numbers import Integral
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_array, finite_number, integer_in, list_of, suggestion
from pyfsel.problem.fields import Group
from pyfsel.problem.labels import columns_of, labels_of, listed_names
from pyfsel.problem.quantise import quantise_costs
from pyfsel.problem.rules import Constraints


def side_fields(names: Sequence[str], rules: Constraints) -> dict[str, Any]:
    """Return the rules for every set as fields of an `Instance`, but for the minimum quality.

    Raises
    ------
    InputError
        If a feature is unknown, a cost is missing, or a number is not allowed.

    Examples
    --------
    >>> rules = Constraints(forced=["iron"], costs={"age": 0.5, "iron": 2}, budget=2.25)
    >>> fields = side_fields(["age", "iron"], rules)
    >>> fields["forced"], fields["costs"].tolist(), fields["budget"], fields["cost_scale"]
    ((1,), [5, 20], 22, 10.0)
    """
    found: dict[str, Any] = {
        "forced": feature_numbers("forced", rules.forced, names),
        "forbidden": feature_numbers("forbidden", rules.forbidden, names),
        "groups": [
            replace(group, features=feature_numbers(f"groups[{i}]", group.features, names))
            if isinstance(group, Group)
            else group
            for i, group in enumerate(list_of("groups", rules.groups))
        ],
        "previous": [
            feature_numbers("previous", members, names) for members in list_of("previous", rules.previous)
        ],
    }
    budget = rules.budget
    if rules.costs is None:
        if budget is not None:
            raise InputError(f"budget={budget!r}: has no costs. Give costs as well")
        return found
    costs = _costs_of_table(rules.costs)
    is_mapping = isinstance(costs, Mapping) or any(labels_of(costs))
    numbers = finite_array("costs", _costs_in_order(costs, names) if is_mapping else costs, (len(names),))
    if (numbers < 0).any():
        j = int(np.argmax(numbers < 0))
        raise InputError(f"costs[{names[j]!r}]={numbers[j]:g}: must be a number of at least 0")
    if budget is not None and finite_number("budget", budget) < 0:
        raise InputError(f"budget={budget!r}: must be a number of at least 0")
    integers, scale = quantise_costs(numbers)
    found |= {"costs": integers, "cost_scale": scale}
    if budget is not None:
        found["budget"] = floor(Fraction(repr(float(budget))) * Fraction(scale))
    return found


def feature_numbers(argument: str, features: Any, names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of features that are given by name, by number, or by a pattern such as ``lab_*``.

    A pattern means all features that match it, unless some feature has that very name.
    """
    listed = list_of(argument, features)
    found = [j for feature in listed for j in _matching(argument, feature, names)]
    return tuple(dict.fromkeys(found))


def _matching(argument: str, feature: Any, names: Sequence[str]) -> list[int]:
    if not isinstance(feature, str):
        if isinstance(feature, Integral) and str(feature) in names and names.index(str(feature)) != feature:
            raise InputError(
                f"{argument}: {feature} is ambiguous. It is the name of a feature at another position. "
                "Give the name as text, or rename the features."
            )
        return [integer_in(argument, feature, 0, len(names) - 1)]
    if feature in names:
        return [names.index(feature)]
    if "*" in feature:
        pattern = re.compile(".*".join(map(re.escape, feature.split("*"))), re.DOTALL)
        found = [j for j, name in enumerate(names) if pattern.fullmatch(name)]
        if found:
            return found
        raise InputError(f"{argument}: no feature matches {feature!r}")
    parts = [part.strip() for part in str(feature).split(",")]
    if len(parts) > 1 and set(parts) <= set(names):
        raise InputError(f"{argument}: {feature!r} is not a feature. Give each by itself: {str(parts)[1:-1]}")
    raise InputError(f"{argument}: {feature!r} is not a feature.{suggestion(feature, names)}")


def _costs_of_table(costs: Any) -> Any:
    """Return the column cost by the column feature of a table of any library; other costs as they are."""
    names = columns_of(costs)
    if names is None:
        return costs
    if not {"feature", "cost"} <= set(names):
        listed = ", ".join(map(repr, names))
        raise InputError(f"costs: is a table of {listed}. Expected the columns 'feature' and 'cost'")
    return dict(zip(*(np.asarray(costs[name]).tolist() for name in ("feature", "cost")), strict=True))


def _costs_in_order(costs: Mapping[Any, Any], names: Sequence[str]) -> list[float]:
    given: dict[int, float] = {}
    for feature, cost in costs.items():
        number = finite_number(f"costs[{feature!r}]", cost)
        for j in feature_numbers("costs", [feature], names):
            if j in given:
                raise InputError(f"costs: {names[j]!r} has more than one")
            given[j] = number
    lacking = listed_names(names, without={names[j] for j in given})
    if lacking:
        raise InputError(f"costs: lack {lacking}")
    return [given[j] for j in range(len(names))]
