"""MaxSAT and pseudo-Boolean solvers: RC2 (`rc2`, `rc2_search`) and solvers as programs.

A `program` of the user reads a WCNF or OPB file; `run` is one run of it, with a truthful claim.
"""

from pyfsel.backends.maxsat.program import MaxSat, PseudoBooleanSolver
from pyfsel.backends.maxsat.rc2 import Rc2

__all__ = ["MaxSat", "PseudoBooleanSolver", "Rc2"]
