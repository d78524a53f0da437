"""scikit-learn selectors, the wrapper, and scores on held-out rows.

For data scientists. Read `several_sets` (what all selectors share), `alternatives`, `graph`, then `wrapper`
(a hill climb with any estimator) and `evaluation` (selection inside each training fold).
"""
