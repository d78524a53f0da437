"""Consistency: the smallest set of features whose inconsistency rate is at most a given one.

Two rows are inconsistent if they agree in all selected features and belong to different classes (paper 001,
Eq. 1, 2). The rate never rises when a feature is added. So a set is consistent enough if and only if it is no
subset of a set that is not, which makes the question a minimum hitting set: from the complement of every
largest set that is not consistent enough, at least one feature must be selected. With rate 0 these
complements are the minimal difference sets of pairs of rows of different classes.

Read `distinct_rows`, `consistent_sets` (the function that users call), `smallest`, `branching` (the proofs).
"""
