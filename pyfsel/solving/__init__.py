"""`solve`: workers, the verifier of claims, simultaneous and sequential search, the support matrix.

For whoever wants to know what happens between a problem and a result. Read `solve`, then `sequential`,
`attempt` (the verifier), `confirm` (a second proof), `workers` (backends in processes that stay), `support`
(which backend takes what, which work here, and how large the models become). `asking` solves several problems
for one question, and keeps what is known if Ctrl-C comes between two of them; `least_share` (a minimum
quality as a proportion of the best) is such a question.
"""
