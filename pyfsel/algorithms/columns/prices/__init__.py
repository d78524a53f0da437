"""Prices of features and of what sets share: the linear relaxation, subsets of features, limits on uses."""
