"""scikit-learn selectors, the wrapper, and scores on held-out rows.

For data scientists. Read `columns` (of tables of any kind), `conventions` (what all selectors share),
`splits` (which rows are held out), `alternatives`, then `wrapper` (a hill climb with any model) and
`evaluation` (selection inside each training fold), `choose_k` (how many features) and
`stability` (are they selected again?); `report` is one page about the sets of a table.
"""
