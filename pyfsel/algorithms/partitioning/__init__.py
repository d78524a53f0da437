"""Balanced number partitioning: a local search, and proofs by partitioning with parts of a narrow range.

Read `search` (parts of a narrow range, the whole, and `set_aside`: parts that one number decides),
`local_search`, and `models` (CP-SAT chooses among parts).
"""
