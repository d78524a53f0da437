"""A contradiction made small, and printed as Python that shows it."""

import re
import time
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace

import numpy as np

from pyfsel import Group, InputError
from pyfsel.problem.instance import Instance

from .consistency import ConsistencyTrial
from .trials import SECONDS, ContradictionError

KEPT_FIELDS = ("exact_quality", "exact_pairs", "feature_names")


def contradiction(trial):
    """Return what is false in the answer to a trial, None if nothing is."""
    try:
        trial.outcome()
    except InputError:
        return None
    except ContradictionError as error:
        return str(error)
    return None


def shrunk(trial, seconds=30):
    """Return a trial with a smaller problem that still ends in a contradiction, of the same kind."""
    kind = _kind(contradiction(trial))
    deadline = time.monotonic() + seconds
    while True:
        for attempt in _smaller_trials(trial):
            if time.monotonic() > deadline:
                return trial
            if _kind(contradiction(attempt)) == kind:
                trial = attempt
                break
        else:
            return trial


def _smaller_trials(trial):
    if isinstance(trial, ConsistencyTrial):
        yield from trial.smaller()
    else:
        yield from (replace(trial, problem=problem) for problem in smaller(trial.problem))


def _kind(evidence):
    """Return the name of the error that a contradiction is, and what it is about; "" for a false answer."""
    if evidence is None:
        return None
    error = re.match(r"\w*Error\b( is not caught: \w+)?", evidence)
    return error.group() if error else ""


def smaller(problem: Instance) -> Iterator[Instance]:
    """Yield simpler problems: parts left out first, then smaller numbers."""
    data = {f.name: getattr(problem, f.name) for f in fields(problem)} | dict.fromkeys(KEPT_FIELDS[:2])
    data["feature_names"] = ()
    for changes in _changes(problem):
        try:
            yield Instance(**{**data, **changes})
        except InputError:
            continue


def _changes(problem):
    yield from _without_parts(problem)
    for j in range(problem.n_features):
        yield _without_feature(problem, j)
    if problem.n_sets > 1:
        yield {"n_sets": problem.n_sets - 1}
    if problem.k > 1:
        size = problem.k - 1
        yield {"k": size, "max_shared": min(problem.max_shared, size)}
    for overlap in (problem.k, problem.max_shared - 1):
        if 0 <= overlap != problem.max_shared:
            yield {"max_shared": overlap}
    if problem.aggregate == "min":
        yield {"aggregate": "sum"}
    if problem.objective != "univariate" and not problem.has_size_range:
        yield {"objective": "univariate", "redundancy": None}
    yield from _smaller_numbers(problem)


def _without_parts(problem):
    for name in ("previous", "conflicts", "groups", "forced", "forbidden"):
        whole = list(getattr(problem, name))
        if len(whole) > 1:
            yield {name: ()}
        for i in range(len(whole)):
            yield {name: whole[:i] + whole[i + 1 :]}
    if problem.costs is not None:
        yield {"costs": None, "budget": None}
    if problem.min_quality is not None:
        yield {"min_quality": None}
    if problem.shared_weight is not None:
        yield {"shared_weight": None, "size_weight": None}
    if problem.k_min is not None:
        yield {"k_min": None, "shared_weight": None, "size_weight": None}
        yield {"k_min": problem.k_min + 1}
    for i, group in enumerate(problem.groups):
        for simpler in (
            replace(group, at_least=0),
            replace(group, at_most=None),
            replace(group, all_or_none=False),
            *(replace(group, features=group.features[:p] + group.features[p + 1 :]) for p in range(4)),
        ):
            if simpler != group:
                yield {"groups": [*problem.groups[:i], simpler, *problem.groups[i + 1 :]]}


def _without_feature(problem, gone):
    def kept(features):
        return tuple(j - (j > gone) for j in features if j != gone)

    n = problem.n_features - 1
    size = min(problem.k, n)
    return {
        "quality": np.delete(problem.quality, gone),
        "redundancy": None
        if problem.redundancy is None
        else np.delete(np.delete(problem.redundancy, gone, 0), gone, 1),
        "costs": None if problem.costs is None else np.delete(problem.costs, gone),
        "conflicts": [kept(pair) for pair in problem.conflicts if gone not in pair],
        "previous": [kept(members) for members in problem.previous if gone not in members],
        "forced": kept(problem.forced),
        "forbidden": kept(problem.forbidden),
        "groups": [
            Group(
                kept(group.features),
                min(group.at_least, len(kept(group.features))),
                min(group.at_most, len(kept(group.features))),
                group.all_or_none,
            )
            for group in problem.groups
            if kept(group.features)
        ],
        "k": size,
        "max_shared": min(problem.max_shared, size),
    }


def _smaller_numbers(problem):
    for name in ("quality", "costs", "redundancy"):
        numbers = getattr(problem, name)
        if numbers is None or not numbers.any():
            continue
        ranks = np.unique(numbers, return_inverse=True)[1].reshape(numbers.shape)
        if name == "redundancy":
            np.fill_diagonal(ranks, 0)
        for simpler in (np.zeros_like(numbers), ranks, numbers // 1000, numbers // 10, numbers // 2):
            if (np.abs(simpler).sum(), np.abs(simpler).max()) < (
                np.abs(numbers).sum(),
                np.abs(numbers).max(),
            ):
                yield {name: _hollow(simpler)}
        for place in zip(*np.nonzero(np.triu(numbers) if numbers.ndim == 2 else numbers), strict=True):
            for number in (0, int(numbers[place]) // 2):
                changed = numbers.copy()
                changed[place] = changed[place[::-1]] = number
                yield {name: changed}
    for name in ("budget", "min_quality"):
        number = getattr(problem, name)
        for simpler in {0, int((number or 0) / 10), int((number or 0) / 2)} - {number}:
            if number is not None and abs(simpler) < abs(number):
                yield {name: simpler}


def _hollow(numbers):
    """Return a matrix with a zero diagonal, which whole divisions of negative numbers keep; vectors as is."""
    return numbers if numbers.ndim == 1 else numbers - np.diag(numbers.diagonal())


def source(trial, evidence):
    """Return Python that repeats a trial, with what is false in its answer as a comment."""
    if isinstance(trial, ConsistencyTrial):
        return trial.source(evidence)
    arguments = {"backend": trial.backend, "formulation": trial.formulation, **trial.options}
    if trial.seconds != SECONDS:
        arguments["time_limit"] = trial.seconds
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items() if value is not None)
    block = f"print(ASKED[{trial.question!r}](problem, {given}))"
    if not trial.reduced:
        block = f"with without_reductions():\n    {block}"
    return "\n".join(
        (
            "from fuzzing.trials import ASKED, without_reductions",
            "from pyfsel import Group",
            "from pyfsel.problem.instance import Instance",
            f"problem = {problem_source(trial.problem)}",
            block,
            *(f"# {line}" for line in evidence.splitlines()),
        )
    )


def problem_source(problem):
    """Return the call that builds a problem, without what is the default."""
    parts = []
    for f in fields(problem):
        value = getattr(problem, f.name)
        default = None if f.default is MISSING else f.default
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if f.name not in KEPT_FIELDS and value != default:
            parts.append(f"{f.name}={value!r}")
    return f"Instance({', '.join(parts)})"
