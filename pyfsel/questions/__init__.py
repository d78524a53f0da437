"""Other questions about a problem than which sets are best; `pyfsel.explore` hands them on.

For whoever adds a question or a way to list solutions. Each question is a function in a file of its name:
`ties`, `atlas`, `most_sets` (with `most_sets_bounds`), `most_dissimilar`, `cheapest`, `sweep`; `asked` has
what they share, `pyfsel.solving.asking` the staircase of ever harder problems, `methods` the ways to list
solutions, and `listing_task` the task that runs one. `feasible` and `nearest` say what could be requested
instead of the impossible.
"""
