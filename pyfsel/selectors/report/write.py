"""The function that writes the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from sklearn.base import clone

from pyfsel.errors import InputError, NoSetsError
from pyfsel.explore import atlas, sweep
from pyfsel.interface.answer import Answer
from pyfsel.problem.checks import file_path
from pyfsel.problem.text_files import write_text
from pyfsel.selectors.alternatives import selector_or_default
from pyfsel.selectors.choose_k import choose_k as compare_sizes
from pyfsel.selectors.evaluation.evaluate import evaluate
from pyfsel.selectors.evaluation.model_rows import named_models
from pyfsel.selectors.report.report_page import Findings, page
from pyfsel.selectors.splits import is_number_of_folds, split_times

SUFFIXES = (".html", ".htm")
NEAR_SECONDS = 20.0
"""For nearly best sets, of which an interval is enough."""


def report(
    path: str | Path,
    X: Any,
    y: Any,
    selector: Any = None,
    *,
    model: Any = "linear",
    cv: Any = 5,
    choose_k: bool = False,
    groups: Any = None,
    sample_weight: Any = None,
    name: str = "",
) -> Answer:
    """Write one page about the sets of a table.

    The page needs no other files: it can be sent, printed, and read on a phone. It begins with what the sets
    score on held-out rows; then come the sets, what to know before they are used, what is proved, and what
    dissimilarity costs.

    Parameters
    ----------
    path : str or Path
        Of the page; it ends in .html.
    X : DataFrame or array, shape (n_rows, n_features)
    y : array or Series, shape (n_rows,)
    selector : AlternativeFeatureSelector, optional
        Unfitted; it is cloned.
    model : estimator or name
        The model of the held-out scores, one that `pyfsel.evaluate` accepts.
    cv : int, splitter, iterable of pairs of rows, or "time:COLUMN:GAP"
        Number of folds, or folds forward in time, as for `pyfsel.evaluate`; 0 leaves out the held-out scores,
        which take most of the time.
    choose_k : bool
        Whether to compare sets of other sizes as well.
    groups, sample_weight : array-like, shape (n_rows,), optional
        As for `pyfsel.evaluate`.
    name : str
        Of the table, for the title.

    Returns
    -------
    Answer
        Without sets if there are none; the page says so.

    Raises
    ------
    InputError
        If an argument or the table is not allowed.
    KeyboardInterrupt
        After Ctrl-C; the page has what was found until then, if the sets were found.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report("wine.html", X, y, cv=3, name="wine").status  # doctest: +SKIP
    <Status.OPTIMAL: 'OPTIMAL'>
    """
    place = file_path(path)
    if place.suffix.lower() not in SUFFIXES:
        raise InputError(f"path={str(path)!r}: does not end in .html. Try: {place.stem}.html")
    if not place.absolute().parent.is_dir():
        raise InputError(f"path={str(path)!r}: the folder {str(place.parent)!r} does not exist")
    selector = clone(selector_or_default(selector))
    named_models(model)
    table, times, _ = split_times(X, cv)
    is_scored = type(cv) is not int or cv != 0  # False says nothing about folds
    if is_scored and times is None:
        is_number_of_folds(cv)
    of_rows = {"groups": groups, "sample_weight": sample_weight}
    try:
        selector.fit(table, y, **of_rows)
        answer: Answer = selector.answer_
    except NoSetsError as error:
        answer = error.answer
    if name:
        answer.problem.origin += f" of {name}"
        answer = replace(answer, headline=f"{answer.headline} of {name}")
    found = Findings(answer, selector.scores_, name, str(getattr(y, "name", None) or ""))
    more = found.more
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # fitting has said it
        if answer.sets:
            problem, limit = answer.problem, selector.time_limit
            asked = {"n_jobs": selector.n_jobs, "random_state": selector.random_state}
            asked |= {"model": model, "cv": cv}
            solving: dict[str, Any] = {"solver": selector.solver, "time_limit": limit}
            near = solving | {"time_limit": NEAR_SECONDS if limit is None else min(limit, NEAR_SECONDS)}
            if problem.n_sets > 1 and not problem.instance.has_size_range:
                found.trade_off = more.find(
                    "what dissimilarity costs", lambda: sweep(problem, n_sets=[problem.n_sets], **solving)
                )
            found.near = more.find("nearly best sets", lambda: atlas(problem, **near))
            if is_scored:
                found.evaluation = more.find(
                    "held-out scores", lambda: evaluate(X, y, selector, **asked, **of_rows)
                )
            if choose_k:
                sized = asked | {"dissimilarity": (), "groups": groups}
                found.sizes = more.find("other sizes", lambda: compare_sizes(X, y, selector, **sized))
    write_text(place, page(found))
    if more.interrupted:
        raise KeyboardInterrupt
    return answer
