"""Formulas in conjunctive normal form: variables with names (`formula`) and counting (`counters`).

`encoding` writes a 0/1 model in clauses, `opb` in linear rows for pseudo-Boolean solvers.
"""
