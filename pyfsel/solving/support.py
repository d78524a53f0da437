"""The support matrix: which backend takes which objective, search and side constraint; trials; all models.

The models are MiniZinc's and the other backends', with how large they become for a problem.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np

from pyfsel.backends import all_backends, registry
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.catalogue import CATALOGUE, CatalogueModel, find_model
from pyfsel.drivers.minizinc.installed import PROPAGATION
from pyfsel.problem.fields import Group
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES, taken_by
from pyfsel.reductions import reduce
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import STRENGTHENED
from pyfsel.results.result import unless_interrupted
from pyfsel.solving.sequential import reason_against, typical_step
from pyfsel.solving.solve import solve

QUESTIONS = {"steps": ("sequential", "sum"), "sum": ("simultaneous", "sum"), "min": ("simultaneous", "min")}
"""Search and aggregate; the steps of a sequential search have one set and nothing to aggregate."""
SPECIAL_CASES = {
    "": {},
    "disjoint sets": {"max_shared": 0},
    "sets may be equal": {"max_shared": 2},
    "one set": {"n_sets": 1},
    "one set of free size": {"k_min": 1, "k": 6, "max_shared": 6, "n_sets": 1},
}
CHANGES: dict[str, dict[str, Any]] = {
    "size_range": {"k_min": 1},
    "forced": {"forced": (0,)},
    "forbidden": {"forbidden": (5,)},
    "groups": {"groups": (Group((0, 1), at_most=1),)},
    "budget": {"costs": tuple(range(6)), "budget": 100},
    "min_quality": {"min_quality": -1000},
    "shared_price": {"aggregate": "sum", "shared_price": 1, "previous": ((0, 1),)},
    "weighted": {"aggregate": "weighted"},
    "difference": {"aggregate": "difference"},
}
TRIAL_SECONDS = 20.0  # more than any of them needs, for which starting a solver is most of the work


@cache
def probe(objective: str, aggregate: str, **changes: object) -> Instance:
    """Return a small problem of an objective: three sets of two of six features, which may share one."""
    if changes:
        return probe(objective, aggregate).replace(**changes)
    redundancy = np.arange(36).reshape(6, 6)
    return Instance(
        quality=np.arange(6),
        n_sets=3,
        k=2,
        max_shared=1,
        objective=objective,
        aggregate=aggregate,
        scale=1000,
        pairs=redundancy + redundancy.T - 2 * np.diag(redundancy.diagonal()),
        conflicts=((0, 1),) if OBJECTIVES[objective].has_conflicts else (),
    )


def is_possible(objective: str, changes: Mapping[str, Any]) -> bool:
    """Return whether problems of an objective can have these fields: some have one size only."""
    sizes = range(changes.get("k_min", 2), changes.get("k", 2) + 1)
    return len(sizes) == 1 or not OBJECTIVES[objective].has_one_size


def cases_taken(
    backend: Backend, formulations: Iterable[str], objectives: Iterable[str] = OBJECTIVES, **changes: Any
) -> Iterator[tuple[str, str, str, Instance]]:
    """Yield what is taken: objective, word of `QUESTIONS`, special case ("" is the general one), problem.

    Parameters
    ----------
    backend : Backend
    formulations, objectives : iterables of str
    **changes
        Fields of the tested problem, in addition to the fields of `probe`.
    """
    for objective, case in product(objectives, SPECIAL_CASES):
        special = changes | SPECIAL_CASES[case]
        for question, (search, aggregate) in QUESTIONS.items() if is_possible(objective, special) else ():
            fields = {"aggregate": aggregate, **special}
            if fields.get("n_sets") == 1 and (question, fields["aggregate"]) != ("steps", "sum"):
                continue  # of one set, one question is enough
            problem = probe(objective, **fields)
            if any(reason_against(backend, name, search, problem) is None for name in formulations):
                yield objective, question, case, problem


def taken_objectives(backend: Backend, changes: Mapping[str, Any]) -> list[str]:
    """Return the objectives that a backend takes in some formulation, search and special case.

    Examples
    --------
    >>> taken_objectives(registry()["packing"], CHANGES["budget"])
    ['univariate', 'fcbf', 'mrmr', 'jmi', 'mifs', 'cife', 'graph_score']
    """
    return list(dict.fromkeys(taken for taken, *_ in cases_taken(backend, backend.formulations, **changes)))


def support_markdown() -> str:
    """Return the matrix as Markdown: what each formulation takes, and which side constraints."""
    taken: dict[tuple[str, ...], list[str]] = {
        (backend.name, formulation, "exact" if backend.exact else "heuristic"): words
        for backend in registry().values()
        for formulation in backend.formulations
        if any(words := _questions(backend, formulation))
    }
    sides: dict[tuple[str, ...], list[str]] = {
        (name,): [_objectives(backend, changes) for changes in CHANGES.values()]
        for name, backend in registry().items()
    }
    heads = ("backend", "formulation", "proofs", *OBJECTIVES)
    return HEADER.format(markdown_table(heads, taken), markdown_table(("backend", *CHANGES), sides))


def _questions(backend: Backend, formulation: str) -> list[str]:
    """Return for each objective the questions that are taken, with the special cases if it is only these."""
    found: dict[str, dict[str, list[str]]] = {objective: {} for objective in OBJECTIVES}
    for objective, question, case, _ in cases_taken(backend, [formulation]):
        found[objective].setdefault(question, []).append(case)
    return [
        ", ".join(name if "" in cases else f"{name} ({', '.join(cases)})" for name, cases in one.items())
        for one in found.values()
    ]


def _objectives(backend: Backend, changes: Mapping[str, Any]) -> str:
    taken = taken_objectives(backend, changes)
    general = [objective for objective in taken_objectives(backend, {}) if is_possible(objective, changes)]
    return "yes" if taken and taken == general else ", ".join(taken)


def markdown_table(heads: Sequence[str], rows: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """Return a Markdown table of backends; backends of one family with the same cells share a row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for (name, *labels), cells in rows.items():
        alike.setdefault((name.partition(":")[0], *labels, *cells), []).append(name)
    lines = [heads, ["---"] * len(heads)]
    lines += [[", ".join(f"`{name}`" for name in names), *cells] for (_, *cells), names in alike.items()]
    return "".join(f"| {' | '.join(cell or '–' for cell in line)} |\n" for line in lines)


def trials(only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Let each backend solve a tiny instance; return a table of what happened.

    Errors are reported in one line each; nothing is raised.

    Parameters
    ----------
    only : sequence of str
        Beginnings of names; all backends if there are none.

    Examples
    --------
    >>> [(one["name"], one["works"]) for one in trials(["brute"])]
    [('brute-force', True)]
    """
    for backend in all_backends().values():
        if only and not backend.name.startswith(tuple(only)):
            continue
        begin = time.monotonic()
        available, works, told = _tried(backend)
        yield {
            "name": backend.name,
            "available": available,
            "works": works,
            "seconds": time.monotonic() - begin,
            "told": " ".join(told.split()),
        }


def _tried(backend: Backend) -> tuple[bool, bool, str]:
    """Return whether a backend is available, whether it is fine (one that is missing is), what it says."""
    try:
        missing = backend.missing()
        if missing is not None:
            return False, True, missing
        tiny = next(cases_taken(backend, backend.formulations[:1]), None)
        if tiny is None:
            return True, True, "takes no tiny instance"
        search, _ = QUESTIONS[tiny[1]]
        result = unless_interrupted(solve(tiny[3], backend, search=search, time_limit=TRIAL_SECONDS))
    except Exception as error:  # a trial is there to find out about any
        return True, False, f"{type(error).__name__}: {error}".partition("\n")[0]
    works = result.stop_reason is StopReason.FINISHED and bool(result.sets)
    return True, works, f"{result.status} {result.message.partition(chr(10))[0]}"


HEADER = """# What is supported

Written by `pyfsel models --support`; do not edit. Each cell is what the backend itself answers about a small
problem of that kind (three sets of two of six features that may share one), whether it is installed or not.

*steps*: sequential search. *sum*, *min*: simultaneous search. In brackets: the only cases that it takes. *–*:
not taken; `pyfsel solve` says why. *exact*: proves optimality and infeasibility; a heuristic never claims
either. Limits of size are not part of this table.

{}
## Side constraints

What each set can be asked to satisfy in addition to its size, in at least one formulation and search of the
backend. *yes*: with every objective that the backend takes; otherwise the objectives with which it does.
Forbidden features are left out before a backend sees the problem, in strengthened formulations.

{}"""


TOO_LARGE = {"note": "too large to be built"}


def describe_models(problem: Instance | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table of all models: first the catalogue, then what other backends build.

    Parameters
    ----------
    problem : Instance, optional
        Adds the columns variables, constraints, clauses and note: the size of each model for this problem,
        after the pre-selection of strengthened formulations; models of the catalogue are compiled for Gecode.
        Models of one set are measured on a later step of a sequential search. A note says why a size is
        missing.

    Examples
    --------
    >>> {one["name"]: one for one in describe_models()}["mrmr_pairs"]["formulation"]
    'pairs'
    """
    rows = [
        _row_of_model(model) | ({} if problem is None else _size_of_model(model, problem))
        for model in CATALOGUE
    ]
    rows += [
        _row_of_backend(backend, name) | ({} if problem is None else _size(problem, name, backend))
        for backend in registry().values()
        if not isinstance(backend, MiniZinc) and type(backend).size is not Backend.size
        for name in backend.formulations
    ]
    nothing = dict.fromkeys(chain.from_iterable(rows))
    return [nothing | row for row in rows]


def _row_of_model(model: CatalogueModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "formulation": model.formulation,
        "families": ", ".join(
            model.families or ((PROPAGATION,) if model.formulation == STRENGTHENED else ())
        ),
        "objectives": ", ".join(taken_by(model.objectives)),
        "equation": model.equation,
        "backends": ", ".join(backend.name for backend in MiniZinc.instances()),
        "description": model.description,
        "file": model.path.name,
    }


def _row_of_backend(backend: Backend, formulation: str) -> dict[str, Any]:
    objectives = dict.fromkeys(objective for objective, *_ in cases_taken(backend, [formulation]))
    return {
        "name": f"{backend.name} {formulation}",
        "formulation": formulation,
        "families": "",
        "objectives": ", ".join(objectives),
        "equation": ", ".join(OBJECTIVES[objective].equation for objective in objectives),
        "backends": backend.name,
        "description": ": ".join(filter(None, (backend.summary, backend.formulation_texts.get(formulation)))),
        "file": "",
    }


def _size_of_model(model: CatalogueModel, problem: Instance) -> dict[str, Any]:
    asked = typical_step(problem) if model.single_set else problem
    found = find_model(asked, model.formulation)
    if found is model:
        return _size(asked, model.formulation, registry()["minizinc:gecode"])
    instead = "" if found is None else f"; {found.name} is"
    return {"note": f"not meant for objective {asked.objective}, aggregate {asked.aggregate}{instead}"}


def _size(problem: Instance, formulation: str, backend: Backend) -> dict[str, Any]:
    asked = reduce(problem, formulation).problem
    reason = backend.missing() or backend.refusal(asked, formulation)
    return {"note": reason} if reason is not None else backend.size(asked, formulation) or TOO_LARGE
