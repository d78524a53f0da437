"""Other ways to ask: what to look for instead of the best sets, or around them.

For whoever has a question that is not "the best sets". Read `asking` (limits, decisions, bisection), then the
questions: `most_dissimilar`, `most_sets` (with `most_sets_bounds`), `families`,
`min_then_sum`, `ties` (with `enumeration`), `atlas`, `cheapest`, `feasible` and `sweep`;
`interrupts` keeps what is known when Ctrl-C comes between two solvers,
`least_share` takes a least quality as a share of the best set's, `nearest` offers a set if relatives leave
none, `answered` is what all answers have in common, and `support` the page of who takes what.
"""
