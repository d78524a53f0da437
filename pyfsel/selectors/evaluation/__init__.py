"""Held-out scores and stability, selecting inside each training fold. Read `evaluate`, `result`, `plot`."""
