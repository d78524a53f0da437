"""Whether an edited model compiles and is right, what is in conflict, and what strengthenings bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.text import Item
from pyfsel.backends.minizinc.without_strengthening import HINT
from pyfsel.bench.lab.trials import (
    KINDS,
    LabInstance,
    Trial,
    Truth,
    features_named,
    growing_problems,
    objective,
    small_problems,
)
from pyfsel.drivers.minizinc.program import ModelError
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import total
from pyfsel.results.answer import Answer
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

PRESELECTION = "the pre-selection of features"
NOTHING, ALL = "nothing", "all of these"
EFFORTS = ("failures", "nodes", "propagations")


@dataclass(frozen=True)
class Wrong:
    """An instance on which the model with its strengthenings answers something else than without.

    Parameters
    ----------
    instance : str
    problem : Instance
    claimed, best : str
        What it finds with, and without strengthenings.
    because : tuple of str
        The strengthenings each of which is enough for it, or that are so together.
    """

    instance: str
    problem: Instance
    claimed: str
    best: str
    because: tuple[str, ...]


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
    instances, enumerated, undecided : int
        Tried; those whose solutions have all been listed; those that took too long.
    rules : str
        What sets of the model break, and where.
    other_answers : list of str
        Instances whose best sets are worse than the problem's, since the model asks for more.
    wrong : Wrong or None
    without_sets : list of str
        Instances that have sets, but none of the model.
    costs : list of dict
        A row for each strengthening and instance: the work without it.
    interrupted : bool
        Whether the user stopped it; what was found until then is there.
    """

    model: str
    error: str = ""
    takes: list[str] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    instances: int = 0
    enumerated: int = 0
    undecided: int = 0
    rules: str = ""
    other_answers: list[str] = field(default_factory=list)
    wrong: Wrong | None = None
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
        """Return the fields for JSON; the instance of `wrong` is a problem as `Instance.save` writes it."""
        wrong = None if self.wrong is None else vars(self.wrong) | {"problem": self.wrong.problem.to_dict()}
        return {"model": self.model, "verdict": self.verdict} | vars(self) | {"wrong": wrong}

    def lines(self) -> list[str]:
        """Return the report for a reader, without `costs`."""
        told = [("error", self.error), ("data", "; ".join(self.takes))]
        told += [] if self.error else [("refuses", why) for why in dict.fromkeys(self.refuses.values())]
        if self.instances:
            listed = f"all solutions listed of {self.enumerated}, undecided {self.undecided}"
            told += [("instances", f"{self.instances}; {listed}")]
            told += [("sets", self.rules or "keep the rules of the problem")]
        if self.other_answers:
            worse = f"{len(self.other_answers)} of {self.instances} optima are worse than the problem's"
            told += [("asks more", f"{worse}; first: {self.other_answers[0]}")]
        if self.wrong is not None:
            both = f"{self.wrong.best} without strengthenings, {self.wrong.claimed} with them"
            told += [("loses", self.wrong.instance), ("", both)]
            told += [("unsound", reason) for reason in self.wrong.because]
            told += [("repair", HINT)]
        if self.without_sets:
            first = self.without_sets[0]
            told += [("no sets", f"for {len(self.without_sets)} of {self.instances}; first: {first}")]
        return [f"{self.model}: {self.verdict}", *(f"  {label:<11}{text}" for label, text in told if text)]


def examine(
    model: str | Path,
    problems: Sequence[Instance | LabInstance] = (),
    *,
    backend: str = "minizinc:gecode",
    data: Sequence[str | Path] = (),
    seed: int = 0,
    seconds: float = 5.0,
    costs: bool = False,
) -> Report:
    """Try a model on small instances, against all solutions of itself without strengthenings.

    Parameters
    ----------
    model : str or Path
    problems : sequence of Instance or LabInstance, optional
        Small instances in place of generated ones, the smallest first; with further data of the model if need
        be. Each is also tried with eight vectors of random qualities.
    backend : str
        The MiniZinc backend that runs it.
    data : sequence of str or Path
        Files with further data of the model.
    seed : int
        Of generated instances.
    seconds : float
        Limit for each run.
    costs : bool
        Whether to measure each strengthening on instances of growing size, or on those given.

    Raises
    ------
    InputError
        If there is no such file or solver, or the model has no solve item.

    Examples
    --------
    >>> from pyfsel.drivers.minizinc.model_files import models_dir
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1)
    >>> examine(models_dir() / "simultaneous_sum.mzn", [problem]).verdict
    'right'
    """
    trial = Trial(Path(model), backend, [Path(file) for file in data], seconds)
    report = Report(trial.model.name)
    try:
        _examine(trial, report, problems, seed, costs)
    except KeyboardInterrupt:
        report.interrupted = True
    return report


def _examine(
    trial: Trial, report: Report, problems: Sequence[Instance | LabInstance], seed: int, costs: bool
) -> None:
    trial.instances = [one if isinstance(one, LabInstance) else LabInstance(one) for one in problems]
    given = [one.problem for one in trial.instances]
    tried = _takes(trial, {"given": given} if given else _generated(trial, seed), report)
    origins = trial.instances if given else [LabInstance(problem) for problem in tried[-1:]]
    more = [other for one in origins if one.problem in tried for other in one.perturbed(seed)]
    trial.instances = [*trial.instances, *more]
    measured, tried = tried, [*tried, *(one.problem for one in more)]
    for problem in tried:
        try:
            answer = trial.claim(problem)
        except (ModelError, InputError) as error:
            report.refuses[_shown(problem)] = _headline(error)
            continue
        truth = trial.truth(problem)
        report.instances += 1
        report.enumerated += truth.is_enumerated
        _compare(trial, problem, answer, truth, report)
    if costs and not report.error:
        kind = next((kind for kind in KINDS if _name(kind) in report.takes), None)
        larger = measured if kind is None else list(growing_problems(kind, seed))
        _measure(trial, larger, report.costs)


def _name(kind: tuple[str, str, int]) -> str:
    several = "one set beside an earlier one" if kind[2] == 1 else f"{kind[1]} of {kind[2]} sets"
    return f"{kind[0]}, {several}"


def _generated(trial: Trial, seed: int) -> dict[str, list[Instance]]:
    """Return generated instances by kind, of the aggregate that the model says that it has."""
    fixed = next((item.value for item in trial.items if item.assigned == "aggregated_by"), "")
    named = features_named(trial.items)
    return {
        _name(kind): small_problems(kind, seed, named)
        for kind in KINDS
        if kind[2] == 1 or fixed not in ("sum", "min") or kind[1] == fixed
    }


def _takes(trial: Trial, by_kind: dict[str, list[Instance]], report: Report) -> list[Instance]:
    """Return instances of kinds that the model compiles with, and note those that it refuses, and why."""
    taken: list[Instance] = []
    for kind, problems in by_kind.items():
        disjoint = [p for p in problems if p.max_shared == 0]
        whys = [why for why in (_refusal(trial, p) for p in (problems[-1], *disjoint[:1])) if why]
        if len(whys) > len(disjoint[:1]):
            report.refuses[kind] = whys[0]
        else:
            taken += problems[::2] if taken else problems
            report.takes.append(kind)
    if not taken:
        report.error = " | ".join(dict.fromkeys(report.refuses.values()))
    return sorted(taken, key=lambda p: (p.n_features * p.n_sets, p.n_features))


def _refusal(trial: Trial, problem: Instance) -> str:
    """Return why a model does not take an instance, or an empty text."""
    try:
        trial.claim(problem)
    except (ModelError, InputError) as error:
        return _headline(error)
    return ""


def _headline(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _compare(trial: Trial, problem: Instance, answer: Answer, truth: Truth, report: Report) -> None:
    """Note what is new about the model on one instance."""
    agrees = trial.agrees(answer, truth)
    report.undecided += agrees is None
    if agrees is False and report.wrong is None:
        report.wrong = Wrong(
            _shown(problem),
            problem,
            _value(objective(answer), answer.sets),
            _value(truth.best, truth.sets),
            _culprits(trial, problem, truth),
        )
    broken = _broken(problem, (*truth.all_sets, *(sets for sets in (answer.sets, truth.sets) if sets)))
    report.rules = report.rules or broken
    if broken or not truth.known:
        return
    best = get_backend("brute-force").solve(problem, Control()).sets
    if best and truth.sets is None:
        report.without_sets.append(f"{_shown(problem)}, which has {_value(total(problem, best), best)}")
    elif best and truth.sets is not None:
        mine = max(total(problem, sets) for sets in truth.all_sets or (truth.sets,))
        if mine < total(problem, best):
            report.other_answers.append(f"{_shown(problem)} has {mine}, not {total(problem, best)}")


def _broken(problem: Instance, answers: Sequence[tuple[FeatureSet, ...]]) -> str:
    """Return which rules the first of some answers breaks that breaks any, or an empty text."""
    for sets in answers:
        broken = violations(problem, sets)
        if broken:
            return f"{_value(None, sets)} break the rules of {_shown(problem)}: {'; '.join(broken)}"
    return ""


def _culprits(trial: Trial, problem: Instance, truth: Truth) -> tuple[str, ...]:
    """Return the strengthenings each of which alone makes the answer wrong; without such, a set that does."""
    parts = [item for item in trial.items if item.is_strengthening]

    def fails(kept: Sequence[Item]) -> bool:
        dropped = [item for item in parts if item not in kept]
        return trial.agrees(trial.claim(problem, dropped), truth) is False

    if fails([]):
        others = [i for i in trial.items if i.is_constraint and "kept_features" in i.words]
        return tuple(f"{PRESELECTION}, {item}" for item in others) or (f"{PRESELECTION} or of candidates",)
    alone = [str(item) for item in parts if fails([item])]
    return tuple(alone) or tuple(f"{item} (with others)" for item in parts)


def _measure(trial: Trial, problems: Sequence[Instance], rows: list[dict[str, Any]]) -> None:
    """Add for each instance the work without each strengthening, without all, and with all of them."""
    parts = [item for item in trial.items if item.is_strengthening]
    variants: list[tuple[str, list[Item]]] = [(NOTHING, [])]
    variants += [(str(item), [item]) for item in parts]
    variants += [(ALL, parts)] if len(parts) > 1 else []
    for problem in problems:
        for name, dropped in variants:
            answer = trial.claim(problem, dropped)
            rows.append({"without": name, "n_features": problem.n_features, **_work(answer, trial.seconds)})


def _work(answer: Answer, limit: float) -> dict[str, Any]:
    statistics = answer.statistics
    return {
        "status": str(answer.status),
        "value": objective(answer),
        "seconds": statistics.get("solveTime", limit),
        **{name: statistics.get(name) for name in EFFORTS},
    }


def _shown(problem: Instance) -> str:
    names = ("n_features", "n_sets", "k", "max_shared")
    sizes = ", ".join(f"{name}={getattr(problem, name)}" for name in names)
    return f"{problem.objective} {problem.aggregate}, {sizes}, quality={problem.quality.tolist()}"


def _value(value: float | None, sets: tuple[FeatureSet, ...] | None) -> str:
    if sets is None:
        return "no solution"
    listed = "; ".join(str(list(members)) for members in sets)
    return listed if value is None else f"{value} ({listed})"
