"""CP-SAT without MiniZinc: models of a problem, in the paper's formulation and strengthened, and the backend.

Read `membership` (the variables), `values`, then `build` and `backend`.
"""

from pyfsel.backends.cpsat.backend import CpSat

__all__ = ["CpSat"]
