"""A bridge from linear FlatZinc to MIP solvers and CP-SAT, usable by any MiniZinc model.

`parser` reads FlatZinc, `linear` turns it into the rows that `pyfsel.drivers.linear` solves, `protocol`
checks and prints what is found, `run` is the program, `install` tells MiniZinc about it. Nothing here imports
more of this package than it must: the program is started again for every solve.

`launch` starts it; `tokens` are what `parser` makes a `model` of.
"""
