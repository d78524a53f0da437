"""Pairwise objectives with a fixed set size as a heaviest k-subgraph, searched along heavy chains.

For k features mRMR (paper 000, Eq. 13) is the sum of the weights of all pairs in a set. A heavy set without
its weakest feature is heavy still, so every heavy set is found by growing heavy pairs, one feature at a time.
The bounds, their proofs and an example of five features: ``docs/how/ksubgraph.md``.

Read `instance` (the problem), `chains` (what every search is given and reports, and the search) with
`heavy_chains` (one partial set after the other, in the core, which carries along only the features that can
still come), `concave_bound` (the branch and bound next to it, with its function; its nodes are searched in
the core), `rows_on_demand` (chains where redundancies are computed row by row), `local_search`, `all_heavy`
(the best set, all sets above a value), `sizes` (several sizes, several sets).
"""
