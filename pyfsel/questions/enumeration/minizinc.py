"""All optimal solutions by MiniZinc and Gecode, which visits all of ``models/questions/ties.mzn``."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.run import data_files, sets_of
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.minizinc.program import json_options, messages, time_left
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of
from pyfsel.questions.enumeration.single_sets import Take
from pyfsel.results.control import Control, OutOfTimeError

SOLVER = "gecode"


def refusal(problem: Instance) -> str | None:
    """Return why the model does not take the problem, or None."""
    backend: MiniZinc = get_backend(f"minizinc:{SOLVER}")  # type: ignore[assignment]
    if objective_of(problem).is_fraction:
        return f"the model does not know objective {problem.objective}"
    return backend.too_large(problem, problem.largest_total)


def list_families(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    status = ""
    with data_files(problem, {"optimum": value}) as data:
        options = [*json_options(SOLVER, time_left(control)), "--all-solutions"]
        arguments: list[str | Path] = [*options, models_dir() / "questions" / "ties.mzn", *data]
        try:
            with closing(messages(arguments, control, data[0].parent)) as stream:
                for message in stream:
                    if message["type"] == "solution":
                        take(sets_of(message["output"]["json"]["selected"]))
                    elif message["type"] == "status":
                        status = message["status"]
        except TimeoutError:
            raise OutOfTimeError from None
    if status not in ("ALL_SOLUTIONS", "UNSATISFIABLE"):
        raise OutOfTimeError
