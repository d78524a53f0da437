"""Statements of a file about sets, held against the problem.

What follows from the problem and the sets is recomputed and compared; words of closed sets are checked. What
only another search can find out is a claim: a status, a bound, the numbers of an atlas, a best quality to
which `relative` refers that is not of set 0. So are texts, measured times, and errors, which need the table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isclose, isnan, nan
from types import SimpleNamespace
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.feature_set import FeatureSet, feature_sets
from pyfsel.problem import values
from pyfsel.problem.checks import one_of
from pyfsel.problem.dissimilarity import DISSIMILARITIES, least_dissimilarity
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import Status, status_of
from pyfsel.results.saved_entry import LARGEST
from pyfsel.results.verify import violations

QUESTIONS = "solve atlas ties most_sets most_dissimilar cheapest sweep how_many model"
UNCOMPARED = ("near_copies", "problem")
"""A field that only earlier files have and that nothing follows from, and what all else is held against."""


def differences(stated: Any, expected: Any, path: str = "") -> Iterator[str]:
    """Yield where stated data are not what is expected; a missing field counts as None.

    Floats may differ by 1e-9 of themselves.

    Examples
    --------
    >>> list(differences({"sets": [[0, 1]], "low": 3}, {"sets": [[0, 1], [2, 3]], "low": 3}))
    ['sets is stated with length 1, recomputed it has length 2']
    """
    if isinstance(stated, Mapping) and isinstance(expected, Mapping):
        for name in [name for name in {**expected, **stated} if name not in UNCOMPARED]:
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


def wrong_statements(instance: Instance, sets: Family, entries: Sequence[Any]) -> list[str]:
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
    wrong, listed = list[str](), _listed(with_costs(instance), sets)
    for number, (entry, one) in enumerate(zip(entries, listed, strict=True)):
        given = entry if isinstance(entry, Mapping) else {}
        names = given.get("names", given.get("features") if "indices" in given else None)
        stated, expected = {**given, "names": names}, one.to_dict()
        known = {
            name: stated[name]
            for name in ("names", "quality", "cost", "shared")
            if stated.get(name) is not None
        }
        wrong += differences(known, {name: expected[name] for name in known}, f"sets[{number}]")
    return wrong


def with_costs(instance: Instance) -> Instance:
    """Return the problem in which each feature costs 1, unless it has costs."""
    return instance.replace(costs=[1] * instance.n_features) if instance.costs is None else instance


def _listed(
    instance: Instance, sets: Family, best: float | None = None, **more: Any
) -> tuple[FeatureSet, ...]:
    """Return sets of which nothing is proved."""
    found: dict[str, Any] = {"steps": (), "sampling": None, "status": Status.FEASIBLE, "is_stepwise": False}
    found |= {"problem": instance, "sets": sets, "qualities": values.qualities(instance, sets), **more}
    return feature_sets(SimpleNamespace(**found), best)  # type: ignore[arg-type]


def wrong_sets(instance: Instance, data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the sets of an answer."""
    question, families = data["question"], data["details"].get("families", ())
    sets = tuple(members_of(instance, entry) for entry in data["sets"])
    parts = [("", sets), *((f"answer {i}: ", tuple(map(tuple, one))) for i, one in enumerate(families))]
    if question == "most_dissimilar":  # the threshold of the problem makes no difference
        instance, parts = instance.replace(previous=()), [("", (one,)) for one in sets]
    return [
        f"{where}{line}"
        for where, some in parts
        if some
        for line in violations(instance.replace(n_sets=len(some)), some)
    ]


def following(given: Any) -> dict[str, Any]:
    """Return the fields of an answer as they follow from its sets, and from what it claims of others.

    Parameters
    ----------
    given : Answer
        Its sets, status, bounds and details as they are stated; the status and a bound that nothing follows
        from stay what they are.

    Returns
    -------
    dict
        ``low``, ``high``, ``sets``, ``status`` and ``details``, for `dataclasses.replace`.
    """
    instance, question, details = given.problem.instance, given.question, given.details
    low, high = given.low, given.high
    sets = tuple(one.indices for one in given)
    if question == "cheapest":
        instance = with_costs(instance)
    claimed = {
        "steps": [SimpleNamespace(status=one.status, features=()) for one in given],
        "sampling": SimpleNamespace(margins=[one.error for one in given]),
    }
    if question == "model":
        claimed["qualities"] = [one.quality for one in given]
    best = None
    if question in ("most_sets", "most_dissimilar", "how_many"):  # of which the best set need not be listed
        best = best_of((one.quality, one.relative) for one in given)
    found = _listed(instance, sets, best, **claimed)
    if question == "solve" and sets:  # earlier files state minimum and sum of the rounded qualities
        rounded = [values.to_float(instance, one) for one in values.values(instance, sets).tolist()]
        worth = min(values.qualities(instance, sets), rounded, key=lambda of: abs(min(of) - low))
        low, details = min(worth), details | {"sum": sum(worth)}
    counted = {
        "atlas": details.get("n_sets"),
        "ties": len(details.get("families", ())),
        "most_sets": len(sets),
    }
    if question in counted:
        low = float(counted[question])
    if question == "most_dissimilar" and sets:
        by = one_of("unit", given.unit.removesuffix(" dissimilarity"), DISSIMILARITIES)
        instance = instance.replace(previous=tuple(map(tuple, details["original"])))
        low = float(least_dissimilarity(instance, sets, by))
    if question == "cheapest" and sets and high is not None:  # None in a sequential search
        total: Any = sum if instance.aggregate == "sum" else max
        high = total(one.cost for one in found)
    if given.proved and question != "solve":
        low, high = (high, high) if question == "cheapest" else (low, low)
    if low is not None and high is not None:
        high = max(low, high)
    status = given.status
    is_proved = given.proved and all(cell.proved for cell in details.get("answers", ()))
    if status is not Status.FEWER:
        status = status_of(question == "sweep" or counted.get(question, sets), is_proved)
    return {"low": low, "high": high, "sets": found, "status": status, "details": details}


def best_of(stated: Iterable[tuple[float, float | None]]) -> float:
    """Return the best quality, of which these are the qualities and their proportions; NaN if none is known.

    Of a quality of 0 every best one makes a proportion of 0.

    Examples
    --------
    >>> best_of([(0.0, 0.0), (-3.0, -0.5)]), best_of([(0.0, 0.0)]), best_of([(0.0, None)])
    (6.0, 1.0, nan)

    Sets that are worth nothing have a proportion of the best one, also in a file:

    >>> from pyfsel import Constraints, Problem, explore
    >>> from pyfsel.interface.answer import faults_of
    >>> best = Problem([5, 0, 0], k=1, n_sets=2, dissimilarity=1, search="min")
    >>> rest = best.replace(constraints=Constraints(previous=[[0]]))
    >>> for found in (explore.most_sets(rest, 1), explore.most_dissimilar(rest, 1), explore.sweep(best)):
    ...     print([one.relative for one in found], faults_of(found.problem.instance, found.to_dict()))
    [0.0, 0.0] []
    [0.0, 0.0] []
    [] []
    """
    known = [(quality, share) for quality, share in stated if share is not None and not isnan(share)]
    return next((quality / share for quality, share in known if share), 1.0 if known else nan)


def row_of(cell: Any, best: float) -> dict[str, Any]:
    """Return a row of a sweep, the answer of which is given; `best` is the quality of the best single set.

    Its quality is the mean of the sets, the minimum if that is what is best.
    """
    instance, found = cell.problem.instance, [one.quality for one in cell]
    quality = nan
    if found:
        quality = sum(found) / len(found) if instance.aggregate == "sum" else min(found)
    relative = quality / best if best > 0 else nan
    own = {"k": instance.k, "n_sets": instance.n_sets, "shared": instance.max_shared, "n_found": len(found)}
    return own | {"quality": quality, "relative": relative, "status": str(cell.status)}
