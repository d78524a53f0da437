"""Tables: read from files, with columns as numbers, ready to be measured.

Read `files`, `encoding` (columns and target as numbers), `entries` (of arrays and of sparse matrices), then
`table`, which is what measures take, and `rows` (weights and groups of rows).
"""
