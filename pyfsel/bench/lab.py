"""Try custom models: whether an edited model is right, and what its added constraints bring.

A model is run on small instances with and without its redundant and symmetry-breaking constraints. If it
answers something else without them, they do not suit its other constraints.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.own_model import MiniZincModel, own_model, read_instance
from pyfsel.backends.minizinc.text import Item, items_of, items_of_file, joined
from pyfsel.backends.minizinc.without_strengthening import HINT, IGNORED
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import total
from pyfsel.results.answer import Answer, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.results.verify import violations

KINDS = (
    *(("univariate", "sum", 3), ("univariate", "min", 3), ("univariate", "sum", 1)),
    *(("mrmr", "sum", 2), ("mrmr", "min", 2), ("graph_score", "sum", 1), ("cfs", "sum", 1)),
)
"""Objective, aggregate and number of sets."""
SMALL = ((6, 2, 0), (4, 2, 1), (5, 2, 1), (6, 2, 1), (6, 3, 1), (7, 2, 1))
"""Features, set size and largest overlap: disjoint sets first, which some models ask for."""
GROWING = (8, 12, 16, 20)
LARGEST_NUMBER = 9
LARGEST_NAMED = 8
PERTURBATIONS = 8
MOST_REFUSALS = 2  # of the first instances of a kind, then the others are not tried
PRESELECTION = "the pre-selection of features"
NOTHING, ALL = "nothing", "all of these"
EFFORTS = ("failures", "nodes", "propagations")
INDEX = re.compile(r"\b(\d+)\s*[\],}]")
"""A number that ends an index or a member of a set: likely a feature."""


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
    instances, undecided : int
        Tried; those that took too long.
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
    costs : list of dict
        A row for each such constraint and instance: the work without it.
    interrupted : bool
        Whether the user stopped it; what was found until then is there.
    """

    model: str
    error: str = ""
    takes: list[str] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    instances: int = 0
    undecided: int = 0
    rules: str = ""
    other_answers: list[str] = field(default_factory=list)
    wrong: dict[str, Any] = field(default_factory=dict)
    without_sets: list[str] = field(default_factory=list)
    costs: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False

    @property
    def verdict(self) -> str:
        """Does not compile, unsound, breaks rules, interrupted, infeasible, undecided or right."""
        by_need = {
            "does not compile": self.error,
            "UNSOUND": self.wrong,
            "breaks rules": self.rules,
            "interrupted": self.interrupted,
            "infeasible": len(self.without_sets) == self.instances,
            "undecided": self.undecided == self.instances,
        }
        return next((verdict for verdict, holds in by_need.items() if holds), "right")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"model": self.model, "verdict": self.verdict, **vars(self)}

    def lines(self) -> list[str]:
        """Return the report for a reader, without `costs`."""
        told = [("error", self.error), ("data", "; ".join(self.takes))]
        told += [] if self.error else [("refuses", why) for why in dict.fromkeys(self.refuses.values())]
        if self.instances:
            told += [("instances", f"{self.instances}, undecided {self.undecided}")]
            told += [("sets", self.rules or "keep the rules of the problem")]
        if self.other_answers:
            worse = f"{len(self.other_answers)} of {self.instances} optima are worse than the problem's"
            told += [("asks more", f"{worse}; first: {self.other_answers[0]}")]
        if self.wrong:
            told += [("loses", self.wrong["instance"])]
            told += [("", f"{self.wrong['best']} without strengthenings, {self.wrong['claimed']} with them")]
            told += [("unsound", reason) for reason in self.wrong["because"]]
            told += [("repair", HINT)]
        if self.without_sets:
            first = self.without_sets[0]
            told += [("no sets", f"for {len(self.without_sets)} of {self.instances}; first: {first}")]
        return [f"{self.model}: {self.verdict}", *(f"  {label:<11}{text}" for label, text in told if text)]


def examine(
    model: str | Path,
    instances: Sequence[Instance | str | Path] = (),
    *,
    backend: str = "minizinc:gecode",
    data: Sequence[str | Path] = (),
    seed: int = 0,
    seconds: float = 5.0,
    costs: bool = False,
) -> Report:
    """Try a model on small instances, against itself without its redundant constraints.

    Parameters
    ----------
    model : str or Path
    instances : sequence of Instance or path, optional
        Small ones in place of generated ones, the smallest first; files may have further data of the model.
        Each is also tried with eight vectors of random qualities.
    backend : str
        The MiniZinc backend that runs it.
    data : sequence of str or Path
        Files with further data of the model.
    seed : int
        Of generated instances.
    seconds : float
        Limit for each run.
    costs : bool
        Whether to measure each redundant constraint on instances of growing size, or on those given.

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
    own = own_model(model, backend, data=data)
    given = [(one, own) if isinstance(one, Instance) else read_instance(Path(one), own) for one in instances]
    lab = _Lab(own, seconds, seed)
    try:
        for number, (problem, fuller) in enumerate(given):
            assert fuller is not None
            lab.try_kind(f"given {number}", [problem, *lab.perturbed(problem)], fuller)
        if not given:
            lab.try_generated()
        if not lab.report.instances:
            lab.report.error = " | ".join(dict.fromkeys(lab.report.refuses.values()))
        elif costs:
            lab.measure(given)
    except KeyboardInterrupt:
        lab.report.interrupted = True
    return lab.report


def claim_without(model: MiniZincModel, problem: Instance, dropped: Sequence[Item], seconds: float) -> Answer:
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


class _Lab:
    """A model that is run in variants, and what was found out about it."""

    def __init__(self, model: MiniZincModel, seconds: float, seed: int) -> None:
        self.model, self.seconds, self.seed = model, seconds, seed
        self.items = items_of(model.path)
        self.parts = [item for item in self.items if item.is_strengthening]
        self.report = Report(model.path.name)

    def try_generated(self) -> None:
        """Try generated instances of each kind, of the aggregate that the model says that it has."""
        fixed = next((item.value for item in self.items if item.assigned == "aggregated_by"), "")
        last: list[Instance] = []
        for kind in KINDS:
            if kind[2] == 1 or fixed not in ("sum", "min") or kind[1] == fixed:
                last = self.try_kind(_name(kind), self._small_problems(kind), self.model) or last
        for problem in last[-1:]:
            self.try_kind("", self.perturbed(problem), self.model)

    def try_kind(self, name: str, problems: Sequence[Instance], model: MiniZincModel) -> list[Instance]:
        """Try instances of a kind, note whether the model takes it, and return those that it takes."""
        taken: list[Instance] = []
        refused: list[str] = []
        for problem in problems:
            try:
                self._compare(problem, model)
                taken.append(problem)
            except InputError as error:
                refused.append(str(error).removeprefix(f"{model.name}: "))
            if not taken and len(refused) == MOST_REFUSALS:
                break
        if taken and name:
            self.report.takes.append(name)
        elif refused:
            self.report.refuses[name] = refused[0]
        return taken

    def _compare(self, problem: Instance, model: MiniZincModel) -> None:
        """Compare answers with and without redundant constraints on an instance, and with the best sets."""
        report = self.report
        claim = claim_without(model, problem, (), self.seconds)
        truth = model.run(problem, Control(limits=Limits.starting_now(self.seconds)), IGNORED)
        report.instances += 1
        agrees = _agree(claim, truth)
        report.undecided += agrees is None
        if agrees is False and not report.wrong:
            report.wrong = {
                "instance": _shown(problem),
                "problem": problem.to_dict(),
                "claimed": _value(_objective(claim), claim.sets),
                "best": _value(_objective(truth), truth.sets),
                "because": self._culprits(problem, model, truth),
            }
        broken = [
            f"{_value(None, sets)} break the rules of {_shown(problem)}: {'; '.join(found)}"
            for sets in (claim.sets, truth.sets)
            if sets is not None and (found := violations(problem, sets))
        ]
        report.rules = report.rules or "".join(broken[:1])
        best = get_backend("brute-force").solve(problem, Control()).sets
        if broken or agrees is None or not best:
            return
        if truth.sets is None:
            report.without_sets.append(f"{_shown(problem)}, which has {_value(total(problem, best), best)}")
        elif total(problem, truth.sets) < total(problem, best):
            values = f"{total(problem, truth.sets)}, not {total(problem, best)}"
            report.other_answers.append(f"{_shown(problem)} has {values}")

    def _culprits(self, problem: Instance, model: MiniZincModel, truth: Answer) -> list[str]:
        """Return the constraints each of which alone makes the answer wrong; without such, all of them."""

        def fails(kept: Sequence[Item]) -> bool:
            dropped = [item for item in self.parts if item not in kept]
            return _agree(claim_without(model, problem, dropped, self.seconds), truth) is False

        if fails([]):
            chosen = [item for item in self.items if item.is_constraint and "kept_features" in item.words]
            return [f"{PRESELECTION}, {item}" for item in chosen] or [PRESELECTION]
        alone = [str(item) for item in self.parts if fails([item])]
        return alone or [f"{item} (with others)" for item in self.parts]

    def measure(self, given: Sequence[tuple[Instance, MiniZincModel | None]]) -> None:
        """Add for each instance the work with all redundant constraints, without each, and without all."""
        kinds = [kind for kind in KINDS if _name(kind) in self.report.takes]
        rng = np.random.default_rng(self.seed)
        grown = [(_small_problem(kind, (n, 4, 2), rng), self.model) for kind in kinds[:1] for n in GROWING]
        variants: list[tuple[str, list[Item]]] = [(NOTHING, [])]
        variants += [(str(item), [item]) for item in self.parts]
        variants += [(ALL, self.parts)] if len(self.parts) > 1 else []
        for problem, model in given or grown:
            for name, dropped in variants:
                answer = claim_without(model or self.model, problem, dropped, self.seconds)
                row = {"without": name, "n_features": problem.n_features, "status": str(answer.status)}
                row |= {"value": _objective(answer)}
                row |= {"seconds": answer.statistics.get("solveTime", self.seconds)}
                self.report.costs.append(row | {e: answer.statistics.get(e) for e in EFFORTS})

    def _small_problems(self, kind: tuple[str, str, int]) -> list[Instance]:
        """Return problems of a kind.

        The best features of every other one are those that the model names: what leaves features out, or
        takes some for others, is wrong first where they matter.
        """
        rng = np.random.default_rng(self.seed)
        named = self._features_named()
        problems = []
        for i, (n, k, overlap) in enumerate(SMALL):
            problem = _small_problem(kind, (max([n, *(feature + 2 for feature in named)]), k, overlap), rng)
            raised = np.isin(np.arange(problem.n_features), named) * LARGEST_NUMBER * (i % 2)
            problems.append(problem.replace(quality=problem.quality + raised))
        return problems

    def _features_named(self) -> list[int]:
        """Return the small numbers in constraints that no shipped model has."""
        shipped = {item.text for file in models_dir().rglob("*.mzn") for item in items_of_file(file)}
        edited = (item.text for item in self.items if item.is_constraint and item.text not in shipped)
        numbers = {int(number) for text in edited for number in INDEX.findall(text)}
        return sorted(number for number in numbers if number <= LARGEST_NAMED)

    def perturbed(self, problem: Instance) -> list[Instance]:
        """Return an instance with other qualities: an optimum may survive a wrong symmetry by chance."""
        rng = np.random.default_rng(self.seed)
        low, high = int(problem.quality.min()), int(problem.quality.max())
        shape = (PERTURBATIONS, problem.n_features)
        others = rng.integers(low, max(high, low + LARGEST_NUMBER) + 1, shape)
        return [problem.replace(quality=quality, exact_quality=None) for quality in others]


def _small_problem(
    kind: tuple[str, str, int], sizes: tuple[int, int, int], rng: np.random.Generator
) -> Instance:
    """Return a random problem of a kind; with one set to find, there is an earlier one."""
    (objective, aggregate, n_sets), (n, k, overlap) = kind, sizes
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


def _name(kind: tuple[str, str, int]) -> str:
    several = "one set after an earlier one" if kind[2] == 1 else f"{kind[1]} of {kind[2]} sets"
    return f"{kind[0]}, {several}"


def _agree(claim: Answer, truth: Answer) -> bool | None:
    """Return whether two answers are of equal worth; None if one of them ended without a proof."""
    if any(answer.stop_reason is not StopReason.FINISHED for answer in (claim, truth)):
        return None
    return (claim.sets is None) == (truth.sets is None) and _objective(claim) == _objective(truth)


def _objective(answer: Answer) -> float | None:
    """Return the value of the model's own objective."""
    return None if answer.model_claim is None else answer.model_claim.objective


def _shown(problem: Instance) -> str:
    names = ("n_features", "n_sets", "k", "max_shared")
    sizes = ", ".join(f"{name}={getattr(problem, name)}" for name in names)
    return f"{problem.objective} {problem.aggregate}, {sizes}, quality={problem.quality.tolist()}"


def _value(value: float | None, sets: tuple[FeatureSet, ...] | None) -> str:
    if sets is None:
        return "no solution"
    listed = "; ".join(str(list(members)) for members in sets)
    return listed if value is None else f"{value} ({listed})"
