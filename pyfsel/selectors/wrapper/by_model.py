"""Feature sets with which a model predicts well: the hill climb, as an answer."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.feature_set import feature_sets
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import all_cautions, headline_of, in_full
from pyfsel.interface.scores import Scores
from pyfsel.measures.tables.table import Table
from pyfsel.measures.tables.target import UNSUPERVISED
from pyfsel.objectives import Model, refuse_unused
from pyfsel.problem.checks import integer_in, number_of, one_of
from pyfsel.problem.rules import as_constraints, as_dissimilarity
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.claims import STOPS, Scope
from pyfsel.results.jobs import progress_shown
from pyfsel.selectors.evaluation.models import MODELS, model_of
from pyfsel.selectors.wrapper.climb import WrapperSearch
from pyfsel.selectors.wrapper.scoring import SetScorer

UNPROVED = "Hill climbing: better sets may exist; nothing is proved."
CLAIMS = {
    Status.INFEASIBLE: "Proved: no such sets exist.",
    Status.FEWER: "Hill climbing: better sets may exist. Proved: no further set exists.",
    Status.NOT_SOLVED: "Nothing is proved.",
}


def sets_by_model(
    scores: Scores,
    objective: Model,
    *,
    time_limit: float | None = 60,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    **asked: Any,
) -> Answer:
    """Find feature sets with which a model predicts well, by the Greedy Wrapper of paper 000, Algorithm 1.

    Parameters
    ----------
    scores : Scores
        Of the table; nothing is measured.
    objective : Model
    time_limit : float, optional
        Seconds.
    random_state : int, optional
    n_jobs : int, optional
        Processes that train models.
    progress : bool
        Show a bar, in terminals and notebooks.
    **asked
        Arguments of `pyfsel.Problem`: ``k``, ``n_sets``, ``dissimilarity``, ``constraints``, ``search``.

    Returns
    -------
    Answer
        Its status is at best FEASIBLE; that no sets, or no further ones, exist is proved.

    Raises
    ------
    InputError
        If an argument or the table is not allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pyfsel.interface.scores import measure
    >>> scores = measure(*load_iris(return_X_y=True, as_frame=True))
    >>> answer = sets_by_model(scores, Model("tree"), k=2, n_sets=2, dissimilarity=1)
    >>> answer.status, sorted(one.indices for one in answer)
    (<Status.FEASIBLE: 'FEASIBLE'>, [(0, 1), (2, 3)])
    """
    begun = time.monotonic()
    _refuse(scores, asked)
    table, copies = scores.table.untimed().dense(), scores.options["copies"]
    copies = "note" if copies == "auto" else copies  # a model gets them apart
    nothing = {"measure": np.zeros(table.n_features), "chance": "off", "copies": copies}
    problem = Problem(Scores([table], scores.options | nothing, scores.origin), **asked)
    problem.objective, instance = objective, problem.instance
    scorer = _scorer(table, problem, random_state, n_jobs)
    most = None if objective.max_fits is None else integer_in("Model: max_fits", objective.max_fits, 1, None)
    running = WrapperSearch(instance, scorer, problem.search, random_state or 0, most)
    with progress_shown("climbing", progress) as say:
        stop_reason = running.run(time_limit, lambda: say(_progress(running)))
    return _stated(problem, running, scorer, stop_reason, begun)


def _refuse(scores: Scores, asked: dict[str, Any]) -> None:
    """Refuse a target and rules with which no model can choose sets."""
    if len(scores.tables) > 1:
        raise InputError(f"y: has {len(scores.tables)} outputs. objective='model' takes one")
    if scores.table.task == UNSUPERVISED:
        raise InputError("objective='model': needs a target")
    rules = {
        "min_quality": as_constraints(asked.get("constraints")).min_quality,
        "price": as_dissimilarity(asked.get("dissimilarity", 0)).price or None,
    }
    refuse_unused("model", rules)


def _stated(
    problem: Problem, running: WrapperSearch, scorer: SetScorer, stop_reason: StopReason, begun: float
) -> Answer:
    """Return what a climb that began at a time of the clock has found, as an answer."""
    instance, sets, status = problem.instance, running.sets, running.status
    found: Any = SimpleNamespace(  # what an answer of the package has; it has no bounds and no errors
        problem=instance,
        status=status,
        sets=sets,
        qualities=running.scores,
        is_stepwise=False,
        steps=(),
        sampling=None,
    )
    headline, chosen = headline_of(found, problem), list[str]()
    if sets:
        n_sets, count = problem.n_sets, f"{len(sets)} of {problem.n_sets} feature sets"
        count = number_of(n_sets, "feature set") if len(sets) == n_sets else count
        how = f"with which {model_words(scorer.estimator)} predicts well"
        headline = f"{count} of {instance.sizes_text} {how}{problem.origin}"
        validation = f"{len(scorer.splits)}-fold cross-validation"
        chosen = [f"These scores ({validation}) chose the sets, so they are too high"]
    claim, stopped = CLAIMS.get(status, UNPROVED), STOPS[stop_reason]
    if stopped:
        claim += f" {stopped[2:].capitalize()} after {scorer.n_models:,} trained models."
    return Answer(
        question="model",
        status=status,
        scope=str(Scope.COUNT if status is Status.INFEASIBLE else Scope.NONE),
        claim=in_full(instance, claim),
        low=None,
        high=None,
        unit=scorer.unit,
        sets=feature_sets(found),
        headline=headline,
        cautions=all_cautions(problem, found, *chosen, compared=True),
        problem=problem,
        runtime=time.monotonic() - begun,
        stop_reason=str(stop_reason),
        solver="hill climbing",
        details={
            "search": problem.search,
            "n_models": scorer.n_models,
            "is_local_optimum": all(climb.has_ended for climb in running.climbs),
            "head": scorer.unit,
        },
    )


def _scorer(table: Table, problem: Problem, random_state: int | None, n_jobs: int | None) -> SetScorer:
    objective: Any = problem.objective
    if isinstance(objective.estimator, str):
        one_of("Model: estimator", objective.estimator, MODELS, "or a model")
    columns = [table.feature_names.index(name) for name in problem.names]
    model = model_of(objective.estimator, table.task)
    return SetScorer(table.select(columns), model, objective.scoring, objective.cv, random_state, n_jobs)


def model_words(estimator: Any) -> str:
    """Return what a model is called in a sentence.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model_words(DecisionTreeClassifier())
    'a decision tree'
    """
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    name = re.sub(r"(Classifier|Regressor|CV)$", "", type(last).__name__)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    told = words.lower() if " " in words else name
    return f"{'an' if told[0].lower() in 'aeiou' else 'a'} {told}"


def _progress(search: WrapperSearch) -> str:
    most = "" if search.max_fits is None else f" of {search.max_fits:,}"
    scores = ", ".join(f"{score:.4f}" for score in search.scores)
    return f"{search.n_fits:,}{most} trained models, scores {scores}"
