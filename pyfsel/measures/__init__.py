"""Qualities and redundancies of features, computed from a table.

Examples
--------
>>> from pyfsel.problem.make import make_instance
>>> from pyfsel.measures import load_dataset, prepare, quality
>>> table = prepare(*load_dataset("breast_cancer"))
>>> q = quality(table)
>>> problem = make_instance(
...     q, k=5, n_sets=3, dissimilarity=0.4, feature_names=table.feature_names
... )

For objectives on pairs of features (mRMR, FCBF):

>>> from pyfsel.measures import pair_measures
>>> q, r = pair_measures(table, objective="mrmr")
>>> problem = make_instance(q, r, objective="mrmr", k=5, n_sets=3, dissimilarity=0.4)

A measure is a function in a file of this package and a line of `registry.MEASURES`: `information` (the
default) with `levels`, `contingency` and `expected_information`, `mutual_info`, `correlation`, `relief`,
`class_overlap`, `importances`, `survival_times`, `unsupervised`. Read `tables` first, then `compute`, `parts`
(progress), `redundancy_rows` (pairs of very many columns), and `from_table` (to a problem at once); `copies`
finds columns that say the same, `relations` how alike sets are, `evidence` is how far qualities can be
trusted (`above_chance`, `standard_errors`), `streams` is for tables larger than memory, and `arrays` names
types of arrays, cuts them into blocks, and keeps what computes with them to one thread.
"""

from pyfsel.measures.compute import delta, pair_measures, quality, redundancy
from pyfsel.measures.copies import find_copies
from pyfsel.measures.registry import redundancy_measures, relevance_measures
from pyfsel.measures.tables.bundled import load_dataset
from pyfsel.measures.tables.files import read_table
from pyfsel.measures.tables.table import prepare

__all__ = [
    "delta",
    "find_copies",
    "load_dataset",
    "pair_measures",
    "prepare",
    "quality",
    "read_table",
    "redundancy",
    "redundancy_measures",
    "relevance_measures",
]
