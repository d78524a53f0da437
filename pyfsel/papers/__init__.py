"""The systems of the papers: searches, selectors and questions that only they ask.

For whoever repeats a paper's experiment or compares with it. Of paper 001: `subset` (the classic searches)
and `consistency` (smallest consistent sets, proved). Of paper 002: `masked_model`, `elimination` and
`mask_selector` (masks of any model), `masks` (of linear models, proved). Of paper 004: `graph_score` (as a
problem), `graph_fs` and `graph` (selectors). Of paper 000: `counting` (how many sets can be dissimilar) with
`families`, and `own_search` (alternatives by any search).
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyfsel.papers.consistency.consistent_sets import consistent_sets as consistent_sets
    from pyfsel.papers.counting import how_many as how_many
    from pyfsel.papers.graph import ASDPSelector as ASDPSelector
    from pyfsel.papers.graph import GraphSelector as GraphSelector
    from pyfsel.papers.graph_score import graph_score_problem as graph_score_problem
    from pyfsel.papers.mask_selector import MaskSelector as MaskSelector
    from pyfsel.papers.masks import best_masks as best_masks
    from pyfsel.papers.own_search import AllowedSets as AllowedSets
    from pyfsel.papers.own_search import alternatives_by as alternatives_by
    from pyfsel.papers.own_search import embedded as embedded
    from pyfsel.papers.subset.selector import SubsetSelector as SubsetSelector

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
