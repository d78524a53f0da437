"""What is claimed and what stands: a backend's answer, the one checker, and the result that a user sees.

For whoever reads, checks or draws results. Read `control` (what a search is given besides the problem),
`answer` (what it says), `verify` (the checker), `result` (what stands, and how it is shown), then `display`
(parts of tables and texts), `solution_file` (sets in files) and `plots`.
"""
