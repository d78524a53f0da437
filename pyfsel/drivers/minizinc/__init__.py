"""MiniZinc: its program, the solvers it has, the models of this package, and a bridge to solvers it lacks.

Read `program` (one run and its messages), `installed` (the solvers), `model_files`, then `bridge`.
"""
