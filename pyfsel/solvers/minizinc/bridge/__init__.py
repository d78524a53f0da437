"""A bridge from linear FlatZinc to MIP solvers and CP-SAT, usable by any MiniZinc model.

`parser` reads FlatZinc, `linear` turns it into rows, `solvers` holds one module per solver, `exact` checks
and repairs what these find in exact numbers, `protocol` prints it, `run` is the program, `install` tells
MiniZinc about it. Nothing here imports more of this package than its errors: the program is started anew for
every solve.
"""
