"""Held-out scores and stability, selecting inside each training fold.

Read `evaluate`, `models` (and what they need for categories and gaps), `folds`, `finished_folds` (kept in a
file), `result`, `intervals` (what scores allow to say); `voting` makes one model of several, `sets` scores
given sets, `peers` are selectors of scikit-learn to compare with, `survival` is for times until an event.
"""
