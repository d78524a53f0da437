"""The public names and where each is defined, for type checkers and for the lazy imports of `__init__.py`."""

from pyfsel import explore as explore, objectives as objectives
from pyfsel.bench.compare import compare as compare
from pyfsel.errors import (
    InputError as InputError,
    NoSetsError as NoSetsError,
    PyfselError as PyfselError,
    SolverError as SolverError,
)
from pyfsel.interface.answer import Answer as Answer
from pyfsel.interface.feature_set import FeatureSet as FeatureSet
from pyfsel.interface.certify import certify as certify
from pyfsel.interface.check import check as check
from pyfsel.interface.evaluation import Evaluation as Evaluation
from pyfsel.interface.export import export as export, to_cpmpy as to_cpmpy
from pyfsel.interface.problem import Problem as Problem
from pyfsel.interface.scores import Scores as Scores, measure as measure
from pyfsel.interface.solving import (
    MiniZincModel as MiniZincModel,
    Program as Program,
    Progress as Progress,
    solve as solve,
    solvers as solvers,
)
from pyfsel.measures.tables.look import look as look
from pyfsel.problem.rules import Constraints as Constraints, Dissimilarity as Dissimilarity
from pyfsel.problem.fields import Group as Group
from pyfsel.results.backend_answer import Status as Status
from pyfsel.selectors.alternatives import AlternativeFeatureSelector as AlternativeFeatureSelector
from pyfsel.selectors.choose_k import choose_k as choose_k
from pyfsel.selectors.evaluation.evaluate import evaluate as evaluate
from pyfsel.selectors.report.report_page import report as report
from pyfsel.selectors.stability import stability as stability

__version__: str
__all__: list[str]
