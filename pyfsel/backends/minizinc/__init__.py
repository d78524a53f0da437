"""MiniZinc models of a problem, and the solvers behind MiniZinc.

Read `catalogue` (which model suits which problem), `text` (the tokens of models), `dzn`
(its data), `minizinc_run`, `backend`, and `own_model` (a user's own file) with `without_strengthening`.
"""

from pyfsel.backends.minizinc.backend import MiniZinc

__all__ = ["MiniZinc"]
