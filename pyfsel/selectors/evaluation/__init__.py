"""Held-out scores and stability, selecting inside each training fold.

Read `evaluate` (the public function, and how scores are shown), `scored` (the table is read, folds are
scored), `models` (and what they need for categories and missing values), `folds` (one fold), `held_out` (the
scores of all), `intervals` (what they allow to say); `voting` makes one model of several, `peers` are
selectors of scikit-learn to compare with, `survival` is for times until an event.
"""
