"""Formulas in conjunctive normal form: variables with names (`formula`), counting and orders (`counters`)."""
