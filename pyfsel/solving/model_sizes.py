"""All models there are, of MiniZinc and of the other backends, and how large they become for a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.catalogue import CATALOGUE, CatalogueModel, find_model
from pyfsel.drivers.minizinc.installed import PROPAGATION
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES, taken_by
from pyfsel.reductions import reduce
from pyfsel.results.control import STRENGTHENED
from pyfsel.solving.sequential import typical_step
from pyfsel.solving.support import cases_taken

if TYPE_CHECKING:
    import pandas as pd

TOO_LARGE = {"note": "too large to be built"}


def describe_models(problem: Instance | None = None) -> pd.DataFrame:
    """Return a table of all models: first the catalogue, then the models that other backends build.

    Parameters
    ----------
    problem : Instance, optional
        Adds the columns variables, constraints, clauses and note: the size of each model for this problem,
        after the pre-selection of strengthened formulations; models of the catalogue are compiled for Gecode.
        Models of one set are measured on a later step of a sequential search. A note says why a size is
        missing.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> frame = describe_models().set_index("name")
    >>> frame.loc["mrmr_pairs", "formulation"]
    'pairs'
    """
    import pandas as pd

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
    return pd.DataFrame(rows)


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
        "file": model.file,
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
