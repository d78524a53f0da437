"""Branch and bound under the prices: a node, how it branches, and the search."""
