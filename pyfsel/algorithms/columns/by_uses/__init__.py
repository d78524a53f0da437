"""Branching on how many sets hold each feature, where pairs of sets must share nearly all they may."""
