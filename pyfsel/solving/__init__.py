"""`solve`: workers, the verifier of claims, simultaneous and sequential search, the support matrix.

For whoever wants to know what happens between a problem and a result. Read `solve`, then `sequential`,
`start` (initial solutions), `attempt` (the verifier), `confirm` (a second proof), `sessions` and `workers`
(backends in processes that stay), `support` (which backend takes what, and which work here),
`model_sizes` (which models suit a problem). `asking` solves several problems for one question, and
`interrupts` keeps what is known if Ctrl-C comes between two of them; `least_share` (a minimum quality as a
proportion of the best) is such a question.
"""
