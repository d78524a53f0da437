"""Exact search over sets priced by a linear relaxation: column generation, then branch and bound.

The idea. A solution is L sets of k features, each allowed by itself, any two of which share at most m
features. There are too many allowed sets to write down, but they need not be: give every feature j an integer
*weight* w_j, let a set weigh the sum of the weights of its features, and most sets become too light to
matter.

The bound. Let q_j be the qualities, c_j the number of sets that hold feature j, and h an upper bound on the
weight of any allowed set. For compatible sets S_1, …, S_L:

1. Σ_s q(S_s) = Σ_s w(S_s) + Σ_j (q_j − w_j)·c_j, which only adds and subtracts the weights.
2. Pair counting: Σ_j C(c_j, 2) counts, for all pairs of sets, the features that they share; so it is at most
   m·C(L, 2). With any price μ ≥ 0 of sharing, μ·(m·C(L, 2) − Σ_j C(c_j, 2)) ≥ 0 may be added.
3. So Σ_s q(S_s) ≤ Σ_s w(S_s) + R ≤ L·h + R with R = Σ_j max_c ((q_j − w_j)·c − μ·C(c, 2)) + μ·m·C(L, 2),
   where c runs from 0 to the most sets that can hold j. No two sets hold the same m + 1 features, so that
   prices p ≥ 0 of such subsets, paid by each set that holds one, may be charged as well: Σ p is added to R.

Of pairs of features (mRMR) what a set is worth beside its features' qualities, its *rest*, is added to its
value and to its weight alike.

The bound holds for any integers w and any μ, p ≥ 0 (weak Lagrangian duality), so it needs no exact linear
solver. The best ones are the duals of a linear program whose columns are sets: it is solved over a few of
them, and the heaviest set by its duals, a problem about one set, is the next column (column generation;
Gilmore and Gomory 1961).

The search. Any set of a solution that is worth g or more weighs at least h − (L·h + R − g): the other L − 1
sets weigh at most h each. So all allowed sets from that weight on are listed, for a g just below the bound.
If compatible sets among them reach g, the best of these are optimal; if not, the bound falls below g, and the
distance doubles. The search through the list is a branch and bound with the same bound at every node, its
prices adapted by subgradient steps. The best minimum is asked another way: how many sets that are worth at
least g are compatible? The relaxation of that bounds g by bisection; then the same search decides.

The files, in the order in which to read them:

- `allowed`: what is asked of the sets that are allowed: the heaviest, and all heavy ones; of sums of features
  they are found by `single`, of pairs by `pairwise`, or all in a list.
- `relaxation`: the prices, and how many sets can hold a feature; `subsets`: those of subsets of features.
- `tree`: the search through listed sets.
- `state`, what is known so far; `search`, the best sum, the best minimum, and the whole.
- `improve`: good solutions without proof.
"""
