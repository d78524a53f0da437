"""Constraints that cannot be satisfied together: by findMUS where it is installed, and by deletion."""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from pyfsel.backends.minizinc.run import data_files
from pyfsel.backends.minizinc.text import Item, joined
from pyfsel.bench.lab.trials import Trial
from pyfsel.drivers.minizinc.installed import FIND_MUS, installed_solvers
from pyfsel.drivers.minizinc.program import printed_lines
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Status

SPAN = re.compile(r"([^\s|;]+\.mzn)\|(\d+)\|\d+\|\d+\|\d+")
"""File and first line in what findMUS says of a constraint."""


def conflict(trial: Trial, problem: Instance) -> list[Item]:
    """Return constraints that have no solution together, none of which can be left out.

    Those of the libraries are left out first, and strengthenings always: without them there is none either.
    What findMUS names is only where to look: whether it is a conflict, and smallest, is tried.
    """
    dropped = [item for item in trial.items if item.is_strengthening]
    own = [item for item in trial.items if item.is_constraint and item not in dropped]
    named = _named_by_find_mus(trial, problem, own)
    others = [item for item in own if item not in named]
    if named and _is_infeasible(trial, problem, [*dropped, *others]):
        own, dropped = named, [*dropped, *others]
    needed = []
    for item in sorted(own, key=lambda item: item.file == trial.model):
        if _is_infeasible(trial, problem, [*dropped, item]):
            dropped.append(item)
        else:
            needed.append(item)
    return needed


def _is_infeasible(trial: Trial, problem: Instance, dropped: Sequence[Item]) -> bool:
    try:
        return trial.claim(problem, dropped).status is Status.INFEASIBLE
    except FalseClaimError:
        raise
    except SolverError:  # it relies on the item
        return False


def _named_by_find_mus(trial: Trial, problem: Instance, items: Sequence[Item]) -> list[Item]:
    """Return the constraints of a minimal unsatisfiable set by findMUS; none where it is missing or fails.

    It gets the items in one file, without strengthenings: it may take neither folders nor data as options.
    """
    if FIND_MUS not in (installed_solvers() or {}):
        return []
    kept = [item for item in trial.items if not item.is_strengthening]
    ends = list(accumulate(len(item.lines) for item in kept))
    more_data, files = trial.further(problem)
    with (
        tempfile.TemporaryDirectory(prefix="pyfsel-") as folder,
        data_files(problem, more_data, trial.model) as data,
    ):
        model = Path(folder, "model.mzn")
        model.write_text(joined(kept), encoding="utf-8")
        try:
            told = "\n".join(printed_lines(["--solver", FIND_MUS, model, *data, *files], trial.control()))
        except FalseClaimError:
            raise
        except (SolverError, TimeoutError):
            return []
    lines = {int(line) for file, line in SPAN.findall(told) if Path(file).name == model.name}
    named = [kept[bisect_left(ends, line)] for line in lines if line <= ends[-1]] if "MUS:" in told else []
    return [item for item in items if item in named]
