"""The user's view: scores of a table, a problem, a question, an answer.

For whoever changes the public interface; everything here hands on to the rooms before it. Read `scores` (what
was measured of a table), `problem` (numbers and rules), `feature_set`, `stated` (what files state of sets,
and what follows from these), `answer` (sets, status, what is proved) with `said` (headline, cautions) and
`layout` (how answers are printed), `evaluation` (what is estimated), then `solving` (solvers and `solve`) and
`min_then_sum` (its search with two goals). `certify` writes proofs, `check` reads whatever claims to be a
solution, `export` writes files for other solvers. `pyfsel.explore` has the other questions.
"""
