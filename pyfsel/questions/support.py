"""Which backend answers which question, by what it says about the problems that the question asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.questions.asking import single_set
from pyfsel.questions.enumeration import METHODS
from pyfsel.solving.support import (
    NOT_TAKEN,
    backend_table,
    objective_table,
    probe,
    side_constraint_markdown,
    support_matrix,
)

LEAST = 3


@dataclass(frozen=True)
class QuestionSupport:
    """Whether a backend answers a question about an objective; `reason` says why not.

    `one_set` says whether it does for one set if it does not for several.
    """

    question: str
    backend: str
    objective: str
    reason: str | None
    one_set: bool = False

    @property
    def symbol(self) -> str:
        """The objective in a table cell, empty if it is not taken."""
        if self.reason is None:
            return self.objective
        return f"{self.objective} (one set)" if self.one_set else ""


Refusal = Callable[[Backend, Instance], str | None]


def _first(*reasons: str | None) -> str | None:
    return next((reason for reason in reasons if reason is not None), None)


def _refusal(backend: Backend, problem: Instance) -> str | None:
    return backend.refusal(problem, backend.formulations[0])


def _several(backend: Backend, problem: Instance) -> str | None:
    """Return why a backend cannot decide whether several good sets exist, in either way, or None."""
    directly = _refusal(backend, problem.replace(min_quality=LEAST))
    return directly and _refusal(backend, problem.replace(aggregate="min"))


def _one_after_another(backend: Backend, problem: Instance) -> str | None:
    overlaps = range(problem.set_size, -1, -1)
    steps = (problem.replace(max_overlap=m).after([(0, 1)]) for m in overlaps)
    return _first(_refusal(backend, single_set(problem)), *(_refusal(backend, step) for step in steps))


def _all_at_once(backend: Backend, problem: Instance) -> str | None:
    overlaps = range(problem.set_size, -1, -1)
    together = (_several(backend, problem.replace(max_overlap=m)) for m in overlaps)
    return _first(_refusal(backend, single_set(problem)), *together)


def _most_sets(backend: Backend, problem: Instance) -> str | None:
    return _first(
        _refusal(backend, single_set(problem)),
        _refusal(backend, problem.after([(0, 1)])),
        _several(backend, problem),
    )


def _min_then_sum(backend: Backend, problem: Instance) -> str | None:
    return _first(
        _refusal(backend, problem.replace(aggregate="min")),
        _refusal(backend, problem),
        _refusal(backend, problem.replace(min_quality=LEAST)),
    )


def _ties(backend: Backend, problem: Instance) -> str | None:
    method = METHODS.get(backend.name)
    if method is None:
        return "cannot list solutions"
    return _first(_refusal(backend, problem), method.refusal(problem))


QUESTIONS: dict[str, Refusal] = {
    "most dissimilar, one": _one_after_another,
    "most dissimilar, all": _all_at_once,
    "most sets": _most_sets,
    "min then sum": _min_then_sum,
    "ties": _ties,
}


def question_support() -> list[QuestionSupport]:
    """Return the support of all exact backends, installed or not, in their default formulation.

    Examples
    --------
    >>> cells = question_support()
    >>> next(c.reason for c in cells if (c.question, c.backend) == ("ties", "mip:cbc"))
    'cannot list solutions'
    """
    return [
        _cell(question, backend, objective)
        for backend in registry().values()
        if backend.exact
        for question in QUESTIONS
        for objective in OBJECTIVES
    ]


def _cell(question: str, backend: Backend, objective: str) -> QuestionSupport:
    asked, refusal = probe(objective, "sum"), QUESTIONS[question]
    alone = question == "ties" and refusal(backend, asked.replace(n_sets=1)) is None
    return QuestionSupport(question, backend.name, objective, refusal(backend, asked), alone)


def question_markdown() -> str:
    """Return the support as a Markdown table: one row per backend, the objectives in the cells."""
    taken: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for cell in question_support():
        row = taken.setdefault((cell.backend,), {question: [] for question in QUESTIONS})
        row[cell.question] += [cell.symbol] if cell.symbol else []
    rows = {
        name: [", ".join(objectives) or NOT_TAKEN for objectives in row.values()]
        for name, row in taken.items()
    }
    return f"{INTRODUCTION}\n" + backend_table(tuple(QUESTIONS), rows, "None of them by")


INTRODUCTION = """## Questions (`pyfsel ask`)

Which exact backend answers which question about which objectives, by what it says about each kind of
problem that the question makes of such a small one: the largest dissimilarity of one alternative to the best
set and of several sets at once, the largest number of good sets, the best smallest quality and then the best
sum, and all optimal solutions. *–*: not taken.
"""


def support_markdown() -> str:
    """Return the matrix as Markdown: one table per objective, and those of side constraints and questions."""
    cells = support_matrix()
    parts = [HEADER]
    for objective in OBJECTIVES:
        mine = [cell for cell in cells if cell.objective == objective]
        parts.append(f"## {objective} ({OBJECTIVES[objective].equation})\n\n{objective_table(mine)}")
    parts += [side_constraint_markdown(), question_markdown()]
    return "\n".join(parts)


HEADER = """# What is supported

Written by `pyfsel models --support`; do not edit. Each cell is what the backend itself answers about a small
problem of that kind (three sets of two of six features that may share one), whether it is installed or not.

*exact*: proves optimality and infeasibility. *heuristic*: never claims either. After a colon: the only cases
that it takes. *–*: not taken; `pyfsel solve` says why. Limits of size are not part of this table.
"""
