"""The k features of the largest R² of least squares, exactly: branch and bound on correlations.

Let G be the correlations of features, c those with the target, E the largest error of a Schur complement of
G in floats, and B the limit on ‖β‖₁ of `pyfsel.problem.least_squares`. The search runs on G' = G + εI.

Lemma. If the search in floats finds no set whose gain is at least τ − (B² + 2B)·E − ε·B², none that counts
has R² ≥ τ. For such a set has a β with ‖β‖₁ ≤ B and 2cᵀβ − βᵀGβ ≥ τ; with G' instead of G that falls by
ε‖β‖₂² ≤ ε·B², and with what floats make of G' and c by at most (B² + 2B)·E; the maximum over all β is at
least as large, and that is what the tree adds up, and what its bound bounds (`pyfsel/core/best_subsets.c`).

ε and D are such that the least eigenvalue of G' − D exceeds what LAPACK and the floats of the tree can be
off, so the lemma of the bound holds for the matrices that the tree works on. Dependent and nearly
equal columns only make ε positive, by about 10⁻¹². The values of all sets that are found come from
elimination in integers, and so do the winner and the ties.

`tree` has ε, D and E, a start, and the loop around the core.
"""
