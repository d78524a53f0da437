"""What dissimilarity costs: grids of k, a and τ. Read `sweep`, `cells` (one point of a grid) and `plot`."""
