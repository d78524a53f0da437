"""A model and its data as FlatZinc, which solvers read that MiniZinc does not know."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends.minizinc.catalogue import find_model, formulations, refusal
from pyfsel.backends.minizinc.run import data_files
from pyfsel.drivers.minizinc.installed import minizinc_missing
from pyfsel.drivers.minizinc.program import messages
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.control import STRENGTHENED, Control

STANDARD = "org.minizinc.mzn-fzn"  # global constraints decomposed as in MiniZinc's own library


def fzn_text(problem: Instance, formulation: str | None = None) -> str:
    """Return the model of a problem in a formulation, compiled by MiniZinc for any solver of FlatZinc.

    A solver prints all variables of the model; `pyfsel.backends.decode.decode` takes ``selected``.

    Raises
    ------
    InputError
        If no model has the formulation.
    InputError
        If none in this formulation takes the problem.
    InputError
        If MiniZinc is not installed.
    """
    chosen = formulation or STRENGTHENED
    if chosen not in formulations():
        raise InputError(f"formulation={chosen!r}: fzn has {', '.join(formulations())}")
    why_not, model = refusal(problem, chosen), find_model(problem, chosen)
    if why_not is not None or model is None:
        raise InputError(f"format='fzn': {why_not}")
    missing = minizinc_missing()
    if missing is not None:
        raise InputError(f"format='fzn': {missing}")
    more_data = model.more_data(problem, Control(hint=start_solution(problem)))
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder, data_files(problem, more_data) as data:
        flat = Path(folder, "model.fzn")
        compiling = [
            "-c",
            "--solver",
            STANDARD,
            "--no-output-ozn",
            "--output-mode",
            "dzn",
            "--fzn",
            str(flat),
        ]
        for _ in messages([*compiling, model.path, *data], Control(), data[0].parent):
            pass
        return flat.read_text(encoding="utf-8")
