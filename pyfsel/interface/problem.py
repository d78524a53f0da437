"""A problem: numbers and rules."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from inspect import signature
from pathlib import Path
from typing import Any, Self

from numpy.typing import ArrayLike

from pyfsel.errors import InputError
from pyfsel.interface.scores import Scores
from pyfsel.objectives import Model, as_objective
from pyfsel.problem import values
from pyfsel.problem.checks import is_a, kept, one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import AGGREGATES_OF, search_from_word
from pyfsel.problem.make import make_instance
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.objectives import MIN_THEN_SUM, Chosen
from pyfsel.problem.rules import Constraints, Dissimilarity, as_constraints, as_dissimilarity, sizes_of
from pyfsel.solving.least_share import split_share, with_least_share

SEARCHES = ("sequential", "sum", "min", "min_then_sum")
WORDS = {
    "shared_price": "dissimilarity: price",
    "redundancy_measure": "objective: pairs",
    "k_min": "k: minimum",
    "aggregate": "search",
}
"""What users call fields of an instance and options of a measure."""


@contextmanager
def in_words() -> Iterator[None]:
    """Let errors name what the user gave: in full at the beginning, by the last word elsewhere."""
    try:
        yield
    except InputError as error:
        told = str(error)
        for field, words in WORDS.items():
            told = re.sub(rf"^{field}\b", words, told)
            told = told.replace(f"{field}=", f"{words.split()[-1]}=")
        raise InputError(told) from None


class Problem:
    """The scores of features and the rules for sets of them.

    Numbers are converted once to the integers that solvers need; integers stay as they are.

    Parameters
    ----------
    scores : Scores or array-like of shape (n_features,)
        The scores that `pyfsel.measure` returns, or the quality of each feature.
    pairs : array-like of shape (n_features, n_features), optional
        Pairwise dependence, for objectives over pairs of features; measured if you pass `Scores`.
    k : int or tuple of two int
        Features per set, or the minimum and the maximum.
    n_sets : int
        The number of sets: the original set and its alternatives.
    dissimilarity : float, str or Dissimilarity
        How different any two sets must be: from 0 (equal sets are allowed) to 1 (disjoint), in Dice;
        "jaccard:0.5"; "shared:2" (at most 2 features); "0.6,price=0.1" (what each shared feature costs);
        "0.6,relatives=0.7" (features with this correlation count as shared). In Python also a
        `Dissimilarity`.
    objective : str or a value of `pyfsel.objectives`
        The quality of a set: univariate, fcbf, mrmr, jmi, mifs, cife, cfs, r2, facility_location or
        graph_score; "mrmr:beta=0.5" has a parameter; "model:estimator=forest" is the score of a model, for
        tables only. "auto" chooses r2, jmi or univariate by the table.
    constraints : Constraints, optional
    search : {"sequential", "sum", "min", "min_then_sum"}
        The goal: the best set given the earlier ones, one after another, the largest sum or minimum of the
        qualities, or the largest minimum and then the largest sum.
    names : sequence of str, optional
        The names of the features.
    scale : float, optional
        The factor between numbers and the integers that solvers receive; by default it is chosen.

    Raises
    ------
    InputError
        If an argument is missing, out of range, or does not fit the others.

    Examples
    --------
    >>> problem = Problem([9, 8, 7, 3, 2, 1], k=3, n_sets=2, dissimilarity=0.5, search="sum")
    >>> problem.value_of([0, 1, 2])
    24.0
    """

    chosen: Chosen = ()
    """Which objective "auto" chose and why."""

    def __init__(
        self,
        scores: Scores | ArrayLike,
        pairs: ArrayLike | None = None,
        *,
        k: int | tuple[int, int] = 5,
        n_sets: int = 3,
        dissimilarity: float | str | Dissimilarity = 0.6,
        objective: Any = "univariate",
        constraints: Constraints | None = None,
        search: str = "sequential",
        names: Sequence[str] | None = None,
        scale: float | None = None,
    ) -> None:
        scores = scores if isinstance(scores, Scores) else kept(scores)
        pairs, names = kept(pairs), kept(names)
        given = locals()
        self._given: dict[str, Any] = {name: given[name] for name in ARGUMENTS}
        one_of("search", search, SEARCHES)
        self.search = search
        self.dissimilarity = as_dissimilarity(dissimilarity)
        self.constraints = as_constraints(constraints)
        self.objective, self.chosen = as_objective(objective).resolved(scores, *sizes_of(k))
        least, share = split_share(self.constraints.min_quality)
        asked: dict[str, Any] = {
            "k": k,
            "n_sets": n_sets,
            "dissimilarity": self.dissimilarity,
            "constraints": dataclasses.replace(self.constraints, min_quality=least),
            "aggregate": AGGREGATES_OF[search],
            "objective": self.objective,
        }
        if isinstance(scores, Scores):
            for name, value in (("pairs", pairs), ("names", names), ("scale", scale)):
                if value is not None:
                    raise InputError(f"{name}: is not for Scores, which have their own")
            with in_words():
                instance, self.origin = scores.instance(**asked), scores.origin
        else:
            with in_words():
                instance = make_instance(scores, pairs, feature_names=names, scale=scale, **asked)
            self.origin = f", from {instance.n_features} features"
        if share is not None:
            # the limit is for the best set, of whose quality `min_quality` is a percentage
            instance = with_least_share(instance, share, time_limit=60)
        self.instance = instance
        _require_order(self.instance, search)

    @classmethod
    def of_instance(cls, instance: Instance, search: str | None = None) -> Self:
        """Return the problem of an integer instance, as files hold it, with a search or its own."""
        problem = cls.__new__(cls)
        if search is not None:
            with in_words():
                instance = instance.replace(aggregate=AGGREGATES_OF[search], search=None)
        problem.search, problem._given = search or instance.search_word, {}
        problem.instance = instance if instance.search != MIN_THEN_SUM else instance.replace(search=None)
        _require_order(instance, problem.search)
        problem.dissimilarity = Dissimilarity(
            max_shared=instance.max_shared, price=instance.shared_price / instance.scale
        )
        problem.objective = values.objective_of(instance)
        problem.constraints = Constraints()
        problem.origin = f", from {instance.n_features} features"
        return problem

    def with_instance(self, instance: Instance) -> Self:
        """Return the problem with another integer instance; its arguments are forgotten."""
        problem = copy(self)
        problem.instance, problem._given = instance, {}
        return problem

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.instance.feature_names

    @property
    def unit(self) -> str:
        """The unit of the scores, "" if unknown."""
        return self.instance.measured_unit

    @property
    def n_sets(self) -> int:
        """The number of sets."""
        return self.instance.n_sets

    @property
    def has_arguments(self) -> bool:
        """Whether `replace` can change it: it was not read from a file."""
        return bool(self._given)

    @property
    def scores(self) -> Scores | None:
        """What was measured, if the problem is of a table."""
        given = self._given.get("scores")
        return given if isinstance(given, Scores) else None

    def replace(self, **changes: Any) -> Problem:
        """Return the problem with other arguments; nothing is measured again.

        Raises
        ------
        InputError
            If an argument is unknown, or the problem was loaded from a file.
        """
        for name in changes:
            one_of("argument of Problem", name, ARGUMENTS)
        if not self.has_arguments:
            raise InputError(
                "replace: this problem was loaded from a file, which has no arguments to replace"
            )
        given = {**self._given, **changes}
        return Problem(given.pop("scores"), given.pop("pairs"), **given)

    def value_of(self, features: Iterable[int | str]) -> float:
        """Return the quality of a set of features, given by name or number, in the unit of the scores."""
        members = feature_numbers("features", features, self.names)
        return values.qualities(self.instance, [members])[0]

    def save(self, path: str | Path) -> None:
        """Write the instance file (JSON), which MiniZinc reads as data; `pyfsel.export` writes other formats.

        Raises
        ------
        InputError
            If the path ends in ``.dzn``, which says that the file is not JSON, or cannot be written.

        Examples
        --------
        >>> Problem([3, 2, 1], k=1, n_sets=1).save("small.dzn")
        Traceback (most recent call last):
            ...
        pyfsel.errors.InputError: small.dzn: is not JSON. Try: pyfsel.export
        """
        if Path(path).suffix == ".dzn":
            raise InputError(f"{path}: is not JSON. Try: pyfsel.export")
        solvable(self).stated.save(path)

    @property
    def stated(self) -> Instance:
        """The integer instance with the search, as files state it."""
        return self.instance.replace(search=search_from_word(self.search)["search"])

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read an instance file of version 1 or 2, or ``.dzn``; unknown and repeated names are errors."""
        from pyfsel.backends.minizinc.own_model import read_instance

        return cls.of_instance(read_instance(Path(path))[0])

    def __repr__(self) -> str:
        instance = self.instance
        return (
            f"<Problem: {instance.n_sets} sets of {instance.sizes_text} of {instance.n_features} features, "
            f"{self.objective!r}, {self.dissimilarity}, {self.search}>"
        )


def solvable(problem: Any) -> Problem:
    """Return a problem; raise `InputError` for anything else, and for sets whose quality a model decides.

    Examples
    --------
    >>> solvable(3)
    Traceback (most recent call last):
    pyfsel.errors.InputError: problem=3: must be a Problem
    """
    found: Problem = is_a("problem", problem, Problem, "a Problem")
    if isinstance(found.objective, Model):
        found.objective.resolved(None, None, 1)
    return found


ARGUMENTS = tuple(signature(Problem).parameters)


def _require_order(instance: Instance, search: str) -> None:
    """Raise `InputError` if sets that are found together have relatives: they have no earlier sets."""
    if search != "sequential" and "relatives" in instance.side_constraints:
        raise InputError(
            f"search={search!r}: is not for a dissimilarity with relatives, which compares each set with the "
            "earlier ones. Try: search='sequential'"
        )
