"""One set by a classic search or a ranking, by consistency, entropy or a model (paper 001).

Read `select` (from a table to a set), `alternatives`, `model_criterion`, then `selector`; `mask` eliminates
by the loss of one fitted model (paper 002).
"""
