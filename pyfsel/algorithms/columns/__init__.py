"""Exact search over sets priced by a linear relaxation: column generation, then branch and bound."""
