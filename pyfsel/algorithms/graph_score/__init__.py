"""The graph score, exactly: a quadratic problem over non-empty sets of any size (paper 004, Eq. 11).

`search` is a branch and bound with semidefinite bounds (`bound`), strengthened by triangle inequalities;
`gray_code` looks at all sets. Both minimise ``Σ_{i∈S} linear_i + Σ_{i<j∈S} pairwise_ij`` in integers.

Read `instance`, `local_search` (a start), `bound`, then `search`.
"""
