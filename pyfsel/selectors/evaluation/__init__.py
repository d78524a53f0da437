"""Held-out scores and stability, selecting inside each training fold.

Read `evaluate` (the public function, and how scores are shown), `model_rows` (the table is read), `folds`
(one loop over folds: select, fit, score), `held_out` (the scores of all), `statistics` (the conclusions that
they allow) and `sentences` (their words); `models` has the named models, and one that votes for several,
`cox` the model for times until an event.
"""
