"""Feature sets with which a model predicts well: the hill climb, as an answer."""

from __future__ import annotations

import re
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import nan
from typing import Any, cast

import numpy as np

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer, FeatureSet, cautions_of, headline_of, in_full
from pyfsel.interface.problem import SEARCHES, Problem, aggregate_of
from pyfsel.interface.scores import Scores
from pyfsel.measures.from_table import copy_clusters, near_copies, rules_of
from pyfsel.measures.tables.table import Table
from pyfsel.measures.tables.times import UNSUPERVISED
from pyfsel.objectives import Model
from pyfsel.problem.checks import integer_in, one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.objectives import FeatureSet as Members
from pyfsel.problem.rows import set_costs
from pyfsel.problem.rules import as_constraints, as_dissimilarity
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.claims import STOPS, Scope
from pyfsel.selectors.evaluation.models import MODELS, predictor
from pyfsel.selectors.wrapper.climb import WrapperSearch
from pyfsel.selectors.wrapper.progress import progress_bar
from pyfsel.selectors.wrapper.scoring import SetScorer

UNPROVED = "Hill climbing: better sets may exist; nothing is proved."
CLAIMS = {
    Status.INFEASIBLE: "Proved: no such sets exist.",
    Status.FEWER: "Hill climbing: better sets may exist. Proved: no further set exists beside these.",
    Status.NOT_SOLVED: "Nothing is proved.",
}


@dataclass(frozen=True)
class _Found:
    """What headline and cautions are about."""

    problem: Instance
    status: Status
    sets: tuple[Members, ...]
    qualities: tuple[float, ...]
    near_copies: tuple[tuple[int, int], ...] = ()


def sets_by_model(
    scores: Scores,
    objective: Model,
    *,
    k: Any = 5,
    n_sets: int = 3,
    dissimilarity: Any = 0.6,
    constraints: Any = None,
    search: str = "sequential",
    time_limit: float | None = 60,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Answer:
    """Find feature sets with which a model predicts well, by the Greedy Wrapper of paper 000, Algorithm 1.

    Parameters
    ----------
    scores : Scores
        Of the table; nothing is measured.
    objective : Model
    k, n_sets, dissimilarity, constraints, search
        As for `pyfsel.Problem`.
    time_limit : float, optional
        Seconds.
    random_state : int, optional
    n_jobs : int, optional
        Processes that train models.
    progress : bool
        Show a bar, in terminals and notebooks.

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
    table = _usable(scores)
    asked = {"k": k, "n_sets": n_sets, "dissimilarity": dissimilarity, "constraints": constraints}
    problem = _rules(scores, table, objective, {**asked, "search": search})
    instance = problem.instance
    scorer = _scorer(table, instance, objective, random_state, n_jobs)
    most = None if objective.max_fits is None else integer_in("Model: max_fits", objective.max_fits, 1, None)
    running = WrapperSearch(instance, scorer, search, random_state=random_state or 0, max_fits=most)
    bar: AbstractContextManager[Any] = progress_bar(running, progress)
    with bar as show:
        stop_reason = running.run(time_limit, show)
    found = _Found(instance, running.status, running.sets, running.scores)
    if not instance.copies:
        found = replace(found, near_copies=near_copies(table, found.sets, _copying(scores)["copies"]))
    sets = _feature_sets(found)
    unit = scorer.unit
    return Answer(
        question="model",
        status=found.status,
        scope=str(Scope.COUNT if found.status is Status.INFEASIBLE else Scope.NONE),
        claim=in_full(instance, _claim(found.status, stop_reason, scorer)),
        low=None,
        high=None,
        unit=unit,
        sets=sets,
        headline=_headline(problem, found, scorer.estimator),
        cautions=tuple(_cautions(found, scorer)),
        problem=problem,
        runtime=time.monotonic() - begun,
        stop_reason=str(stop_reason),
        solver="hill climbing",
        details={
            "search": search,
            "n_models": scorer.n_models,
            "is_local_optimum": all(climb.has_ended for climb in running.climbs),
            "head": unit,
        },
    )


def _usable(scores: Scores) -> Table:
    if len(scores.tables) > 1:
        raise InputError(f"y: has {len(scores.tables)} outputs. objective=Model(…) takes one")
    if scores.table.task == UNSUPERVISED:
        raise InputError("objective=Model(…): needs a target")
    return scores.table.untimed().dense()


def _rules(
    scores: Scores,
    table: Table,
    objective: Model,
    asked: dict[str, Any],
) -> Problem:
    """Return the problem with the rules of the sets; its numbers are zeros."""
    search = asked["search"]
    one_of("search", search, SEARCHES)
    rule, rules = as_dissimilarity(asked["dissimilarity"]), as_constraints(asked["constraints"])
    if rules.min_quality is not None:
        raise InputError("constraints: min_quality is not for objective=Model(…)")
    if rule.price:
        raise InputError("dissimilarity: price is not for objective=Model(…)")
    instance = make_instance(
        np.zeros(table.n_features),
        k=asked["k"],
        n_sets=asked["n_sets"],
        aggregate=aggregate_of(search),
        feature_names=table.feature_names,
        copies=copy_clusters(table, **_copying(scores)),
        **rules_of(table, asked["k"], rule, rules),
    )
    known = {"dissimilarity": rule, "constraints": rules, "objective": objective, "origin": scores.origin}
    return Problem.of_instance(instance, search, **known)


def _scorer(
    table: Table, instance: Instance, objective: Model, random_state: int | None, n_jobs: int | None
) -> SetScorer:
    columns = [table.feature_names.index(name) for name in instance.feature_names]
    if isinstance(objective.estimator, str) and objective.estimator not in MODELS:
        raise InputError(
            f"Model: estimator={objective.estimator!r} is not known. Expected {', '.join(MODELS)}, or a model"
        )
    model = predictor(objective.estimator, table.task)
    return SetScorer(
        table.select(columns),
        model.model,
        objective.scoring,
        objective.cv,
        random_state,
        n_jobs,
        model.is_scaled,
    )


def _feature_sets(found: _Found) -> tuple[FeatureSet, ...]:
    costs = set_costs(found.problem, found.sets)
    first = found.qualities[0] if found.qualities else nan
    return tuple(
        FeatureSet(
            names=tuple(found.problem.names_of(members)),
            indices=members,
            quality=quality,
            relative=quality / first if first > 0 else nan,
            shared=tuple(len({*members} & {*other}) for other in found.sets[:i]),
            cost=None if costs is None else costs[i],
        )
        for i, (members, quality) in enumerate(zip(found.sets, found.qualities, strict=True))
    )


def _claim(status: Status, stop_reason: StopReason, scorer: SetScorer) -> str:
    text = CLAIMS.get(status, UNPROVED)
    stopped = STOPS[stop_reason]
    if not stopped:
        return text
    return f"{text} {stopped[0].upper()}{stopped[1:]} after {scorer.n_models:,} trained models."


def model_words(estimator: Any) -> str:
    """Return what a model is called in a sentence.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model_words(DecisionTreeClassifier())
    'a decision tree'
    """
    name = re.sub(r"(Classifier|Regressor|CV)$", "", type(estimator).__name__)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    told = words.lower() if " " in words else name
    return f"{'an' if told[0].lower() in 'aeiou' else 'a'} {told}"


def _headline(problem: Problem, found: _Found, estimator: Any) -> str:
    if not found.sets:
        return headline_of(cast(Any, found), problem)
    n, asked = len(found.sets), problem.n_sets
    count = f"{n}" if n == asked else f"{n} of {asked}"
    noun = "feature set" if count == "1" else "feature sets"
    size = problem.instance.sizes_text
    return f"{count} {noun} of {size} with which {model_words(estimator)} predicts well{problem.origin}"


def _cautions(found: _Found, scorer: SetScorer) -> Any:
    if found.sets:
        yield (
            f"These scores ({len(scorer.splits)}-fold cross-validation) chose the sets, so they are too high"
        )
    yield from cautions_of(cast(Any, found))


def _copying(scores: Scores) -> dict[str, Any]:
    """Return what is done about near-duplicates, which a model gets apart unless they are to be merged."""
    given: dict[str, Any] = {
        name: scores.options[name] for name in ("copies", "copy_threshold") if name in scores.options
    }
    return given | {"copies": "note"} if given["copies"] == "auto" else given
