"""Claims and their check: a backend's answer, the one checker, and the result that a user sees.

For whoever reads, checks or draws results. Read `control` (what a search gets beyond the problem),
`backend_answer` (what it says, and tasks that run in a process of their own), `verify` (the checker),
`result` (what stands), `claims` (what is proved, in words), `tables` and `plots` (how that looks), then
`display` (parts of tables, texts and pages), `sampling` (what errors of qualities mean), `near_optimal` (how
many sets have nearly the largest sum), `confirmation` (a second proof, and certificates), `jobs` (many of one
kind, and reports of how many are done), `saved_entry` (dataclasses as JSON).
"""
