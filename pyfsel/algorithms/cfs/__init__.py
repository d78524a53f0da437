"""Correlation-based feature selection (paper 000, Eq. 20), exactly: a fraction by quadratic steps.

With A the sum of the qualities of a set S and D = ``scale·|S|`` + the redundancies of its ordered pairs, the
integer value of S is at least t if and only if ``scale·A² − t²·D ≥ 0``
(`pyfsel.problem.fractions.CFS`). For a fixed t the left side is a sum over the features and the pairs of
features of S: the graph score of other weights. So each step asks a solver of graph scores for the best set
with t one more than the best value known. If that is negative, no set has value t (Dinkelbach's method for
fractional programs; all comparisons are exact).

Read `step` (the quadratic problem) and `steps` (a greedy start, and the loop).
"""
