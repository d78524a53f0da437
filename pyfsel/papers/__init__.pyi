"""The public names and where each is defined, for type checkers."""

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
