"""A MiniZinc model of the user's own, run on the data of a problem."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.backend import MiniZinc, claim_of
from pyfsel.backends.minizinc.dzn import problem_of_dzn
from pyfsel.backends.minizinc.minizinc_run import UNBOUNDED, is_clipped, run_model
from pyfsel.backends.minizinc.text import items_of
from pyfsel.backends.minizinc.without_strengthening import compared, has_strengthenings
from pyfsel.drivers.minizinc.program import ModelError
from pyfsel.errors import FalseClaimError, InputError, ModelInputError
from pyfsel.problem.checks import list_of, one_of
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import json_object, known_names, minizinc_json, require_known
from pyfsel.problem.linear_rows import largest_cost
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.text_files import read_text, reading
from pyfsel.problem.values import objective_of
from pyfsel.results.backend_answer import PROVED, BackendAnswer, Status, StopReason
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

RULES = ("all", "sizes", "overlap", "none")
CLAIMS = {Status.OPTIMAL: "these sets are best for it", Status.INFEASIBLE: "it has no solution"}
MODEL_SUFFIXES, DATA_SUFFIXES = (".mzn",), (".dzn", ".json")


class OwnModel(Backend):
    """One model file that declares the data of ``models/lib/problem.mzn`` and answers with `selected`.

    Its sets are checked against the problem like any backend's. Whether they are best, or whether
    there are none, is the model's own claim, since it may ask for more or something else: the status is
    FEASIBLE or NOT_SOLVED, and `pyfsel.results.result.Result.model_claim` has the status, the objective and
    the bound that the solver states for the model. The solver's last sets are the answer, whatever the
    problem's objective says about them. A claim of a model with redundant or symmetry-breaking constraints is
    compared with what the model finds without them, see `pyfsel.backends.minizinc.without_strengthening`.

    Parameters
    ----------
    path : str or Path
        The ``.mzn`` file. Libraries of the package, ``lib/….mzn``, are found from any folder.
    solver : str
        What stands behind ``minizinc:`` in the name of the backend that runs it.
    data : sequence of str or Path
        Files with further data of the model, ``.dzn`` or ``.json``.
    rules : {"all", "sizes", "overlap", "none"}
        Which rules of the problem the sets must keep: all; what each set satisfies by itself, but not how
        much sets share; only how much they share, previous sets included; or none.

    Raises
    ------
    InputError
        If no such file or solver exists, or further data have a name that the model does not use.

    Examples
    --------
    >>> from pyfsel.solving.solve import solve
    >>> from pyfsel.drivers.minizinc.model_files import models_dir
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> result = solve(problem, OwnModel(models_dir() / "simultaneous_sum.mzn"))
    >>> result.objective, str(result.status)
    (48.0, 'FEASIBLE')
    >>> print(result.model_claim)
    OPTIMAL for its own objective (maximize): 48, bound 48
    """

    summary = "a MiniZinc model of the user's own"
    exact = False
    has_own_objective = True
    isolated = False
    formulations = ("own",)
    objectives = tuple(ObjectiveKind)
    side_constraints = SIDE_CONSTRAINTS
    first_search = "simultaneous"

    def __init__(
        self,
        path: str | Path,
        solver: str = "gecode",
        *,
        data: Sequence[str | Path] = (),
        rules: str = "all",
    ) -> None:
        self.path = existing_file("model", path, MODEL_SUFFIXES)
        self.runner = MiniZinc.on(solver)
        one_of("rules", rules, RULES)
        files = [existing_file("data", file, DATA_SUFFIXES) for file in list_of("data", data)]
        self.data = tuple(file for file in files if file.suffix == ".dzn")
        self.texts: dict[str, str] = {}
        self.given = set[str]()
        for number, file in enumerate(files):
            if file.suffix == ".json":
                with reading(file):
                    more = json_object(read_text(file))
                    require_known(more, self.used_names())
                    self.require_new(more)
                    self.given |= {name for name in more if not name.startswith("_")}
                    self.texts |= _named(f"{number}.json", _data_text(more))
        self.rules = rules
        self.name = f"{self.runner.name} with {self.path.name}"
        self._asked: Instance | None = None

    @classmethod
    def instances(cls) -> Sequence[Backend]:
        return ()

    def missing(self) -> str | None:
        return self.runner.missing()

    def version(self) -> str | None:
        return self.runner.version()

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return self.runner.too_large(problem, max(problem.largest_total, largest_cost(problem)))

    def used_names(self) -> set[str]:
        """Return the names to which data of the model, or of what it includes, may give values."""
        return {item.awaited for item in items_of(self.path)}

    def require_new(self, names: Collection[str]) -> None:
        """Raise `InputError` if the JSON files of data give one of these names already."""
        for name in self.given.intersection(names):
            raise InputError(f"{name}: is given twice, by data. Delete one of the two.")

    def with_data(self, name: str, text: str) -> OwnModel:
        """Return the same model with the text of one more file of data, if that is not empty."""
        fuller = copy(self)
        fuller.texts = self.texts | _named(name, text)
        return fuller

    def judged(self, problem: Instance, search: str) -> tuple[Instance, Backend]:
        """Return the problem without the rules that are not checked, and the model with all of its data."""
        if self.rules == "all":
            return problem, self
        if search != "simultaneous":
            raise InputError(f"rules={self.rules!r}: needs all sets at once. Try: search='sum'")
        asked = copy(self)
        asked._asked = problem  # the data of the model keep all rules, whatever is checked
        return relaxed(problem, self.rules), asked

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        asked = self._asked or problem
        with_rules = replace(
            control,
            report_bound=lambda bound: None,  # a bound on the model's objective says nothing of the problem's
            report_sets=lambda sets: None if violations(problem, sets) else control.report_sets(sets),
        )
        answer = self.run(asked, with_rules)
        broken = [] if answer.sets is None else violations(problem, answer.sets)
        if broken:
            raise FalseClaimError(f"{self.name}: {'; '.join(broken)} (rules='none' takes them nevertheless)")
        claim = CLAIMS.get(answer.status)
        notes = [f"{self.path.name} claims that {claim}, which is not checked."] if claim else []
        notes += [f"MiniZinc warns: {text}." for text in answer.statistics.get("warnings", ())]
        if answer.status in PROVED and has_strengthenings(self.path):
            text, better = compared(answer, lambda limits, more: self.run(asked, limits, more), control)
            notes.append(text)
            if better is not None and not violations(problem, better.sets or ()):
                answer = replace(answer, sets=better.sets, model_claim=better.model_claim)
        status = Status.NOT_SOLVED if answer.sets is None else Status.FEASIBLE
        stop_reason = StopReason.FINISHED if claim else answer.stop_reason
        message = " ".join(" ".join(notes).split())
        return replace(answer, status=status, bound=None, stop_reason=stop_reason, message=message)

    def run(self, problem: Instance, control: Control, options: Sequence[str] = ()) -> BackendAnswer:
        """Run the model and return what it claims; what is wrong with it or its data is bad input."""
        goals = [item for item in items_of(self.path) if item.goal]
        if not goals:
            raise ModelInputError(f"{self.name}: has no solve item; `solve satisfy;` asks for any sets")
        try:
            return run_model(self.path, self.runner.solver, problem, control, self.texts, self.data, options)
        except (ModelError, InputError) as error:
            said = str(error).partition("\n")[0]
            place = f"{goals[0].file.name}:{goals[0].line}: " if said in UNBOUNDED.values() else ""
            raise ModelInputError(f"{self.name}: {place}{said}") from None


class SolvingModel(OwnModel):
    """A model of the user's own that solves the problem itself: its claims count like any solver's.

    Its backend makes the claims, so another backend can confirm them.
    """

    exact = True
    has_own_objective = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.name, self.basis = self.runner.name, self.runner.basis

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        return claim_of(self.run(problem, control))


def read_instance(
    path: Path, model: OwnModel | None = None, of_others: Collection[str] = ()
) -> tuple[Instance, OwnModel | None]:
    """Return a problem of a JSON or ``.dzn`` file, and the model with all else that it may use of the file.

    Names in `of_others` are those that other models use.

    Raises
    ------
    InputError
        If the file contains a name that is neither a field of problems nor used by the model.
    """
    text = read_text(path)
    used = set[str]() if model is None else model.used_names()
    with reading(path):
        if path.suffix == ".dzn":
            problem, more = problem_of_dzn(text, used, of_others)
        else:
            data = json_object(text)
            others = used.union(of_others).intersection(data) - known_names(data)
            given = {name: data.pop(name) for name in others}
            if model is not None:
                model.require_new(given)
            more = _data_text({name: value for name, value in given.items() if name in used})
            problem = Instance.from_dict(data)
    return problem, None if model is None else model.with_data(f"more{path.suffix}", more)


def _named(name: str, text: str) -> dict[str, str]:
    """Return a text of data by its name, or nothing if it is empty: MiniZinc reads no empty JSON file."""
    return {name: text} if text else {}


def _data_text(data: Mapping[str, Any]) -> str:
    """Return further data of a model as JSON, or "" without any; names that begin with "_" are left out."""
    named = {name: value for name, value in data.items() if not name.startswith("_")}
    text = minizinc_json(named) if named else ""
    if is_clipped(text):
        raise InputError("data: an integer is beyond 32 bits, which MiniZinc cannot read from JSON")
    return text


def existing_file(name: str, path: str | Path, suffixes: Sequence[str]) -> Path:
    """Return the absolute path of a file of the user's, which must exist and end in one of the suffixes."""
    file = Path(path).absolute()
    if not file.is_file():
        raise InputError(f"{name}: {str(path)!r} is not a file")
    if file.suffix not in suffixes:
        raise InputError(
            f"{name}: {str(path)!r} is of another kind. Expected a file that ends in {' or '.join(suffixes)}"
        )
    return file


def relaxed(problem: Instance, rules: str) -> Instance:
    """Return a problem with some of its rules only, see `OwnModel`.

    Raises
    ------
    InputError
        If the quality of a set is defined for sets of one size only, and sizes are not to be checked.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=0)
    >>> relaxed(problem, "sizes").max_shared, relaxed(problem, "overlap").sizes
    (2, range(1, 4))
    """
    changes: dict[str, Any] = {}
    if rules in ("overlap", "none"):
        if objective_of(problem).has_one_size:
            raise InputError(f"rules={rules!r}: objective={problem.objective!r} needs sets of one size")
        changes = {"k_min": 1, "k": problem.n_features, "conflicts": ()}
        changes |= {"forced": (), "forbidden": (), "groups": (), "budget": None, "min_quality": None}
    if rules in ("sizes", "none"):
        changes |= {"max_shared": changes.get("k", problem.k), "previous": ()}
        changes |= {"shared_weight": None, "size_weight": None}
    return problem.replace(**changes) if changes else problem
