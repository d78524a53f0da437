"""MiniZinc: its program, the solvers it has, the models of this package, and a bridge to solvers it lacks."""
