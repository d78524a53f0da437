"""A contradiction made small, and printed as Python that shows it."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace

import numpy as np

from pyfsel import InputError
from pyfsel.problem.instance import Instance
from pyfsel.reductions.restriction import Restriction

from .trials import SECONDS, ContradictionError

RULES = (
    ("previous",),
    ("conflicts",),
    ("groups",),
    ("forced",),
    ("forbidden",),
    ("costs", "budget"),
    ("min_quality",),
    ("shared_weight", "size_weight"),
    ("k_min", "shared_weight", "size_weight"),
    ("aggregate",),
)
"""Fields of a problem that can be left out together."""


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
        for attempt in (replace(trial, problem=problem) for problem in smaller(trial.problem)):
            if time.monotonic() > deadline:
                return trial
            if _kind(contradiction(attempt)) == kind:
                trial = attempt
                break
        else:
            return trial


def _kind(evidence):
    """Return the name of the error that a contradiction is, and what it is about; "" for a false answer."""
    if evidence is None:
        return None
    error = re.match(r"\w*Error\b( is not caught: \w+)?", evidence)
    return error.group() if error else ""


def smaller(problem: Instance) -> Iterator[Instance]:
    """Yield simpler problems: rules and features left out first, then smaller numbers."""
    problem = problem.replace(exact_quality=None, exact_pairs=None)
    for changes in (*_without_rules(problem), *_smaller_sizes(problem), *_smaller_numbers(problem)):
        try:
            changed = problem.replace(**changes)
        except InputError:
            continue
        if changed != problem:
            yield changed
    for j in range(problem.n_features):
        with suppress(InputError, KeyError, IndexError):  # a feature that a rule names is kept
            yield Restriction.to(problem, [i for i in range(problem.n_features) if i != j]).problem


def _without_rules(problem):
    """Yield what leaves out a rule, or a part of it."""
    for rule in RULES:
        yield {f.name: f.default for f in fields(problem) if f.name in rule}
    for name in ("previous", "conflicts", "groups"):
        whole = list(getattr(problem, name))
        for i in range(len(whole)):
            yield {name: whole[:i] + whole[i + 1 :]}


def _smaller_sizes(problem):
    yield {"n_sets": problem.n_sets - 1}
    yield {"max_shared": problem.k}
    yield {"k": problem.k - 1, "max_shared": min(problem.max_shared, problem.k - 1)}
    if not problem.has_size_range:
        yield {"objective": "univariate", "pairs": None}


def _smaller_numbers(problem):
    for name in ("quality", "costs", "pairs", "budget", "min_quality"):
        numbers = getattr(problem, name)
        if numbers is None:
            continue
        for divisor in (2**60, 1000, 10, 2):
            less = np.trunc(np.asarray(numbers) / divisor).astype(int)
            yield {name: less if np.ndim(numbers) else int(less)}
        for place in zip(*np.nonzero(np.atleast_1d(numbers)), strict=True) if np.ndim(numbers) else ():
            changed = np.array(numbers)
            changed[place] = changed[place[::-1]] = 0
            yield {name: changed}


def source(trial, evidence):
    """Return Python that repeats a trial, with what is false in its answer as a comment."""
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
            "from pyfsel.problem.instance import Instance",
            f"problem = Instance.from_json({trial.problem.to_json()!r})",
            block,
            *(f"# {line}" for line in evidence.splitlines()),
        )
    )
