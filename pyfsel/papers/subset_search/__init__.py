"""The classic searches for a subset of features (paper 001, Sections 3, 4), any criterion; only ABB proves.

For whoever compares searches. Read `criterion` (what is searched with), `run` (limits, counting, ties, the
best sets), then the searches: `stepwise` (forward selection and backward elimination, also floating),
`las_vegas` (LVF, LVI), `branch_and_bound` (ABB, QBB), `ranking` (weights and where to cut them),
`elimination_path` (paper 002); `registry` has them by name, `result` is what they return.
"""
