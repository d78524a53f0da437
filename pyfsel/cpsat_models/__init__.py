"""CP-SAT models of a `Problem`: the paper's formulation and the strengthened one."""

from pyfsel.cpsat_models.build import build_model
from pyfsel.cpsat_models.membership import SetModel

__all__ = ["SetModel", "build_model"]
