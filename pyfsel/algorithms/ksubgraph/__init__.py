"""Pairwise objectives with a fixed set size as a heaviest k-subgraph, searched along heavy chains.

The idea. For k features mRMR (paper 000, Eq. 13) is a sum over the pairs of a set: with the weights
``e_ij = q_i + q_j − 2 r_ij`` it is W(S), the weight of all pairs in S (`PairInstance.edges`). Taking its
weakest feature, the one of least weight with the others, away from a heavy set leaves a set that is heavy
still. So every heavy set is met by growing heavy pairs, one feature at a time, and few partial sets on the
way are heavy.

The bound on chains. The degrees of the m + 1 features of T in T add up to 2 W(T), so the weakest has at
most 2 W(T) / (m + 1), and without it ``W(T∖v) ≥ W(T) · (m − 1) / (m + 1)``, for weights of any sign. From a
set S of k features that weighs at least V, taking away the weakest one after the other leaves sets S_m with
``W(S_m) ≥ V · m (m − 1) / (k (k − 1))``, for m = k − 1, …, 2. Upwards: T is extended by j only if j is the
weakest of T ∪ {j} (of several weakest ones, that of the largest number), and T ∪ {j} reaches that threshold.
As each set has one weakest feature, each is met once. What makes a part of a set infeasible, two features in
conflict or too many of a previous set, is in the whole set too: such partial sets are left out. The other way
round, no set in whose chain T is weighs more than ``W(T) · k (k − 1) / (m (m − 1))``.

The bound on completions. Give half of each weight to either feature of the pair. If r features are to be
added to T, one of them, j, adds its weights with T and its halves of the pairs with the r − 1 others: at most
``v_j = Σ_{t ∈ T} e_tj +`` half of the r − 1 largest weights of j. So no set that contains T weighs more than
W(T) and the r largest v_j, or, if it is to contain j as well and j is not among these, v_j in place of the
least of them. Before any set is grown, features whose bound is below V are left out. Where previous sets
limit how many of some features may be taken, the r largest within these limits are meant: the first previous
set that contains a feature limits it, so the limits are on disjoint parts, for which the greedy choice is
best (a partition matroid).

The bound on orders. Let T of m features be in the chain of S. The features that follow are each the weakest
when they come. So the i-th of them adds at most the weight that any t ∈ T has with the others then: that in
T and the pairs of t with those i features, at most its i largest ones. And it adds at most the mean weight,
from a set of weight W on at most 2W/(m + i − 2). Added up from W(T) on, with the less of both at each step,
no such S weighs more; and none that holds a given feature, if in the last step the pair of t with it takes
the place of the least one. This leaves out sets that are heavy, but are met elsewhere. Where it seldom does,
it is not asked for.

The relaxation. For large k few sets are heavy, but the bounds above, which look at pairs one by one, are far
from them. With x_j = 1 for the features of S, and any d, ``W(S) = ½ x'(E − diag d) x + ½ d'x``, since x_j² is
x_j; and for any N that is nowhere negative, ``W(S) ≤ ½ x'(E + N − diag d) x + ½ d'x``. For pairs that no set
holds, x_i x_j is 0, and N may be negative. If E + N − diag d bends nowhere upwards in directions in which the
sum of x stays (the largest eigenvalue of the matrix without its row and column means is not positive), this
is concave among the x of sum k, and its tangent at any such x̂ is above all sets: W(S) is at most a constant
and the sum of the slopes of its features. The k largest slopes give a bound, and what it loses without one of
their features, or with another one, fixes features. Where T is chosen, its weight and those between it and
the others are exact, and only the pairs of the others are raised by N. That the matrix bends nowhere upwards
remains true when features are fixed. Good N and d come from the doubly nonnegative relaxation
(`doubly_nonnegative`), a semidefinite program whose bound is often within a few hundredths of the optimum;
any N ≥ 0 and d are right, so it may be left early, and gone on with later: what is open in the tree does
not depend on them. Without N it is the convex reformulation of Billionnet, Elloumi and Plateau (Discrete
Applied Mathematics 157, 2009). Where r = 2, 3 or 4 features R are missing, no more branches are needed: with
what each adds to T, g_i, the rest of the function at a whole set is again a sum over pairs, ``Σ_{R} g_i +
Σ_{pairs of R} h_ij``, 1 / (r − 1) times the weights ``(r − 1) h_ij + g_i + g_j``, and few chains of these are
heavy. Of equally weak features each may come last there: weights are rounded, and two that exclude each other
would lose the set. Branch and bound takes turns with the chains from some work on, if its first bound is much
the better one (it knows nothing of the limits of previous sets), and after a second in any case. Whichever
ends first has searched all sets: one raises V for both. Bounds are in floating point and get a margin beyond
what rounding can change; weights of sets are integers.

The numbers. All weights and thresholds are 64-bit integers, and thresholds are rounded up: nothing is
lost. Where weights are so large that sums of them might leave 64 bits (never for mRMR), they are divided and
rounded up; then a set of value V weighs at least what V gives, and the values of the sets met are computed
again.

The first incumbent is that of a local search; V is one more, and rises with each better set. For all sets
above a threshold (`pool`, for packing several sets) V stays. On the way the largest bound of the pairs not
extended so far bounds all sets; pairs of the largest bound come first.

Read `instance` (what is asked), `run` (what every search is given and reports), `chains` (the search) with
`heavy_chains` (one partial set after the other, in the core, which carries along only the features that can
still come), `relaxation` (the branch and bound beside it) with `doubly_nonnegative` (its function; its nodes
are searched in the core), `wide` and `on_demand` (chains where redundancies are computed row by row),
`local_search`, `forced` (features in every set), `search` (the best set, all sets above a value), `pool` and
`sizes` (several sets, several sizes).
"""
