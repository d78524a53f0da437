"""Mixed-integer programming: linear models of a problem, their files, the solvers, the backends.

Read `named_model` (rows with names), `model` (the formulations, and the way back), `lp` (files), `solvers`
(floats that suit them, and one run) and `backend`.
"""

from pyfsel.backends.mip.backend import Mip

__all__ = ["Mip"]
