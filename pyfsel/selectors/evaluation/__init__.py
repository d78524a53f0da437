"""Held-out scores and stability, selecting inside each training fold.

Read `evaluate` (the public function, and how scores are shown), `rows` (the table is read), `folds` (one loop
over folds: select, fit, score), `held_out` (the scores of all), `statistics` (what they allow to say);
`models` are those with short names, and what votes for several, `survival` is for times until an event.
"""
