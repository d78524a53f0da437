"""Formulas in conjunctive normal form: variables with names (`formula`) and counting (`counters`).

`maxsat_encoding` writes a 0/1 model in clauses, `opb` in linear rows for pseudo-Boolean solvers.
"""
