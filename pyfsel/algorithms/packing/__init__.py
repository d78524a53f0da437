"""Candidate packing: enumerate single sets by decreasing value, then pick compatible ones.

The idea. All allowed sets that are worth at least t are a *pool*; t falls until the pool holds an optimum,
and a proof. For the best minimum the sets are tried as the worst one of a solution, the best set first: the
first that can be completed by compatible sets before it in the pool is proved optimal, as all better ones
have failed. Where that takes long, with disjoint sets or pairs of features, it is decided of how many of
the best sets compatible ones can be chosen: by prices of features, which show that there are too few or leave
few sets, and by a search that branches on features which few of these hold (`FewestSets`).

For the best sum the optima b_l of l = 1, 2, … sets are found one after the other: the other sets of an
optimum of l sets are worth at most b_(l−1), so each of its sets is worth at least b_l − b_(l−1). So once a
solution of value v is known, a better one has no set below t = v + 1 − b_(l−1), and the pool need not grow
any further.

The bounds, where sets are sums of features. First, a further use of a feature that c sets hold
adds c to what all pairs of sets share, which may grow by max_shared with every new pair; with a price for
that (a Lagrange multiplier, any of which gives a valid bound) the uses that gain most are taken. Second, no
max_shared + 1 features lie in two sets, so the best t features can be used only as often as their
(max_shared + 1)-subsets suffice.

The files, in the order in which to read them: `pool` (the enumeration), `cliques` (what the search for
compatible sets in the pool works on; that itself is in ``core/packing.c``), `relaxation` (the linear program
and its prices), `smallest` (how many sets are too few), `families` (how the pool grows until the proof).
"""
