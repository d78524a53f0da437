"""Instances as collections and competitions ask for them: a toy, twenty others, and best known values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.backends.export import export
from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.backends.minizinc.text import whole_text
from pyfsel.bench.instances import Request, generate
from pyfsel.errors import InputError, UnsupportedError
from pyfsel.problem.checks import one_of
from pyfsel.problem.problem import Problem
from pyfsel.problem.text_files import write_text, writing
from pyfsel.results.answer import unless_interrupted
from pyfsel.results.control import STRENGTHENED
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

N_INSTANCES = 20
TOY = Request(n_features=8, k=2, n_alternatives=1, difficulty=0.0)
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
    """An instance of a pack, and what was found."""

    name: str
    about: Mapping[str, Any]
    result: Result

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.result.problem

    @property
    def row(self) -> dict[str, Any]:
        """What is known of it."""
        found = self.result
        return {
            "instance": self.name,
            "status": str(found.status),
            "objective": found.integer_objective,
            "bound": found.integer_bound,
            "by": found.backend,
            "seconds": round(found.runtime, 2),
            **self._facts,
        }

    @property
    def _facts(self) -> dict[str, Any]:
        single = {name: v for name, v in self.about.items() if not isinstance(v, list | dict)}
        return {name: v for name, v in single.items() if name != "generator"}

    def text(self, file_format: str, comment: str) -> str:
        """Return it as a file that says in a comment what it is and how it was made."""
        facts = self._facts
        command, version = f"pyfsel generate {facts.pop('family')}", facts.pop("version")
        made = ", ".join(f"{name} {value}" for name, value in facts.items())
        lines = (LICENCE, f"made by {command}: {made}, version {version}")
        return "".join(f"{comment} {line}\n" for line in lines) + export(self.problem, file_format)


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
    """Write a toy and twenty instances of a family, from easy to hard, in one of the forms of `PACKS`.

    Parameters
    ----------
    pack : {"csplib", "maxsat", "minizinc-challenge", "pb"}
    family : str
    request : Request
        What all instances have in common but their difficulty.
    folder : path
    seed : int
        That of the first instance; the others have the next ones.
    time_limit : float
        Seconds to look for the best value of each instance.
    on_solved : callable
        Called with each name and result.

    Returns
    -------
    Path
        ``best_known.csv``: values, bounds, statuses, and which backend proved them.

    Raises
    ------
    InputError
        If a name is not known, the family makes tables, or the folder cannot be written.
    UnsupportedError
        If the form cannot express such problems.
    """
    one_of("pack", pack, tuple(PACKS))
    if generate(family, request, seed).problem is None:
        raise InputError(f"family={family!r}: makes tables, not problems")
    packed = []
    for name, asked, number in _asked(request, seed):
        instance = generate(family, asked, number)
        assert instance.problem is not None
        result = unless_interrupted(solve(instance.problem, search="simultaneous", time_limit=time_limit))
        on_solved(name, result)
        packed.append(Packed(name, instance.about, result))
    for path, text in PACKS[pack](packed):
        _write(Path(folder) / path, text)
    known = Path(folder, "results" if pack == "csplib" else "", "best_known.csv")
    _write(known, _table(packed))
    return known


def _asked(request: Request, seed: int) -> Iterator[tuple[str, Request, int]]:
    """Yield names, requests and seeds; the toy is as small as a family lets it be."""
    yield "toy", replace(TOY, aggregate=request.aggregate), seed
    for number in range(N_INSTANCES):
        difficulty = round(number / (N_INSTANCES - 1), 3)
        yield f"{number + 1:02d}", replace(request, difficulty=difficulty), seed + number


def _whole_model(problem: Problem) -> str:
    """Return the model for a problem as one file."""
    model = find_model(problem, STRENGTHENED)
    if model is None:
        raise UnsupportedError(f"pack: no model takes objective={problem.objective!r}")
    return f"% {LICENCE}\n{whole_text(model.path)}"


def _table(packed: list[Packed]) -> str:
    rows = pd.DataFrame([one.row for one in packed]).astype({"objective": "Int64", "bound": "Int64"})
    return rows.to_csv(index=False, lineterminator="\n")


def _write(path: Path, text: str) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
