"""Several sets with the largest sum of a pairwise objective, by column generation with dual values.

The idea. Compatible sets compete for features: any two of them share at most m. If every use of a feature
costs a price, the sets no longer compete, and each can be looked for alone. The prices are the dual values of
a linear program over the sets known so far; the heaviest set under these prices (a single set, found by
`pyfsel.algorithms.ksubgraph`) is the next one that the program gets, until none would change it.

The bound. Take any integer prices π_j of features, and μ ≥ 0 of a shared feature. The weight of a set S is
its value minus its prices, ``w(S) = v(S) − Σ_{j∈S} π_j``; no set weighs more than h. If c_j of L compatible
sets contain feature j, ``Σ_s v(S_s) = Σ_s w(S_s) + Σ_j π_j·c_j``. Pairs of sets share
``Σ_j C(c_j, 2) ≤ m·C(L, 2)`` features in all, so the sum of the values is at most
``L·h + Σ_j max_c (π_j·c − μ·C(c, 2)) + μ·m·C(L, 2)``. The maximum over c is
``Σ_{v≥0} max(0, π_j − μ·v)``, as a use beyond v others brings in π_j − μ·v. This holds for all integer
prices. The floating-point solver only decides how good the bound is, never whether it is right.

Pairs. If two sets may share one feature, no pair of features lies in both, so each pair is used once at most.
With prices ρ_ij ≥ 0 of pairs, which a set pays for all pairs that it holds, the sum of the values is at most
the bound above, of weights without what is paid for pairs, plus ``Σ ρ_ij``. Pairs of features are what the
objective counts anyway, so the search for a heaviest set takes these prices as redundancies. Only pairs that
the linear program uses more than once need a price. Without them it takes parts of many sets that hold the
same two good features: of five sets of backache (mRMR, k = 5), the bound was 6.4% above the optimum, and is
0.3% with prices of some 20 pairs (`benchmarks/experiment_000.py`).

Example. Two disjoint sets of one feature with the values 5 and 4: with π = (5, 4) every set weighs 0, one use
of each feature brings in 9, and no second use is possible (m = 0). The bound 9 is the optimum.

The proof. If sets with a sum of at least g exist, and the bound is B, each of them weighs at least
h − (B − g), as the other L − 1 weigh at most h. All sets from that weight on are listed. The search of
`pyfsel.algorithms.packing` in the list either finds the best sum from g on, or shows that there is none;
then the bound is g − 1, and the distance B − g is doubled. To that search the prices are what features count:
its bounds on the features of further sets bound what these have in addition to their weights.

`column_generation` has how the linear program of `pyfsel.algorithms.packing.relaxation`, its bound and the
search find an optimum and prove it.
"""
