"""Small instances of all kinds that the models know, and runs of variants of a model on them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from pyfsel.backends.minizinc.own_model import own_model
from pyfsel.backends.minizinc.run import data_files, run_model, sets_of
from pyfsel.backends.minizinc.text import Item, Token, items_of, items_of_file, joined
from pyfsel.backends.minizinc.without_strengthening import IGNORED
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.minizinc.program import json_options, messages
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Status
from pyfsel.results.control import Control, Limits

KINDS = (
    *(("univariate", "sum", 3), ("univariate", "min", 3), ("univariate", "sum", 1)),
    *(("mrmr", "sum", 2), ("mrmr", "min", 2), ("graph_score", "sum", 1), ("cfs", "sum", 1)),
)
"""Objective, aggregate and number of sets."""
SMALL = ((4, 2, 1), (5, 2, 1), (6, 2, 0), (6, 2, 1), (6, 3, 1), (7, 2, 1))
"""Features, set size and largest overlap."""
GROWING = (8, 12, 16, 20)
LARGEST_NUMBER = 9
MOST_CANDIDATES = 5000
PERTURBATIONS = 8
LARGEST_NAMED = 8
OBJECTIVE = "objective_in_the_lab"
ANSWER = ("var", "bool", ":", "selected")


def small_problem(
    kind: tuple[str, str, int], sizes: tuple[int, int, int], rng: np.random.Generator
) -> Instance:
    """Return a random problem of a kind; with one set to find, there is an earlier one."""
    (objective, aggregate, n_sets), (n, k, overlap) = kind, sizes
    fits = min(n_sets, n // k) if overlap == 0 else n_sets
    symmetric = np.triu(rng.integers(0, LARGEST_NUMBER + 1, (n, n)), 1)
    needs_pairs = objective != "univariate"
    return Instance(
        quality=rng.integers(1, LARGEST_NUMBER + 1, n),
        n_sets=fits,
        k=k,
        max_shared=overlap,
        objective=objective,
        aggregate=aggregate,
        scale=10.0 if objective == "cfs" else 1.0,
        redundancy=symmetric + symmetric.T if needs_pairs else None,
        previous=(tuple(range(k)),) if n_sets == 1 else (),
    )


def small_problems(kind: tuple[str, str, int], seed: int, named: Sequence[int] = ()) -> list[Instance]:
    """Return problems of a kind, by growing size.

    Every other one has a set less, and its best features are those that the model names: what leaves features
    out, or takes some for others, is wrong first where they matter.
    """
    rng = np.random.default_rng(seed)
    problems = []
    for i, (n, k, overlap) in enumerate(SMALL):
        larger = max([n, *(feature + 2 for feature in named)])
        problem = small_problem(kind, (larger, k, overlap), rng)
        if i % 2 == 1:
            raised = np.isin(np.arange(larger), named) * LARGEST_NUMBER
            problem = problem.replace(quality=problem.quality + raised, n_sets=max(1, problem.n_sets - 1))
        problems.append(problem)
    return problems


def features_named(items: Sequence[Item]) -> list[int]:
    """Return small indices and members of sets in constraints that no shipped model has: likely features."""
    shipped = {item.text for file in models_dir().rglob("*.mzn") for item in items_of_file(file)}
    edited = [item for item in items if item.is_constraint and item.text not in shipped]
    numbers = {
        int(number.text)
        for item in edited
        for number, after in pairwise(item.tokens)
        if number.text.isdecimal() and after.text in ("]", ",", "}")
    }
    return sorted(number for number in numbers if number <= LARGEST_NAMED)


class LabInstance(NamedTuple):
    """A problem, with further data of the model: by name as in JSON, and in files."""

    problem: Instance
    more_data: Mapping[str, Any] = MappingProxyType({})
    files: tuple[Path, ...] = ()

    def perturbed(self, seed: int) -> Iterator[LabInstance]:
        """Yield the instance with other qualities: an optimum may survive a wrong symmetry by chance."""
        rng = np.random.default_rng(seed)
        low, high = int(self.problem.quality.min()), int(self.problem.quality.max())
        for _ in range(PERTURBATIONS):
            quality = rng.integers(low, max(high, low + LARGEST_NUMBER) + 1, self.problem.n_features)
            yield self._replace(problem=self.problem.replace(quality=quality, exact_quality=None))


@dataclass(frozen=True)
class Truth:
    """What the edited question has for answers, found without strengthenings.

    Parameters
    ----------
    known : bool
        Whether it was found out in time.
    best : number or None
        The best value of the model's objective.
    sets : tuple of sets of int or None
        Some that have it; None if there are none at all.
    all_sets : tuple
        All solutions, if they have been enumerated.
    is_enumerated : bool
    """

    known: bool
    best: float | None = None
    sets: tuple[FeatureSet, ...] | None = None
    all_sets: tuple[tuple[FeatureSet, ...], ...] = ()
    is_enumerated: bool = False


class Trial:
    """A model that is run in variants, by one backend, with a limit in seconds for each run."""

    def __init__(self, model: Path, backend: str, data: Sequence[Path], seconds: float) -> None:
        own = own_model(model, backend, data=data)
        self.model, self.solver, self.data = own.path, own.runner.solver, own.data
        self.seconds = seconds
        self.instances: list[LabInstance] = []
        self.items = items_of(self.model)
        self.goal = goal_of(self.items)

    def claim(self, problem: Instance, dropped: Sequence[Item] = (), options: Sequence[str] = ()) -> Answer:
        """Return what the model, without some items, finds with further options of MiniZinc."""
        if not dropped:
            return self._run(self.model, problem, options)
        with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
            file = Path(folder, self.model.name)
            file.write_text(joined(item for item in self.items if item not in dropped), encoding="utf-8")
            return self._run(file, problem, (*options, "-I", str(self.model.parent)))

    def control(self) -> Control:
        """Return the limit of a run that starts now."""
        return Control(limits=Limits.starting_now(self.seconds))

    def _run(self, file: Path, problem: Instance, options: Sequence[str]) -> Answer:
        more_data, files = self.further(problem)
        return run_model(file, self.solver, problem, self.control(), more_data, files, list(options))

    def further(self, problem: Instance) -> tuple[dict[str, Any], tuple[Path, ...]]:
        """Return the data that a model gets in addition to a problem, by name and in files."""
        own = next((one for one in self.instances if one.problem is problem), LabInstance(problem))
        return {**further_data(problem), **own.more_data}, (*self.data, *own.files)

    def truth(self, problem: Instance) -> Truth:
        """Enumerate the solutions without strengthenings; where that takes long, only solve it."""
        try:
            found = self._enumerated(problem)
        except FalseClaimError:
            raise
        except (SolverError, TimeoutError):
            found = None
        if found is not None:
            best = (min if self.goal == "minimize" else max)(found, key=lambda s: found[s], default=None)
            value = None if best is None or self.goal == "satisfy" else found[best]
            return Truth(True, value, best, tuple(found), is_enumerated=True)
        answer = self.claim(problem, options=IGNORED)
        decided = answer.status in (Status.OPTIMAL, Status.INFEASIBLE) or self.goal == "satisfy"
        return Truth(decided and answer.status is not Status.NOT_SOLVED, objective(answer), answer.sets)

    def _enumerated(self, problem: Instance) -> dict[tuple[FeatureSet, ...], float] | None:
        better = min if self.goal == "minimize" else max
        found: dict[tuple[FeatureSet, ...], float] = {}
        ended = ""
        more_data, files = self.further(problem)
        with (
            tempfile.TemporaryDirectory(prefix="pyfsel-") as folder,
            data_files(problem, more_data, self.model) as data,
        ):
            file = Path(folder, self.model.name)
            file.write_text(all_solutions(self.items, OBJECTIVE), encoding="utf-8")
            arguments = [*json_options(self.solver.tag, self.seconds), "--all-solutions", *IGNORED]
            folders: list[str | Path] = ["-I", self.model.parent, "-I", models_dir()]
            with closing(messages([*arguments, *folders, file, *data, *files], self.control())) as stream:
                for message in stream:
                    if message["type"] == "status":
                        ended = message["status"]
                    elif message["type"] == "solution":
                        output = message["output"]["json"]
                        sets, value = sets_of(output["selected"]), output.get(OBJECTIVE, 0)
                        found[sets] = better(value, found.get(sets, value))
        return found if ended in ("ALL_SOLUTIONS", "UNSATISFIABLE") else None

    def agrees(self, answer: Answer, truth: Truth) -> bool | None:
        """Return whether a claim is the truth; None if either is not known."""
        if not truth.known or answer.status is Status.NOT_SOLVED:
            return None
        if answer.sets is None or truth.sets is None:
            return answer.sets is None and truth.sets is None
        if answer.status is not Status.OPTIMAL and self.goal != "satisfy":
            return None
        return self.goal == "satisfy" or objective(answer) == truth.best


def objective(answer: Answer) -> float | None:
    """Return the value of the model's own objective."""
    return None if answer.model_claim is None else answer.model_claim.objective


def further_data(problem: Instance) -> dict[str, Any]:
    """Return data that models of pools need: all sets of the sizes asked for, if they are few."""
    sizes, n = problem.sizes, problem.n_features
    if sum(comb(n, k) for k in sizes) > MOST_CANDIDATES:
        return {}
    return {"candidates": [{"set": list(members)} for k in sizes for members in combinations(range(n), k)]}


def growing_problems(kind: tuple[str, str, int], seed: int) -> Iterator[Instance]:
    """Yield problems of a kind for measuring."""
    rng = np.random.default_rng(seed)
    for n in GROWING:
        problem = small_problem(kind, (n, 4, 2), rng)
        yield problem.replace(quality=rng.integers(1, 100, n))


def goal_of(items: Sequence[Item]) -> str:
    """Return satisfy, maximize or minimize.

    Raises
    ------
    InputError
        If there is no solve item.
    """
    return _solve_item(items)[1].text


def all_solutions(items: Sequence[Item], objective: str) -> str:
    """Return the model that asks for any solution, and names its objective, an integer, in a variable."""
    item, goal = _solve_item(items)
    what = item.text[goal.end :].strip()
    named = f"var int: {objective} :: add_to_output = {what};\n" if what else ""
    rest = "".join(f"{_shown(other)};\n" for other in items if other is not item)
    return f"{rest}{item.text[: goal.begin]} satisfy;\n{named}"


def _shown(item: Item) -> str:
    """Return an item so that MiniZinc puts it out, if it declares the answer."""
    return f"{item.text} :: add_to_output" if item.words[-len(ANSWER) :] == ANSWER else item.text


def _solve_item(items: Sequence[Item]) -> tuple[Item, Token]:
    for item in items:
        if item.goal is not None:
            return item, item.goal
    raise InputError("model: has no solve item; `solve satisfy;` asks for any sets")
