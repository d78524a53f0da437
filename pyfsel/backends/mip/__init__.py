"""Mixed-integer programming: linear models of a problem, their files, the solvers, the backends."""

from pyfsel.backends.mip.backend import Mip

__all__ = ["Mip"]
