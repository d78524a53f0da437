"""Hitting sets of a given size, by branching: sets of at most 64 features as bits of one machine word.

For whoever proves smallest consistent sets. Read `minimal` (the minimal differences of rows), then `search`.
"""
