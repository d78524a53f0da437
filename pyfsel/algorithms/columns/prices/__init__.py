"""Prices of features and of what sets share: the linear relaxation, subsets of features, limits on uses.

Read `relaxation`, then `subsets` (of features that no two compatible sets both hold) and `use_limits`.
"""
