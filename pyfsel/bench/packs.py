"""Instances as collections and competitions ask for them: a toy, a ladder of others, and best known values.

The ladder is measured: two solvers of different families try candidates of growing size. Those are kept whose
times are spread evenly, from a tenth of a second to instances that neither proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import exp, log
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.backends.export import export
from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.backends.minizinc.text import whole_text
from pyfsel.bench.instances import Request, generated
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.text_files import write_text, writing
from pyfsel.results.answer import PROVED, unless_interrupted
from pyfsel.results.control import STRENGTHENED
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

N_INSTANCES = 20
N_LEVELS = 40
SEEDS_PER_LEVEL = 2
MOST_OPEN = 3  # candidates that no solver proves, then the ladder ends
EASIEST = 0.1  # seconds
SOLVERS = ("cpsat", "mip:highs")  # clause learning, linear relaxation
TOY = Request(n_features=8, k=2, n_sets=2, difficulty=0.0)
LICENCE = "SPDX-License-Identifier: MIT"
TITLE = "Alternative feature selection"
SPECIFICATION = """\
Given are n features with qualities, and numbers k, s and m. Find s sets of k features each, so that no two
of them share more than m features, and the {aggregate} of their qualities is largest. The quality of a set is
the sum of the qualities of its features. With redundancies or conflicts between features in the data,
`objective` says how they count.

The problem comes from machine learning: feature selection usually returns one set of features, and users want
others that are nearly as good and quite different (Bach and Böhm 2024,
https://doi.org/10.1007/s41060-024-00527-8).
"""


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
        return exp(sum(log(max(result.runtime, 1e-3)) for result in self.found.values()) / len(self.found))

    @property
    def row(self) -> dict[str, Any]:
        """What is known of it."""
        best, problem = self.result, self.problem
        sizes = {name: getattr(problem, name) for name in ("n_features", "n_sets", "k", "max_shared")}
        return {
            "instance": self.name,
            "status": str(best.status),
            "objective": best.integer_objective,
            "bound": best.integer_bound,
            "by": best.backend,
            **{
                f"seconds_{name}": float(f"{one.runtime:.2g}") if one.status in PROVED else None
                for name, one in self.found.items()
            },
            **sizes,
            **self._facts,
        }

    @property
    def _facts(self) -> dict[str, Any]:
        single = {name: v for name, v in self.about.items() if not isinstance(v, list | dict)}
        return {name: v for name, v in single.items() if name != "generator"}

    def text(self, file_format: str, comment: str) -> str:
        """Return it as a file that says in a comment what it is and how it was made."""
        body = _short_data(self.problem) if file_format == "dzn" and _is_short(self.problem) else ""
        facts = self._facts
        command, version = f"pyfsel generate {facts.pop('family')}", facts.pop("version")
        made = ", ".join(f"{name} {value}" for name, value in facts.items())
        lines = (LICENCE, f"made by {command}: {made}, version {version}")
        return "".join(f"{comment} {line}\n" for line in lines) + (body or export(self.problem, file_format))


Files = Iterator[tuple[str, str]]


def minizinc_challenge(packed: list[Packed]) -> Files:
    """Yield one model without includes of its own, and the data of the instances."""
    yield "alternative_feature_selection.mzn", _whole_model(packed[0].problem)
    yield from ((f"{one.name}.dzn", one.text("dzn", "%")) for one in packed)


def maxsat(packed: list[Packed]) -> Files:
    """Yield the instances in the WCNF of 2022, whose hard clauses begin with h."""
    yield from ((f"{one.name}.wcnf", one.text("wcnf", "c")) for one in packed)


def pb(packed: list[Packed]) -> Files:
    """Yield the instances as OPB, whose first line must say the numbers of variables and constraints."""
    for one in packed:
        head, _, rest = one.text("opb", "*").partition("* #variable")
        first, _, body = rest.partition("\n")
        yield f"{one.name}.opb", f"* #variable{first}\n{head}{body}"


def csplib(packed: list[Packed]) -> Files:
    """Yield specification, references, model and data in the folders of a problem of CSPLib."""
    specification = SPECIFICATION.format(aggregate=packed[0].problem.aggregate)
    yield "specification.md", f"---\nTitle: {TITLE}\nCategory: Machine learning\n---\n\n{specification}"
    yield "references/references.bib", BIBLIOGRAPHY
    yield "models/alternative_feature_selection.mzn", _whole_model(packed[0].problem)
    yield from ((f"data/{one.name}.dzn", one.text("dzn", "%")) for one in packed)


BIBLIOGRAPHY = """\
@article{BachB2024,
  author = {Jakob Bach and Klemens B{\\"o}hm},
  title = {Alternative feature selection with user control},
  journal = {International Journal of Data Science and Analytics},
  year = {2024},
  doi = {10.1007/s41060-024-00527-8},
}
"""
PACKS: Mapping[str, Callable[[list[Packed]], Files]] = {
    "csplib": csplib,
    "maxsat": maxsat,
    "minizinc-challenge": minizinc_challenge,
    "pb": pb,
}


def write_pack(
    pack: str,
    family: str,
    request: Request,
    folder: str | Path,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    on_solved: Callable[[str, Result], None] = lambda name, result: None,
) -> Path:
    """Write a toy and up to twenty instances of a family, from easy to open, in one of the forms of `PACKS`.

    Parameters
    ----------
    pack : {"csplib", "maxsat", "minizinc-challenge", "pb"}
    family : str
    request : Request
        The smallest instances; features, alternatives, set size and difficulty grow from these.
    folder : path
    seed : int
        That of the first instance; the others have the next ones.
    time_limit : float
        Seconds of each of two solvers, CP-SAT and HiGHS, for each candidate.
    on_solved : callable
        Called with the name of each candidate and each result.

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
    one_of("pack", pack, tuple(PACKS))
    if generated(family, request, seed).problem is None:
        raise InputError(f"family={family!r}: makes tables, not problems")

    def packed(name: str, asked: Request, number: int) -> Packed | None:
        try:
            made = generated(family, asked, number)
        except InputError:  # the family has no instances of this size
            return None
        if made.problem is None or (pack == "maxsat" and costs_nothing(made.problem)):
            return None
        found = {}
        for solver in SOLVERS:
            found[solver] = unless_interrupted(
                solve(made.problem, solver, "simultaneous", time_limit, cold_start=True)
            )
            on_solved(name, found[solver])
        return Packed(name, made.about, found)

    toys = (packed("toy", replace(TOY, search=request.search), seed + i) for i in range(N_LEVELS))
    toy = next(filter(None, toys), None)
    ladder = _spread(_candidates(packed, request, seed))
    chosen = [*filter(None, [toy]), *(replace(o, name=f"{i:02d}") for i, o in enumerate(ladder, 1))]
    if not chosen:
        raise InputError(
            f"family={family!r}: has no instance that is worth solving. Try a larger n_features."
        )
    for path, text in PACKS[pack](chosen):
        _write(Path(folder) / path, text)
    known = Path(folder, "results" if pack == "csplib" else "", "best_known.csv")
    _write(known, _table(chosen))
    return known


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


def _spread(candidates: Iterator[Packed]) -> list[Packed]:
    """Return the instances whose hardness is next to steps of equal ratio, the easiest first."""
    left = sorted(candidates, key=lambda one: one.hardness)
    if len(left) <= N_INSTANCES:
        return left
    low, high = log(left[0].hardness), log(left[-1].hardness)
    chosen = []
    for step in range(N_INSTANCES):
        goal = low + (high - low) * step / (N_INSTANCES - 1)
        nearest = min(left, key=lambda one: abs(log(one.hardness) - goal))
        left.remove(nearest)
        chosen.append(nearest)
    return sorted(chosen, key=lambda one: one.hardness)


def _whole_model(problem: Instance) -> str:
    """Return the model for a problem as one file, a short one where its sets are sums of qualities."""
    if _is_short(problem):
        total = {"sum": "sum(value)", "min": "min(value)"}[problem.aggregate]
        return f"% {LICENCE}\n{SHORT_MODEL.replace('TOTAL', total)}"
    model = find_model(problem, STRENGTHENED)
    if model is None:
        raise InputError(f"pack: no model takes objective={problem.objective!r}")
    return f"% {LICENCE}\n{whole_text(model.path)}"


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


def _table(packed: list[Packed]) -> str:
    rows = pd.DataFrame([one.row for one in packed]).astype({"objective": "Int64", "bound": "Int64"})
    return rows.to_csv(index=False, lineterminator="\n")


def _write(path: Path, text: str) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
