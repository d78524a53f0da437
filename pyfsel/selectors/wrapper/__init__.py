"""Sets with which a model predicts well: a hill climb whose steps an exact solver makes dissimilar.

Read `climb` (paper 000, Alg. 1), `repair` (dissimilar candidates), `scoring` and `masked_scoring`,
`progress`, `wrapper`, `selector`; `own_search` hands what is allowed to any other search.
"""
