"""The systems of the papers: searches, selectors and questions that only they ask.

For whoever repeats a paper's experiment or compares with it. Of paper 001: `subset` (the classic searches)
and `consistency` (smallest consistent sets, proved). Of paper 002: `masked_model` and `mask_selector` (masks
of any model), `masks` (of linear models, proved). Of paper 004: `graph_score` (as a problem), `graph_fs` and
`graph` (selectors). Of paper 000: `counting` (how many sets can be dissimilar, how many families of them)
and `own_search` (alternatives by any search).
"""

import importlib
from typing import Any

PLACES = {
    "ASDPSelector": "graph",
    "AllowedSets": "own_search",
    "GraphSelector": "graph",
    "MaskSelector": "mask_selector",
    "SubsetSelector": "subset.selector",
    "alternatives_by": "own_search",
    "best_masks": "masks",
    "consistent_sets": "consistency.consistent_sets",
    "embedded": "own_search",
    "graph_score_problem": "graph_score",
    "how_many": "counting",
}
"""The file of each public name, loaded when the name is first used."""

__all__ = list(PLACES)


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
