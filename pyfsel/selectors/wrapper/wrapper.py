"""Wrapper feature selection with alternatives, from a table to feature sets."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.from_table import Copying, copy_clusters, useless_columns
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import file_path, list_of, number_of_jobs, one_of, only_known, taken
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import Sets, make_instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.text_files import parsed_json, read_text, write_text
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Limits, chosen_search
from pyfsel.results.verify import violations
from pyfsel.selectors.splits import split_times
from pyfsel.selectors.wrapper.climb import Climb, WrapperSearch
from pyfsel.selectors.wrapper.masked_scoring import MaskedScorer, check_alone
from pyfsel.selectors.wrapper.progress import progress_bar
from pyfsel.selectors.wrapper.scoring import Scoring, SetScorer

if TYPE_CHECKING:
    import pandas as pd

SECONDS_BETWEEN_SAVES = 5.0  # what a crash can lose; a save takes milliseconds
SCORES = ("cross-validation", "masked")


@dataclass(frozen=True)
class WrapperResult:
    """The sets that a wrapper search found, verified. It is a heuristic: better sets may exist.

    Parameters
    ----------
    problem : Instance
        What makes sets valid; its qualities are all zero.
    sets : tuple of feature sets
        As found in sequential search, else by decreasing score.
    scores : tuple of float
    status : Status
        FEASIBLE; INFEASIBLE (proved: no such sets exist); NOT_SOLVED.
    stop_reason : StopReason
    is_local_optimum : bool
        Whether every climb ended because no swap improves its sets.
    n_solver_calls, n_models : int
        Solver calls, and models trained (a set is scored once).
    runtime : float
        Seconds of this run, without those of earlier ones that it continues.
    climbs : tuple of Climb
    """

    problem: Instance
    sets: tuple[FeatureSet, ...]
    scores: tuple[float, ...]
    status: Status
    stop_reason: StopReason
    is_local_optimum: bool
    n_solver_calls: int
    n_models: int
    runtime: float
    climbs: tuple[Climb, ...]

    @property
    def feature_sets(self) -> list[list[str]]:
        """The sets as lists of feature names."""
        return [self.problem.names_of(s) for s in self.sets]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: features, indices, score."""
        import pandas as pd

        columns = {
            "features": self.feature_sets,
            "indices": [list(s) for s in self.sets],
            "score": list(self.scores),
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self.sets), name="set"))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "status": str(self.status),
            "stop_reason": str(self.stop_reason),
            "is_local_optimum": self.is_local_optimum,
            "n_solver_calls": self.n_solver_calls,
            "n_models": self.n_models,
            "runtime": self.runtime,
            "feature_sets": [
                {"features": names, "indices": list(s), "score": score}
                for names, s, score in zip(self.feature_sets, self.sets, self.scores, strict=True)
            ],
            "climbs": [climb.to_dict() for climb in self.climbs],
        }


class OfRows(TypedDict, total=False):
    """What is known of the rows in addition to the table: arguments of `greedy_wrapper`."""

    cv_groups: Any
    sample_weight: Any
    times: Any
    gap: float


class WrapperOptions(Sets, Scoring, OfRows, Copying, total=False):
    """Which sets are asked for, how they are scored, and what is done about copies."""


def greedy_wrapper(
    X: Any,
    y: Any = None,
    *,
    scored_by: str = "cross-validation",
    search: str | None = None,
    aggregate: str | None = None,
    max_iters: int = 1000,
    time_limit: float | None = None,
    start: Sequence[FeatureSet] | None = None,
    state_file: str | Path | None = None,
    random_state: int | None = None,
    progress: bool = False,
    **options: Unpack[WrapperOptions],
) -> WrapperResult:
    """Find feature sets with which a model predicts well, by the Greedy Wrapper of paper 000, Algorithm 1.

    Parameters
    ----------
    X : DataFrame, array or Table
    y : array-like, shape (n_rows,)
    k, n_alternatives, tau, max_overlap, dissimilarity, aggregate
        As in `pyfsel.make_instance`.
    estimator, scoring, cv
        As in `SetScorer`: any estimator and scorer of scikit-learn; if not given a decision tree, its own
        score, and 5 folds.
    scored_by : {"cross-validation", "masked"}
        "masked": the model is fitted once, to 70% of the rows, and a set is scored by minus its loss on the
        others with all other features masked (paper 002); the default model is gradient boosting then.
        Nothing else is trained: fit and score the sets that come out.
    search : {"sequential", "simultaneous"}, optional
        Sequential if not given, unless an aggregate is.
    max_iters : int
        Most solver calls per set in sequential search, for all sets together in simultaneous search.
    time_limit : float, optional
        Seconds.
    start : sequence of feature sets, optional
        Valid sets to begin with, such as those of `pyfsel.solve`; otherwise the solver's first ones.
    state_file : path, optional
        Where the state is saved every few seconds and at the end, and from where it is continued if the file
        exists. Continuing gives the same sets as a run without a break; climbs that were ended by a smaller
        `max_iters` stay ended.
    random_state : int, optional
    n_jobs : int, optional
        Processes that train models.
    progress : bool
        Show a bar, in terminals and notebooks.
    cv_groups, sample_weight : array-like, shape (n_rows,), optional
        Groups of rows that folds keep together, and weights for estimator and scorer.
    times : array-like, shape (n_rows,), optional
        When each row was measured: models are trained on earlier rows than they are scored on.
    gap : float
        Training ends this long before the first held-out row; of dates in days.
    min_k, forced, forbidden, groups, costs, budget
        What each set must satisfy, as in `pyfsel.make_instance`.
        Constant columns are forbidden unless forced.
    copies, copy_threshold
        As in `pyfsel.measures.from_table.problem_from_table`; "merge": the search is among representatives,
        and the numbers in the sets are positions among these.

    Returns
    -------
    WrapperResult

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or the state belongs to another search.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = greedy_wrapper(X, y, k=2, n_alternatives=1, tau=1)
    >>> sorted(result.sets), result.is_local_optimum
    ([(0, 1), (2, 3)], True)
    """
    begin = time.monotonic()
    asked: Any = dict(options)
    scored: Any = taken(Scoring, asked)
    of_rows: Any = taken(OfRows, asked)
    copying = taken(Copying, asked)
    only_known("greedy_wrapper", Sets, asked)
    limits = Limits.checked(time_limit, random_state)
    number_of_jobs("n_jobs", scored.get("n_jobs"))
    X, times, gap = (X, None, 0.0) if isinstance(X, Table) else split_times(X, scored.get("cv"))
    if times is None:
        times, gap = of_rows.get("times"), of_rows.get("gap", 0.0)
    table = (X if isinstance(X, Table) else prepare(X, y)).untimed().dense()
    table = with_rows(table, of_rows.get("sample_weight"), of_rows.get("cv_groups"), times, gap)
    asked["feature_names"] = table.feature_names
    asked["forced"] = list_of("forced", asked.get("forced", ()))
    asked["forbidden"] = [*list_of("forbidden", asked.get("forbidden", ())), *useless_columns(table, asked)]
    clusters = copy_clusters(table, **copying)
    problem = make_instance(
        np.zeros(table.n_features), copies=clusters, aggregate=aggregate or "sum", **asked
    )
    columns = [table.feature_names.index(name) for name in problem.feature_names]
    scorer = _scorer(scored_by, table.select(columns), limits.random_state, scored)
    running = WrapperSearch(
        problem,
        scorer,
        chosen_search(search, aggregate),
        max_iters,
        limits.random_state,
        _checked_start(problem, start),
    )
    state = None if state_file is None else _State(file_path("state_file", state_file), running, scorer)
    with progress_bar(running, progress) as show:
        stop_reason = running.run(time_limit, _both(show, state))
    if state is not None:
        state.save()
    return _result(running, scorer, stop_reason, time.monotonic() - begin)


def _scorer(scored_by: str, table: Table, random_state: int, scored: Scoring) -> SetScorer | MaskedScorer:
    one_of("scored_by", scored_by, SCORES)
    if scored_by != "masked":
        return SetScorer(table, random_state=random_state, **scored)
    check_alone(scored.get("scoring"), scored.get("cv"))
    return MaskedScorer(table, scored.get("estimator"), random_state)


def _checked_start(problem: Instance, start: Sequence[FeatureSet] | None) -> Sequence[FeatureSet] | None:
    wrong = [] if start is None else violations(problem, start)
    if wrong:
        raise InputError(f"start: {'; '.join(wrong)}")
    return start


def _both(show: Callable[[], None], state: _State | None) -> Callable[[], None]:
    def after_iteration() -> None:
        show()
        if state is not None:
            state.save_if_due()

    return after_iteration


def _result(
    search: WrapperSearch, scorer: SetScorer | MaskedScorer, stop_reason: StopReason, runtime: float
) -> WrapperResult:
    ended = [climb.is_local_optimum or climb.status is Status.INFEASIBLE for climb in search.climbs]
    return WrapperResult(
        problem=search.problem,
        sets=search.sets,
        scores=search.scores,
        status=search.status,
        stop_reason=stop_reason,
        is_local_optimum=stop_reason is StopReason.FINISHED and all(ended),
        n_solver_calls=search.n_solver_calls,
        n_models=scorer.n_models,
        runtime=runtime,
        climbs=tuple(search.climbs),
    )


class _State:
    """The state of a search in a JSON file: climbs, scores, and what they belong to."""

    def __init__(self, path: Path, search: WrapperSearch, scorer: SetScorer | MaskedScorer) -> None:
        self.path = path
        self.search = search
        self.scorer = scorer
        self.saved_at = time.monotonic()
        self.belongs_to = {
            "problem": search.problem.to_dict(),
            "search": search.search,
            "random_state": search.random_state,
            "start": None if search.start is None else [list(s) for s in search.start],
            "scoring": scorer.fingerprint(),
        }
        if path.exists():
            self._load()

    def save(self) -> None:
        """Write the file; one that is there stays whole until the new one is."""
        content = self.belongs_to | {
            "climbs": [climb.to_dict() for climb in self.search.climbs],
            "scores": [[list(s), score] for s, score in self.scorer.scores.items()],
            "n_models": self.scorer.n_models,
        }
        try:
            write_text(self.path, json.dumps(content) + "\n")
        except InputError as error:
            raise InputError(f"state_file={error}") from None
        self.saved_at = time.monotonic()

    def save_if_due(self) -> None:
        """Write the file if some seconds have passed."""
        if time.monotonic() - self.saved_at >= SECONDS_BETWEEN_SAVES:
            self.save()

    def _load(self) -> None:
        try:
            content: Mapping[str, Any] = parsed_json("the file", read_text(self.path))
            other = [name for name, value in self.belongs_to.items() if content[name] != value]
            if not other:
                self.search.climbs = [Climb.from_dict(climb) for climb in content["climbs"]]
                self.scorer.remember(content["scores"])
                self.scorer.n_models = content["n_models"]
        except (ValueError, KeyError, TypeError) as error:
            why = f" ({error})" if isinstance(error, InputError) else ""
            raise InputError(f"state_file={self.path}: is not the state of a search{why}") from None
        if other:
            raise InputError(
                f"state_file={self.path}: belongs to another search (different {', '.join(other)})"
            )
