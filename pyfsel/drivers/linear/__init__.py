"""Linear models over integers and reals, their files, and one connection for each program that solves them.

`model` is what all the others take, `from_model` writes it of a 0/1 model, `files` as MPS and LP, `exact`
checks and repairs in exact numbers what solvers find in floats; `connection` is what all solvers have in
common, and `cbc`, `highs`, `scip`, `cpsat` are those (`ortools` stands in for CBC and SCIP where they are
missing, and `installed` says which there are). The backends ``mip:…`` and the bridge from FlatZinc use them.
The bridge is started again for every solve, so nothing here loads at import more than its errors and what a
small model needs.
"""
