"""Our own searches and heuristics: from a problem to sets and bounds. They know no backend.

For whoever wants to learn how a proof is found. Each folder begins with its idea, its bound and why it holds:
`heuristics` (no claims), `packing` (sets listed by quality, then compatible ones), `prices` (sums of pairwise
sets, by column generation), `ksubgraph` (mRMR as a heaviest subgraph), `cfs` (a fraction by quadratic steps),
`best_subsets` (least squares by Schur complements). `incumbent`, the best solution so far, `swaps`, the local
search, and `best_first`, the order of sets, are shared.
"""
