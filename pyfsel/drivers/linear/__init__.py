"""Linear models over integers and reals, their files, and three solvers.

`linear_model` makes the linear model of a 0/1 model, `lp_files` writes it as LP and MPS, `connection` has
what a run of any solver has. `cbc`, `highs` and `scip` each have ``version()`` and ``solve(run)``; the
backends ``mip:…`` use them.
"""
