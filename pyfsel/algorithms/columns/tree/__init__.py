"""Branch and bound under the prices: a node, how it branches, and the search.

Read `node` (task and state), `search` (with the bound), then `branching`.
"""
