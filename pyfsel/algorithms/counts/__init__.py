"""Sum-aggregation by counts: how often each feature is used, and whether sets with these counts exist.

The idea. The sum of the qualities of L sets is Σ_j q_j·c_j, where c_j is the number of sets that hold feature
j; which sets these are does not matter. So the counts are decided first, by a *master*, and sets are looked
for that have them (logic-based Benders decomposition; Hooker and Ottosson 2003).

The bound. The counts of some best solution satisfy 0 ≤ c_j ≤ L, Σ_j c_j = L·k, pair counting Σ_j C(c_j, 2) ≤
max_overlap·C(L, 2), limits on the uses of the first features together, and fall with the quality (two
features may trade their memberships). The master maximises over these, so that its value is an upper bound,
and sets with its counts are optimal. If no sets have them, none have larger ones either: taking features out
of sets keeps the overlaps allowed (`family`). That is the cut, which holds whichever features the counts
belong to.

The files, in the order in which to read them: `family`, `master`, `search` (the loop), `realise` (three ways
to decide whether counts exist: `swaps` by annealing, `clauses` by SAT, `windows` by CP-SAT).
"""
