"""What dissimilarity costs: grids of k, a and τ. Read `sweep` and `cells` (one point of a grid)."""
