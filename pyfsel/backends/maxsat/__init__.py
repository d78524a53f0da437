"""MaxSAT and pseudo-Boolean solvers as programs.

A `program` of the user reads a WCNF or OPB file; `maxsat_run` is one run of it, with a truthful claim.
`rc2_search` is the search of the backend `rc2`.
"""

from pyfsel.backends.maxsat.program import MaxSat

__all__ = ["MaxSat"]
