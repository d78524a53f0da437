"""Programs and libraries of others: how they are started, watched, fed and ended.

For whoever connects a solver. `processes` starts and ends child processes under a guard, `minizinc` runs
MiniZinc, `linear` solves linear models, `sat` builds formulas, `cpsat` makes OR-Tools behave. Nothing here
knows a backend.
"""
