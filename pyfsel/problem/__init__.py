"""A problem in integers, which every backend accepts, and its JSON.

For whoever wants to know what a problem is made of. Read `instance` (the fields), `fields` (how each kind of
them is checked, written and read), `contradictions`, `objectives` and `fractions` (what the quality of a set
is; `known_objectives` lists them), `redundancies` (computed when needed) and `values` (what given sets are
worth), `linear_rows` (what each set must also satisfy), `dissimilarity` (what two sets may share), `rules`
(both as values with a shorthand, from `value`), then `make`, `labels`, `names` and `quantise` (from a user's
floats and names to integers) and `json`. Others: `graph_score` (its numbers), `least_squares` (R² in
rationals), `among` (a problem over some of its features, or one of each group of near-duplicates), `evidence`
(how far qualities can be trusted), `checks` of single arguments, `text_files`.
"""
