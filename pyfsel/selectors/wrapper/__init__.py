"""Sets with which a model predicts well: a hill climb whose steps an exact solver makes dissimilar.

Read `climb` (paper 000, Alg. 1), `repair` (dissimilar candidates), `scoring`, then `by_model`, which makes an
answer of it: the search of `pyfsel.objectives.Model`.
"""
