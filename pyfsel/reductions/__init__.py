"""Reductions: smaller problems with the same optimum, and the way back to sets of the original one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyfsel.backends.base import STRENGTHENED, Backend
from pyfsel.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.forbidden import WithoutForbidden
from pyfsel.reductions.preselection import Preselection, preselect
from pyfsel.reductions.restriction import Restriction

__all__ = [
    "Preselection",
    "Reduction",
    "Restriction",
    "WithoutForbidden",
    "preselect",
    "reduce",
    "refusal",
    "without_reductions",
]

_SWITCHED_ON: ContextVar[bool] = ContextVar("reductions are switched on", default=True)


@contextmanager
def without_reductions() -> Iterator[None]:
    """Give backends the problems as they are asked, inside a ``with`` block.

    For comparisons: a reduction is shared by all backends, so that they would all be wrong with it.

    Examples
    --------
    >>> problem = Problem(quality=[1, 5, 4, 3], n_sets=1, set_size=2, max_overlap=1)
    >>> with without_reductions():
    ...     reduce(problem, STRENGTHENED).problem is problem
    True
    >>> reduce(problem, STRENGTHENED).problem.n_features
    2
    """
    token = _SWITCHED_ON.set(False)
    try:
        yield
    finally:
        _SWITCHED_ON.reset(token)


def reduce(problem: Problem, formulation: str) -> Restriction:
    """Return the reduction that a backend gets to see: none unless the formulation is the strengthened one.

    The other formulations show what they are without help, and a user's own model may constrain features by
    their numbers.
    """
    if not _reduces(formulation):
        return Preselection.none(problem)
    allowed = WithoutForbidden.of(problem)
    return allowed.then(preselect(allowed.problem))


def refusal(backend: Backend, problem: Problem, formulation: str) -> str | None:
    """Return why a backend cannot take a problem even without its forbidden features, or None."""
    asked = WithoutForbidden.of(problem).problem if _reduces(formulation) else problem
    return backend.refusal(asked, formulation)


def _reduces(formulation: str) -> bool:
    return formulation == STRENGTHENED and _SWITCHED_ON.get()
