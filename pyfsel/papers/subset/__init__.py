"""One set by a classic search or a ranking, by consistency, entropy or a model (paper 001); only ABB proves.

Read `criteria` (what is searched with), `search_state` (limits, counting, ties, the best sets), `searches`
(forward, backward and floating, LVF, LVI, ABB, QBB), `weights` (from a ranking to a set), then `best_subset`
(from a table to a set, and a search for alternatives), and `selector`, for scikit-learn.
"""
