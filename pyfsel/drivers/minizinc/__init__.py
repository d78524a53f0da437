"""MiniZinc: its program, the solvers it has, and the models of this package.

Read `program` (one run and its messages), `installed` (the solvers), then `model_files`.
"""
