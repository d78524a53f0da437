"""Linear models over integers and reals, their files, and one connection for each program that solves them.

`model` is what all the others take, `from_model` writes it of a 0/1 model, `files` as MPS and LP;
`connection` is what all solvers have in common, `cbc`, `highs` and `scip` are those, and `installed` says
which there are. The backends ``mip:…`` use them.
"""
