"""Other questions about a problem than which sets are best; `pyfsel.explore` hands them on.

For whoever adds a question or a way to list solutions. Each question is a function in a file of its name:
`ties`, `atlas`, `most_sets` (with `most_sets_bounds`), `most_dissimilar`, `cheapest`, `sweep`; `asked` has
what they share, `pyfsel.solving.asking` the staircase of ever harder problems, and `methods` the ways to list
solutions. `feasible` says what could be requested instead of the impossible.
"""
