"""Statements of a file about sets, held against the problem: rules, names, qualities, numbers of sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import set_costs
from pyfsel.results.result import follows_from_found
from pyfsel.results.saved_entry import LARGEST
from pyfsel.results.verify import violations

OWN_QUALITY = ("model", "consistency", "masks")
"""Questions whose sets have a quality that the problem does not know, such as the score of a model."""
NO_LONGER_STATED = ("near_copies",)
"""Fields that only earlier files have, and that nothing follows from."""


def differences(stated: Any, expected: Any, path: str = "") -> Iterator[str]:
    """Yield where stated data are not what is expected; a missing field counts as None.

    Floats may differ by 1e-9 of themselves.

    Examples
    --------
    >>> list(differences({"sets": [[0, 1]], "low": 3}, {"sets": [[0, 1], [2, 3]], "low": 3}))
    ['sets is stated with length 1, recomputed it has length 2']
    """
    if isinstance(stated, Mapping) and isinstance(expected, Mapping):
        names = [name for name in {**expected, **stated} if name not in NO_LONGER_STATED]
        for name in names:
            yield from differences(stated.get(name), expected.get(name), f"{path}.{name}" if path else name)
    elif isinstance(stated, list) and isinstance(expected, list):
        if len(stated) != len(expected):
            yield f"{path} is stated with length {len(stated)}, recomputed it has length {len(expected)}"
            return
        for number, pair in enumerate(zip(stated, expected, strict=True)):
            yield from differences(*pair, f"{path}[{number}]")
    elif not _agree(stated, expected):
        yield f"{path} is stated as {stated!r}, recomputed it is {expected!r}"


def _agree(stated: Any, expected: Any) -> bool:
    if isinstance(expected, float) and type(stated) in (int, float):
        return abs(stated) <= LARGEST and isclose(stated, expected, rel_tol=1e-9, abs_tol=1e-12)
    return type(stated) is type(expected) and bool(stated == expected)


def members_of(instance: Instance, entry: Any) -> tuple[Any, ...]:
    """Return the numbers of the features of a set, which are given by name or number."""
    listed = entry.get("indices", entry.get("features")) if isinstance(entry, Mapping) else entry
    if not isinstance(listed, list):
        raise InputError(f"solution: {entry!r} is not a set of features")
    numbers = {name: j for j, name in instance.copies}
    numbers |= {name: j for j, name in enumerate(instance.feature_names)}
    return tuple(numbers.get(j, j) if isinstance(j, str) else j for j in listed)


def wrong_statements(
    instance: Instance, sets: Sequence[tuple[int, ...]], entries: Sequence[Any]
) -> list[str]:
    """Return which names, qualities, costs and shared features do not follow from sets that obey the rules.

    Without costs each feature costs 1, as in the question for the cheapest sets.

    Examples
    --------
    >>> one = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=1, costs=[1, 1, 2])
    >>> sets = (0, 1), (0, 2)
    >>> wrong_statements(one, sets, [{"cost": 2, "shared": []}, {"cost": 3, "shared": [1], "quality": 4}])
    []
    >>> for line in wrong_statements(one, sets, [{"cost": 1}, {"shared": [0]}]):
    ...     print(line)
    sets[0].cost is stated as 1, recomputed it is 2.0
    sets[1].shared[0] is stated as 0, recomputed it is 1
    """
    wrong = list[str]()
    costs = set_costs(instance, sets) or [float(len(one)) for one in sets]
    listed = zip(entries, sets, values.qualities(instance, sets), costs, strict=True)
    for number, (entry, one, quality, cost) in enumerate(listed):
        given = entry if isinstance(entry, Mapping) else {}
        names = given.get("names", given.get("features") if "indices" in given else None)
        shared = [len({*one} & {*other}) for other in sets[:number]]
        expected = {"names": instance.names_of(one), "quality": quality, "cost": cost, "shared": shared}
        stated = {**given, "names": names}
        known = {name: stated[name] for name in expected if stated.get(name) is not None}
        wrong += differences(known, {name: expected[name] for name in known}, f"sets[{number}]")
    return wrong


def wrong_in_answer(instance: Instance, data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the sets of an answer, and with the numbers that only they show."""
    question, families = data["question"], data["details"].get("families", ())
    sets = tuple(members_of(instance, entry) for entry in data["sets"])
    parts = [("", sets), *((f"answer {i}: ", tuple(map(tuple, one))) for i, one in enumerate(families))]
    if question == "most_dissimilar":  # the threshold of the problem makes no difference
        instance, parts = instance.replace(previous=(), relatives=()), [("", (one,)) for one in sets]
    wrong = [
        f"{where}{line}"
        for where, some in parts
        for line in (violations(instance.replace(n_sets=len(some)), some) if some else ())
    ]
    if wrong or follows_from_found(data):
        return wrong
    if question not in OWN_QUALITY:
        wrong = wrong_statements(instance, sets, data["sets"])
    low, high = data.get("low"), data.get("high")
    expected: float | None = {"ties": len(families), "most_sets": len(sets)}.get(question)
    if question == "solve" and sets:
        wrong += _wrong_totals(instance, sets, {"sum": data["details"].get("sum"), "low": low})
    elif expected is not None:
        wrong += differences(low, float(expected), "low")
    if low is not None and high is not None and low > high:
        wrong.append(f"low is stated as {low}, which exceeds high, {high}")
    return wrong


def _wrong_totals(
    instance: Instance, sets: Sequence[tuple[int, ...]], stated: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with sum and minimum, which earlier files state of the rounded qualities."""
    worth = values.qualities(instance, sets)
    rounded = [values.to_float(instance, one) for one in values.values(instance, sets).tolist()]
    told = [list(differences(stated, {"sum": sum(of), "low": min(of)})) for of in (worth, rounded)]
    return [] if [] in told else told[0]
