"""Held-out scores and stability, selecting inside each training fold.

Read `evaluate`, `folds`, `result`, `plot`; `voting` makes one model of several, `sets` scores given sets,
`peers` are selectors of scikit-learn to compare with.
"""
