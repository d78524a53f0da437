"""Instances as collections and competitions ask for them: a toy, a ladder of others, and best known values.

The ladder is measured: two solvers of different families try candidates of growing size. Those are kept whose
times are spread evenly, from a tenth of a second to instances that neither proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import pandas as pd

from pyfsel.backends.export import export
from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.backends.minizinc.text import items_of, joined
from pyfsel.bench.instances import Request, generated
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.text_files import write_text, writing
from pyfsel.results.backend_answer import PROVED
from pyfsel.results.control import STRENGTHENED
from pyfsel.results.result import Result, unless_interrupted
from pyfsel.solving.solve import solve

N_INSTANCES = 20
N_LEVELS = 40
SEEDS_PER_LEVEL = 2
MOST_OPEN = 3  # candidates that no solver proves, then the ladder ends
EASIEST = 0.1  # seconds
SIZES = ("n_features", "n_sets", "k", "max_shared")
GENERATOR = ("generator", "family")
SOLVERS = ("cpsat", "mip:highs")  # clause learning, linear relaxation
TOY = Request(n_features=8, k=2, n_sets=2, difficulty=0.0)
LICENCE = "SPDX-License-Identifier: MIT"
PACKS: Mapping[str, tuple[str, str]] = {
    "maxsat": ("wcnf", "c"),
    "minizinc-challenge": ("dzn", "%"),
    "pb": ("opb", "*"),
}
"""The format of the instances, and what begins a comment in it."""


@dataclass(frozen=True)
class Packed:
    """An instance of a pack, and what was found by each solver."""

    name: str
    about: Mapping[str, Any]
    found: Mapping[str, Result] = field(default_factory=dict)

    @property
    def problem(self) -> Instance:
        """The problem."""
        return self.result.problem

    @property
    def result(self) -> Result:
        """The result that says most: a proof, or else the best sets."""
        return max(self.found.values(), key=lambda r: (r.status in PROVED, r.integer_objective or 0))

    @property
    def is_open(self) -> bool:
        """Whether no solver has proved anything."""
        return self.result.status not in PROVED

    @property
    def hardness(self) -> float:
        """The geometric mean of the seconds of all solvers; the limit counts for one without a proof."""
        return geometric_mean(max(result.runtime, 1e-3) for result in self.found.values())

    @property
    def row(self) -> dict[str, Any]:
        """What is known of it."""
        best = self.result
        times = {
            f"seconds_{name}": float(f"{one.runtime:.2g}") if one.status in PROVED else None
            for name, one in self.found.items()
        }
        return {
            "instance": self.name,
            "status": str(best.status),
            "objective": best.integer_objective,
            "bound": best.integer_bound,
            "by": best.backend,
            **times,
            **{name: getattr(best.problem, name) for name in SIZES},
            **self._facts,
        }

    @property
    def _facts(self) -> dict[str, Any]:
        """How it was made."""
        return {name: v for name, v in self.about.items() if not isinstance(v, list | dict)}

    def text(self, file_format: str, comment: str) -> str:
        """Return it as a file that says in a comment what it is and how it was made."""
        is_short = file_format == "dzn" and _is_short(self.problem)
        body = _short_data(self.problem) if is_short else export(self.problem, file_format)
        made = ", ".join(f"{name} {value}" for name, value in self._facts.items() if name not in GENERATOR)
        about = f"{comment} {LICENCE}\n{comment} made by pyfsel generate {self.about['family']}: {made}\n"
        size = body.index("\n") + 1 if file_format == "opb" else 0  # its first line, which must come first
        return body[:size] + about + body[size:]


def write_pack(
    pack: str,
    family: str,
    request: Request,
    folder: str | Path,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
) -> Path:
    """Write a toy and up to twenty instances of a family, from easy to open, as a competition takes them.

    The MiniZinc Challenge gets one model without includes of its own, too.

    Parameters
    ----------
    pack : {"maxsat", "minizinc-challenge", "pb"}
    family : str
    request : Request
        The smallest instances; features, alternatives, set size and difficulty grow from these.
    folder : path
    seed : int
        That of the first instance; the others have the next ones.
    time_limit : float
        Seconds of each of two solvers, CP-SAT and HiGHS, for each candidate.

    Returns
    -------
    Path
        ``best_known.csv``: sizes, values, bounds, statuses, the seconds of each solver (empty without a
        proof), and which one found the sets.

    Raises
    ------
    InputError
        If a name is not known, the family makes tables, or the folder cannot be written.
    InputError
        If one of the two solvers is not installed.
    InputError
        If the form cannot express such problems.
    """
    one_of("pack", pack, PACKS)
    if generated(family, request, seed).problem is None:
        raise InputError(f"family={family!r}: makes tables, not problems")

    def packed(name: str, asked: Request, number: int) -> Packed | None:
        try:
            made = generated(family, asked, number)
        except InputError:  # the family has no instances of this size
            return None
        problem = made.problem
        if problem is None or (pack == "maxsat" and costs_nothing(problem)):
            return None
        found = (solve(problem, one, "simultaneous", time_limit, cold_start=True) for one in SOLVERS)
        return Packed(name, made.about, dict(zip(SOLVERS, map(unless_interrupted, found), strict=True)))

    toys = filter(
        None, (packed("toy", replace(TOY, search=request.search), seed + i) for i in range(N_LEVELS))
    )
    ladder = _spread(_candidates(packed, request, seed))
    chosen = [*islice(toys, 1), *(replace(one, name=f"{i:02d}") for i, one in enumerate(ladder, 1))]
    if not chosen:
        raise InputError(
            f"family={family!r}: has no instance that is worth solving. Try a larger n_features."
        )
    file_format, comment = PACKS[pack]
    files = {f"{one.name}.{file_format}": one.text(file_format, comment) for one in chosen}
    if file_format == "dzn":
        files["alternative_feature_selection.mzn"] = _whole_model(chosen[0].problem)
    rows = pd.DataFrame([one.row for one in chosen]).astype({"objective": "Int64", "bound": "Int64"})
    files["best_known.csv"] = rows.to_csv(index=False, lineterminator="\n")
    with writing(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(Path(folder, name), text)
    return Path(folder, "best_known.csv")


def costs_nothing(problem: Instance) -> bool:
    """Return whether all soft clauses of the MaxSAT file hold at once, so it is plain SAT."""
    from pysat.formula import WCNF
    from pysat.solvers import Cadical153

    formula = WCNF(from_string=export(problem, "wcnf"))
    with Cadical153(bootstrap_with=[*formula.hard, *formula.soft]) as solver:
        return bool(solver.solve())


def _candidates(
    packed: Callable[[str, Request, int], Packed | None], request: Request, seed: int
) -> Iterator[Packed]:
    """Yield instances of growing size until several are open."""
    n_open = 0
    for level in range(N_LEVELS):
        asked = replace(
            request,
            n_features=request.n_features and request.n_features + request.n_features * level // 8,
            k=request.k + level // 4,
            n_sets=request.n_sets + level // 2,
            difficulty=round(level / (N_LEVELS - 1), 3),
        )
        for number in range(SEEDS_PER_LEVEL):
            one = packed(f"level {level}", asked, seed + SEEDS_PER_LEVEL * level + number)
            if one is None or one.hardness < EASIEST:
                continue
            n_open += one.is_open
            yield one
            if n_open >= MOST_OPEN:
                return


def _spread(candidates: Iterable[Packed]) -> list[Packed]:
    """Return the instances whose hardness is next to steps of equal ratio, the easiest first."""
    left = sorted(candidates, key=lambda one: one.hardness)
    if len(left) <= N_INSTANCES:
        return left
    chosen = []
    for goal in np.geomspace(left[0].hardness, left[-1].hardness, N_INSTANCES):
        nearest = min(left, key=lambda one: abs(np.log(one.hardness / goal)))
        left.remove(nearest)
        chosen.append(nearest)
    return sorted(chosen, key=lambda one: one.hardness)


def _whole_model(problem: Instance) -> str:
    """Return the model for a problem as one file, a short one if its sets are sums of qualities."""
    if _is_short(problem):
        return f"% {LICENCE}\n{SHORT_MODEL.replace('TOTAL', f'{problem.aggregate}(value)')}"
    model = find_model(problem, STRENGTHENED)
    assert model is not None  # families make problems that some model takes
    return f"% {LICENCE}\n{joined(items_of(model.path))}"


def _is_short(problem: Instance) -> bool:
    """Return whether the short model says all of a problem."""
    is_plain = not (problem.previous or problem.side_constraints)
    return problem.objective in ("univariate", "fcbf") and problem.aggregate in ("sum", "min") and is_plain


def _short_data(problem: Instance) -> str:
    """Return the data of the short model."""
    sizes = f"n_sets = {problem.n_sets};\nk = {problem.k};\nmax_shared = {problem.max_shared};\n"
    pairs = "|".join(f"{i}, {j}" for i, j in problem.conflicts)
    conflicts = f"[|{pairs}|]" if pairs else "array2d(1..0, 1..2, [])"
    return f"{sizes}quality = {problem.quality.tolist()};\nconflicts = {conflicts};\n"


SHORT_MODEL = """\
% Alternative feature selection: several sets of features that share little, with the best qualities.
% Features are numbered from 0.
include "lex_greatereq.mzn";

int: n_sets;
int: k;
int: max_shared; % features that two sets may share
array[int] of int: quality;
array[int, 1..2] of int: conflicts; % pairs of features that no set may contain together

set of int: SETS = 1..n_sets;
set of int: FEATURES = 0..length(quality) - 1;
array[SETS, FEATURES] of var bool: selected;

constraint forall(s in SETS)(sum(f in FEATURES)(selected[s, f]) = k);
constraint forall(s, t in SETS where s < t)(
  sum(f in FEATURES)(selected[s, f] /\\ selected[t, f]) <= max_shared);
constraint forall(s in SETS, i in index_set_1of2(conflicts))(
  not selected[s, conflicts[i, 1]] \\/ not selected[s, conflicts[i, 2]]);
constraint symmetry_breaking_constraint(forall(s in SETS where s > 1)(
  lex_greatereq([selected[s - 1, f] | f in FEATURES], [selected[s, f] | f in FEATURES])));

array[SETS] of var int: value = [sum(f in FEATURES)(quality[f + 1] * selected[s, f]) | s in SETS];
var int: objective = TOTAL;
solve maximize objective;

output ["set \\(s): \\([f | f in FEATURES where fix(selected[s, f])])\\n" | s in SETS]
  ++ ["objective = \\(objective)\\n"];
"""
