"""How CP-SAT is set up wherever it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def new_solver(random_state: int, seconds: float | None = None, n_threads: int = 1) -> cp_model.CpSolver:
    """Return a solver with these limits, which leaves Ctrl-C to Python.

    Left alone, CP-SAT takes the handler of SIGINT away for good: after its first solve, Ctrl-C would kill the
    process without a word, and what was found would be lost.

    Parameters
    ----------
    random_state : int
    seconds : float, optional
        Wall-clock limit.
    n_threads : int

    Examples
    --------
    >>> new_solver(7).parameters.random_seed
    7
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = n_threads
    solver.parameters.random_seed = random_state % 2**31
    solver.parameters.catch_sigint_signal = False
    if seconds is not None:
        solver.parameters.max_time_in_seconds = seconds
    return solver
