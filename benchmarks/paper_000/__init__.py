"""The parts of benchmarks/experiment_000.py: the experiment of paper 000, step by step.

Read `design` (what is run, and in which order), then the steps: `measure` (numbers of the tables), `run`
(searches of the white-box methods), `wrapper` (those of the Greedy Wrapper), `score` (one row per set),
`figures`, `tables` and `page` (all of which need nothing but that).
"""
