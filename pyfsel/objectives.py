"""Objectives, which define the quality of a set, as values with parameters; or by name, "mrmr".

Examples
--------
>>> from pyfsel import objectives
>>> objectives.MRMR(beta=0.5)
MRMR(beta=0.5)
>>> objectives.as_objective("mrmr:beta=0.5") == objectives.MRMR(beta=0.5)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of, shown
from pyfsel.problem.fractions import CFS, R2, FacilityLocation
from pyfsel.problem.known_objectives import OBJECTIVES
from pyfsel.problem.objectives import CIFE, FCBF, JMI, MIFS, MRMR, Chosen, GraphScore, Objective, Univariate
from pyfsel.problem.value import named_options, typed

__all__ = [
    "CFS",
    "CIFE",
    "FCBF",
    "JMI",
    "MIFS",
    "MRMR",
    "R2",
    "Auto",
    "FacilityLocation",
    "GraphScore",
    "Model",
    "Objective",
    "Univariate",
    "as_objective",
]

MOST_FOR_JMI, MOST_FOR_R2 = 2000, 200
"""Features up to which pairs are measured, and best subsets of 5 are proved, in seconds."""
TYPES = {"float": float, "int": int}
"""The types of parameters in a shorthand; parameters of other types stay text."""
LARGEST_FOR_R2 = 5
"""Sets of 10 are rarely proved best by R²."""


class Model(Objective):
    """The cross-validated score of a model, found by hill climbing and never proved; for tables only.

    Solvers, measures, `chance` and a minimum quality are for the other objectives, and errors with this one.

    Parameters
    ----------
    estimator : estimator of scikit-learn or str
        "tree", "linear", "forest", "neighbours" or "boosting".
    scoring : str, optional
        A scorer of scikit-learn.
    cv : int, splitter or iterable
        The cross-validation, as in scikit-learn.
    max_fits : int, optional
        The maximum number of sets that are scored.
    """

    estimator: Any = "tree"
    scoring: str | None = None
    cv: Any = 5
    max_fits: int | None = None

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Raise `InputError`: no numbers are a model's scores of sets."""
        raise InputError(
            "objective=Model(…): trains models. Use AlternativeFeatureSelector or `pyfsel select`"
        )


NOT_FOR_MODELS = "chance confirm measure memory_limit min_quality n_threads price solver"


def refuse_unused(objective: Any, given: Mapping[str, Any]) -> None:
    """Raise `InputError` if an option is given that means nothing to the objective.

    A measure means something to models where it chooses the features of which sets are found.

    Examples
    --------
    >>> refuse_unused("model", {"solver": "scip"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: solver='scip': is for solvers and scores. objective='model' trains ...
    """
    if not isinstance(as_objective(objective), Model):
        return
    is_usual = {"measure": "keep_best" in given, "solver": given.get("solver") == "auto"}
    for name in NOT_FOR_MODELS.split():
        if given.get(name) is not None and not is_usual.get(name):
            raise InputError(
                f"{name}={shown(given[name])}: is for solvers and scores. objective='model' trains models "
                "instead"
            )


class Auto(Objective):
    """R², JMI or the sum of the scores, chosen for the table; for measured tables only.

    ``benchmarks/results/objective_auto.md`` shows which one is chosen and what it gains on held-out rows:
    there is a gain for numeric targets, and none was shown for classes.
    """

    def resolved(self, scores: Any, low: int | None, k: int) -> tuple[Objective, Chosen]:
        """Return R², JMI or sums, and why."""
        if not hasattr(scores, "tables"):
            raise InputError("objective='auto': chooses by a table. Give Scores, or the name of an objective")
        table = scores.table
        is_linear = table.task == "regression" and not np.any(table.is_unordered)
        sums, n = Univariate(), table.n_features
        cases = [
            (sums, "a measure is given", scores.options["measure"] is not None),
            (sums, "the target has several outputs", len(scores.tables) > 1),
            (sums, "the target has neither classes nor numbers", table.task in ("survival", "unsupervised")),
            (sums, "sets differ in size", low),
            (sums, f"pairs of more than {MOST_FOR_JMI:,} features take too long", n > MOST_FOR_JMI),
            (
                R2(),
                f"at most {LARGEST_FOR_R2} features for a numeric target",
                is_linear and k <= LARGEST_FOR_R2 and n <= MOST_FOR_R2,
            ),
            (JMI(), f"pairs of {n:,} features can be measured", True),
        ]
        found, why, _ = next(case for case in cases if case[-1])
        return found, (("objective", f"{found.name}, chosen by auto: {why}"),)


BY_NAME: dict[str, type[Objective]] = {
    **{name: type(kind) for name, kind in OBJECTIVES.items()},
    Auto.name: Auto,
    Model.name: Model,
}
"""All objectives that users name."""


def as_objective(given: Any) -> Objective:
    """Return an objective that is given as a value, a name, or a shorthand such as "mrmr:beta=0.5".

    Raises
    ------
    InputError
        If an objective or a parameter is unknown, or a parameter is not a number.
    """
    if isinstance(given, Objective):
        return given
    if not isinstance(given, str):
        raise InputError(
            f"objective={shown(given)}: is not an objective. Expected a name or a value of objectives"
        )
    word, colon, rest = given.partition(":")
    name = word.strip().lower()
    options = named_options("objective", given, rest.split(",") if colon else [])
    one_of("objective", name, BY_NAME)
    kind = BY_NAME[name]
    types = {one.name: TYPES.get(str(one.type).split()[0], str) for one in fields(kind)}  # type: ignore[arg-type]
    return kind(**typed(name, options, types))
