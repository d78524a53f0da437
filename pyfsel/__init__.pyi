"""The public names and where each is defined, for type checkers and for the lazy imports of `__init__.py`."""

from pyfsel.backends import backends as backends
from pyfsel.backends.decode import decode as decode
from pyfsel.backends.in_cpmpy import CpmpyModel as CpmpyModel, to_cpmpy as to_cpmpy
from pyfsel.backends.minizinc.instance import minizinc_instance as minizinc_instance
from pyfsel.bench.compare import compare as compare
from pyfsel.bench.instances.solution_score import solution_score as solution_score
from pyfsel.certificates.certify import certify as certify
from pyfsel.errors import (
    SolverError as SolverError,
    NoSetsError as NoSetsError,
    PyfselError as PyfselError,
    InputError as InputError,
)
from pyfsel.measures.tables.look import Look as Look, look as look
from pyfsel.papers.graph_score import graph_score_problem as graph_score_problem
from pyfsel.problem.make import make_instance as make_instance
from pyfsel.problem.instance import Instance as Instance
from pyfsel.problem.side_constraints import Group as Group
from pyfsel.questions.atlas import Atlas as Atlas, atlas as atlas
from pyfsel.questions.cheapest import CheapestSets as CheapestSets, cheapest_sets as cheapest_sets
from pyfsel.papers.counting import HowMany as HowMany, how_many as how_many
from pyfsel.papers.masks import best_masks as best_masks
from pyfsel.questions.min_then_sum import MinThenSum as MinThenSum, min_then_sum as min_then_sum
from pyfsel.questions.most_dissimilar import (
    MostDissimilar as MostDissimilar,
    most_dissimilar as most_dissimilar,
)
from pyfsel.questions.most_sets import MostSets as MostSets, most_sets as most_sets
from pyfsel.questions.sweep.sweep import sweep as sweep
from pyfsel.questions.ties import Ties as Ties, ties as ties
from pyfsel.results.answer import (
    Answer as Answer,
    Incumbent as Incumbent,
    ProvedBound as ProvedBound,
    Status as Status,
    Step as Step,
    StopReason as StopReason,
)
from pyfsel.results.certificate import Certificate as Certificate
from pyfsel.results.result import Result as Result
from pyfsel.results.solution_file import verify as verify
from pyfsel.selectors.alternatives import AlternativeFeatureSelector as AlternativeFeatureSelector
from pyfsel.selectors.choose import Choice as Choice, choose as choose
from pyfsel.selectors.evaluation.evaluate import evaluate as evaluate
from pyfsel.papers.graph import ASDPSelector as ASDPSelector, GraphSelector as GraphSelector
from pyfsel.selectors.stability import Stability as Stability, stability as stability
from pyfsel.papers.subset.mask import MaskSelector as MaskSelector
from pyfsel.papers.subset.selector import SubsetSelector as SubsetSelector
from pyfsel.selectors.wrapper.own_search import (
    AllowedSets as AllowedSets,
    alternatives_by as alternatives_by,
    embedded as embedded,
)
from pyfsel.selectors.wrapper.selector import GreedyWrapperSelector as GreedyWrapperSelector
from pyfsel.solving.sequential import SequentialSearch as SequentialSearch
from pyfsel.solving.solve import solve as solve

__version__: str
__all__: list[str]
