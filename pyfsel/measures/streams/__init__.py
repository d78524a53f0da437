"""Tables that are larger than memory: read in parts, and measured as if they were in memory.

For whoever has files of Parquet or CSV, or whatever offers Arrow's stream interface. A few columns are in
memory at a time, encoded as `pyfsel.measures.tables` does it, so all that goes column by column is the same
bit for bit. Read `sources` (where rows come from) with `csv_files`, `lanes` (the levels of all columns in a
file, and their pairs counted), `reading` (from a source to a table).
"""
