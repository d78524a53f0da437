"""What is claimed and what stands: a backend's answer, the one checker, and the result that a user sees.

For whoever reads, checks or draws results. Read `control` (what a search gets beyond the problem),
`answer` (what it says), `verify` (the checker), `result` (what stands), `claims` (what is proved, in words),
`tables` and `plots` (how that looks), `stated` (what files state of sets), then `display` (parts of tables
and texts), `pages` (templates of pages), `sampling` (what errors of qualities mean), `near_optimal` (how many
sets have nearly the largest sum), `confirmation` (a second proof, and certificates), `task` (what runs in a
process of its own), `jobs` and `counting` (many of one kind, and reports of how many are done), `saved_entry`
(dataclasses as JSON).
"""
