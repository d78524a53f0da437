"""Tables: read from files, with columns as numbers, ready to be measured.

Read `files` with `bundled` and `formats`, `containers` (kinds of tables, and columns by place), `encoded`
(what encoding leaves), `encoding` with `frames` (columns of pandas), `target` and `text` (numbers and words
in text), `entries` (arrays and sparse matrices), then `table`, which measures get, `rows` (weights and groups
of rows), `model_tables` (tables that a model is trained on), `declared` (missing codes and orders) and `look`
(what is odd about a table, before anything is proved) with `column_rules`.
"""
