"""Tables that are larger than memory: counted in parts, and then measured as if they were in memory.

For whoever has files of Parquet or CSV, or whatever offers Arrow's stream interface. All that the measures of
information need are counts, which are whole numbers: parts may be added in any order, and the numbers are
those of a table in memory, bit for bit. Read `sources` (where rows come from), `columns` (what they hold),
`levels` (bins of a column without sorting it), `lanes` (codes on disk, and pairs of columns counted),
`read` (what all tables that were read offer), `statistics` (counts as a value: added and measured),
`moments` (sums for correlations), `rows` (who reads: this process or workers), `counting` (from a source to
these), `problem` (what is asked of them), `kept` (counts in a file), `sampling` (rows drawn, for measures of
which nothing adds up).
"""
