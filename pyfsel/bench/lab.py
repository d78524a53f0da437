"""Try custom models: whether an edited model is right.

A model is run on small instances with and without its redundant and symmetry-breaking constraints. If it
answers something else without them, they do not suit its other constraints.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.own_model import OwnModel, read_instance
from pyfsel.backends.minizinc.text import Item, items_of, items_of_file, joined
from pyfsel.backends.minizinc.without_strengthening import HINT, IGNORED, own_objective
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.problem.values import total
from pyfsel.results.backend_answer import BackendAnswer, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations

KINDS = (
    *(("univariate", "sum", 3), ("univariate", "min", 3), ("univariate", "sum", 1)),
    *(("mrmr", "sum", 2), ("mrmr", "min", 2), ("graph_score", "sum", 1), ("cfs", "sum", 1)),
)
"""Objective, aggregate and number of sets."""
SMALL = ((6, 2, 0), (4, 2, 1), (5, 2, 1), (6, 2, 1), (6, 3, 1), (7, 2, 1))
"""Features, set size and maximum overlap: disjoint sets first, which some models need."""
LARGEST_NUMBER = 9
LARGEST_NAMED = 8
PERTURBATIONS = 8
MOST_REFUSALS = 2  # of the first instances of a kind, then the others are not tried
INDEX = re.compile(r"\b(\d+)\s*[\],}]")
"""A number that ends an index or a member of a set: likely a feature."""
PRESELECTION = "the pre-selection of features"
Tried = tuple[str, Iterable[Instance], OwnModel]
"""What some instances are called, the instances, and the model with their further data."""


@dataclass
class Report:
    """What was found out about a model.

    Parameters
    ----------
    model : str
    error : str
        Why it takes none of the instances.
    takes : list of str
        The data that it was tried on.
    refuses : dict
        Other data, and why not.
    instances, undecided, with_sets : int
        Tried; those that took too long; those for which the model has sets.
    rules : str
        What sets of the model break, and where.
    other_answers : list of str
        Instances whose best sets are worse than the problem's, since the model asks for more.
    wrong : dict
        The first instance on which the model answers something else without its redundant and
        symmetry-breaking constraints: `instance` and `problem`; `claimed` and `best`, what it finds with
        and without them; and `because`, the constraints each of which is enough for it, or that are so
        together.
    without_sets : list of str
        Instances that have sets, but none of the model.
    interrupted : bool
        Whether the user stopped it; what was found until then is there.
    """

    model: str
    error: str = ""
    takes: list[str] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    instances: int = 0
    undecided: int = 0
    with_sets: int = 0
    rules: str = ""
    other_answers: list[str] = field(default_factory=list)
    wrong: dict[str, Any] = field(default_factory=dict)
    without_sets: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def verdict(self) -> str:
        """Does not compile, unsound, breaks rules, interrupted, infeasible, undecided or right."""
        by_need = {
            "does not compile": self.error,
            "UNSOUND": self.wrong,
            "breaks rules": self.rules,
            "interrupted": self.interrupted,
            "infeasible": self.without_sets and not self.with_sets,
            "undecided": self.undecided == self.instances,
        }
        return next((verdict for verdict, holds in by_need.items() if holds), "right")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"model": self.model, "verdict": self.verdict, **vars(self)}

    def lines(self) -> list[str]:
        """Return the report for a reader."""
        said = [("error", self.error), ("data", "; ".join(self.takes))]
        said += [] if self.error else [("refuses", why) for why in dict.fromkeys(self.refuses.values())]
        if self.instances:
            said += [("instances", f"{self.instances}, undecided {self.undecided}")]
            said += [("sets", self.rules or "keep the rules of the problem")]
        for label, found, what in (
            ("asks more", self.other_answers, "optima are worse than the problem's"),
            ("no sets", self.without_sets, "instances have sets, but none of the model"),
        ):
            if found:
                said += [(label, f"{len(found)} of {self.instances} {what}; first: {found[0]}")]
        if self.wrong:
            said += [("loses", self.wrong["instance"])]
            said += [
                ("", f"{self.wrong['best']} without these constraints, {self.wrong['claimed']} with them")
            ]
            said += [("unsound", reason) for reason in self.wrong["because"]]
            said += [("repair", HINT)]
        return [
            f"{self.model}: {self.verdict}",
            *(f"  {label:<11}{text}" for label, text in said if text),
        ]


def examine(
    model: str | Path,
    instances: Sequence[Instance | str | Path] = (),
    *,
    solver: str = "gecode",
    data: Sequence[str | Path] = (),
    seed: int = 0,
    seconds: float = 5.0,
) -> Report:
    """Try a model on small instances, against itself without its redundant constraints.

    Parameters
    ----------
    model : str or Path
    instances : sequence of Instance or path, optional
        Small ones in place of generated ones, the smallest first; files may have further data of the model.
        Each is also tried with eight vectors of random qualities.
    solver : str
        The name of a MiniZinc solver.
    data : sequence of str or Path
        Files with further data of the model.
    seed : int
        The seed of the generated instances.
    seconds : float
        Limit for each run.

    Raises
    ------
    InputError
        If no such file or solver exists.

    Examples
    --------
    >>> from pyfsel.drivers.minizinc.model_files import models_dir
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1)
    >>> examine(models_dir() / "simultaneous_sum.mzn", [problem]).verdict
    'right'
    """
    own = OwnModel(model, solver, data=data)
    report = Report(own.path.name)
    try:
        for name, problems, fuller in _given(instances, own, seed) if instances else _generated(own, seed):
            _try_kind(report, name, problems, fuller, seconds)
        if not report.instances:
            report.error = " | ".join(dict.fromkeys(report.refuses.values()))
    except KeyboardInterrupt:
        report.interrupted = True
    return report


def claim_without(
    model: OwnModel, problem: Instance, dropped: Sequence[Item], seconds: float
) -> BackendAnswer:
    """Return what a model without some of its items finds."""
    control = Control(limits=Limits.starting_now(seconds))
    if not dropped:
        return model.run(problem, control)
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        variant = copy(model)
        variant.path = Path(folder, model.path.name)
        kept = (item for item in items_of(model.path) if item not in dropped)
        variant.path.write_text(joined(kept), encoding="utf-8")
        return variant.run(problem, control, ["-I", str(model.path.parent)])


def _given(instances: Sequence[Instance | str | Path], own: OwnModel, seed: int) -> Iterator[Tried]:
    """Yield instances of the user, each with the data that its file has for the model."""
    read = [(one, own) if isinstance(one, Instance) else read_instance(Path(one), own) for one in instances]
    for number, (problem, fuller) in enumerate(read):
        assert fuller is not None
        yield f"given {number}", _perturbed(problem, seed), fuller


def _generated(model: OwnModel, seed: int) -> Iterator[Tried]:
    """Yield generated instances of each kind, with the aggregate that the model says that it has.

    The best features of every other one are those that the model names: what leaves features out, or
    takes some for others, is wrong first where they matter.
    """
    items = items_of(model.path)
    fixed = next((item.value for item in items if item.assigned == "aggregated_by"), "")
    named = _features_named(items)
    for objective, aggregate, n_sets in KINDS:
        if n_sets > 1 and fixed in ("sum", "min") and aggregate != fixed:
            continue
        rng = np.random.default_rng(seed)
        problems = []
        for number, (n, k, overlap) in enumerate(SMALL):
            size = max([n, *(feature + 2 for feature in named)]), k, overlap
            problem = _small_problem(objective, aggregate, n_sets, size, rng)
            raised = np.isin(np.arange(problem.n_features), named) * LARGEST_NUMBER * (number % 2)
            problems.append(problem.replace(quality=problem.quality + raised))
        several = "one set after an earlier one" if n_sets == 1 else f"{aggregate} of {n_sets} sets"
        yield f"{objective}, {several}", [*problems, *islice(_perturbed(problem, seed), 1, None)], model


def _features_named(items: Iterable[Item]) -> list[int]:
    """Return the small numbers in constraints that no shipped model has."""
    shipped = {item.text for file in models_dir().rglob("*.mzn") for item in items_of_file(file)}
    edited = (item.text for item in items if item.is_constraint and item.text not in shipped)
    numbers = {int(number) for text in edited for number in INDEX.findall(text)}
    return sorted(number for number in numbers if number <= LARGEST_NAMED)


def _small_problem(
    objective: str, aggregate: str, n_sets: int, size: tuple[int, int, int], rng: np.random.Generator
) -> Instance:
    """Return a random problem of a kind; with one set to find, there is an earlier one."""
    n, k, overlap = size
    symmetric = np.triu(rng.integers(0, LARGEST_NUMBER + 1, (n, n)), 1)
    return Instance(
        quality=rng.integers(1, LARGEST_NUMBER + 1, n),
        n_sets=min(n_sets, n // k) if overlap == 0 else n_sets,
        k=k,
        max_shared=overlap,
        objective=objective,
        aggregate=aggregate,
        scale=10.0 if objective == "cfs" else 1.0,
        pairs=None if objective == "univariate" else symmetric + symmetric.T,
        previous=(tuple(range(k)),) if n_sets == 1 else (),
    )


def _perturbed(problem: Instance, seed: int) -> Iterator[Instance]:
    """Yield an instance, and the same with other qualities: an optimum may survive a wrong symmetry."""
    yield problem
    low, high = int(problem.quality.min()), int(problem.quality.max())
    shape = (PERTURBATIONS, problem.n_features)
    others = np.random.default_rng(seed).integers(low, max(high, low + LARGEST_NUMBER) + 1, shape)
    for quality in others:
        yield problem.replace(quality=quality, exact_quality=None)


def _try_kind(
    report: Report, name: str, problems: Iterable[Instance], model: OwnModel, seconds: float
) -> None:
    """Try instances of a kind, and note whether the model takes it."""
    refused: list[str] = []
    n_before = report.instances
    for problem in problems:
        try:
            _compare(report, problem, model, seconds)
        except InputError as error:
            refused.append(str(error).removeprefix(f"{model.name}: "))
        if report.instances == n_before and len(refused) == MOST_REFUSALS:
            break
    if report.instances > n_before:
        report.takes.append(name)
    elif refused:
        report.refuses[name] = refused[0]


def _compare(report: Report, problem: Instance, model: OwnModel, seconds: float) -> None:
    """Compare answers with and without redundant constraints on an instance, and with the best sets."""
    claim = claim_without(model, problem, (), seconds)
    truth = model.run(problem, Control(limits=Limits.starting_now(seconds)), IGNORED)
    report.instances += 1
    report.with_sets += truth.sets is not None
    agrees = _agree(claim, truth)
    report.undecided += agrees is None
    names = ("n_features", "n_sets", "k", "max_shared")
    sizes = ", ".join(f"{name}={getattr(problem, name)}" for name in names)
    shown = f"{problem.objective} {problem.aggregate}, {sizes}, quality={problem.quality.tolist()}"
    if agrees is False and not report.wrong:
        report.wrong = {
            "instance": shown,
            "problem": problem.to_dict(),
            "claimed": _value(own_objective(claim), claim.sets),
            "best": _value(own_objective(truth), truth.sets),
            "because": _culprits(problem, model, truth, seconds),
        }
    for sets in (claim.sets, truth.sets):
        if sets is not None and (broken := violations(problem, sets)):
            report.rules = (
                report.rules or f"{_value(None, sets)} break the rules of {shown}: {'; '.join(broken)}"
            )
            return
    best = get_backend("brute-force").solve(problem, Control()).sets
    if agrees is None or not best:
        return
    if truth.sets is None:
        report.without_sets.append(f"{shown}, which has {_value(total(problem, best), best)}")
    elif total(problem, truth.sets) < total(problem, best):
        report.other_answers.append(f"{shown} has {total(problem, truth.sets)}, not {total(problem, best)}")


def _culprits(problem: Instance, model: OwnModel, truth: BackendAnswer, seconds: float) -> list[str]:
    """Return the constraints each of which alone makes the answer wrong; without such, all of them."""
    items = items_of(model.path)
    parts = [item for item in items if item.is_strengthening]

    def fails(kept: Sequence[Item]) -> bool:
        dropped = [item for item in parts if item not in kept]
        return _agree(claim_without(model, problem, dropped, seconds), truth) is False

    if fails([]):
        chosen = [item for item in items if item.is_constraint and "kept_features" in item.words]
        return [f"{PRESELECTION}, {item}" for item in chosen] or [PRESELECTION]
    return [str(item) for item in parts if fails([item])] or [f"{item} (with others)" for item in parts]


def _agree(claim: BackendAnswer, truth: BackendAnswer) -> bool | None:
    """Return whether two answers are of equal worth; None if one of them ended without a proof."""
    if any(answer.stop_reason is not StopReason.FINISHED for answer in (claim, truth)):
        return None
    return (claim.sets is None) == (truth.sets is None) and own_objective(claim) == own_objective(truth)


def _value(value: float | None, sets: Family | None) -> str:
    if sets is None:
        return "no solution"
    listed = "; ".join(str(list(members)) for members in sets)
    return listed if value is None else f"{value} ({listed})"
