"""Alternatives for any search, which learns what sets are allowed and hands back one set after another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures import quality
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import integer_in, list_of, share
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Limits
from pyfsel.results.verify import violations
from pyfsel.selectors.wrapper.repair import SwapRepair

Search = Callable[["AllowedSets"], Iterable[int] | None]


class AllowedSets:
    """The sets that are allowed next to the earlier ones, for a custom search.

    Parameters
    ----------
    problem : Instance
        Of one set, without a minimum quality; its qualities are not used. The sets found before are its
        `previous`.
    random_state : int
        Seed of the solver that completes sets and looks for near ones.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> rules = {"max_shared": 0, "previous": [(0, 1)], "costs": [1] * 9}
    >>> allowed = AllowedSets(Instance([0] * 9, n_sets=1, k=2, **rules))
    >>> (2, 4) in allowed, (1, 2) in allowed
    (True, False)
    >>> allowed.nearest((1, 2, 4)), allowed.is_on_the_way((3,)), allowed.is_on_the_way((0, 3))
    ((2, 4), True, False)
    >>> AllowedSets(Instance([3, 2], n_sets=1, k=1, max_shared=1, min_quality=3))
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: min_quality: is for qualities, which are not used here. Leave it out
    """

    def __init__(self, problem: Instance, random_state: int = 0) -> None:
        if problem.min_quality is not None:
            raise InputError("min_quality: is for qualities, which are not used here. Leave it out")
        self.problem = problem
        self._repair = SwapRepair(problem, Limits(random_state=random_state))

    def __contains__(self, features: Iterable[int]) -> bool:
        """Return whether a set is allowed."""
        return not violations(self.problem, [tuple(features)])

    def nearest(self, features: Iterable[int]) -> FeatureSet | None:
        """Return an allowed set in which the fewest features are changed, None if nothing is allowed."""
        _, found = self._repair.nearest([tuple(features)], ())
        return found[0] if found else None

    def is_on_the_way(self, features: Iterable[int]) -> bool:
        """Return whether a set can grow into an allowed one, or one that is too large shrink into one."""
        members, problem = set(features), self.problem
        if len(members) > problem.k:
            outside = [j for j in range(problem.n_features) if j not in members]
            return bool(self._repair.nearest([tuple(outside)], outside)[1])
        if not (problem.side_constraints or problem.has_conflicts):
            if any(len(members.intersection(s)) > problem.max_shared for s in problem.previous):
                return False
            unused = set(range(problem.n_features)).difference(members, *problem.previous)
            if len(members) + len(unused) >= problem.k:  # fills the set without sharing more
                return True
        return bool(self._repair.nearest([()], sorted(members))[1])


def alternatives_by(problem: Instance, search: Search, *, random_state: int = 0) -> Iterator[FeatureSet]:
    """Find alternatives by any search that selects one set: it is called once for each.

    Parameters
    ----------
    problem : Instance
        How many sets of which size, and what makes them valid, as `make_instance` builds it; qualities
        are not used.
    search : callable
        Takes `AllowedSets` and returns an allowed set, or None to end.
    random_state : int
        Seed of `AllowedSets`.

    Yields
    ------
    set
        Checked, until there are ``n_sets``, no further one is possible, or the search ends.

    Raises
    ------
    InputError
        If the search returns what is not allowed.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> problem = make_instance([0] * 6, k=2, n_sets=3, dissimilarity=0.5)
    >>> def smallest_sum_of_squares(allowed):
    ...     pairs = ((i, j) for i in range(6) for j in range(i))
    ...     return min((s for s in pairs if s in allowed), key=lambda s: s[0] ** 2 + s[1] ** 2)
    >>> list(alternatives_by(problem, smallest_sum_of_squares))
    [(0, 1), (0, 2), (1, 2)]
    """
    found: list[FeatureSet] = []
    for _ in range(problem.n_sets):
        allowed = AllowedSets(problem.after(found), random_state)
        answer = search(allowed) if allowed.nearest(()) is not None else None
        if answer is None:
            return
        members = [integer_in("search", j, 0, problem.n_features - 1) for j in list_of("search", answer)]
        wrong = violations(allowed.problem, [members])
        if wrong:
            raise InputError(f"search: returns {sorted(members)}; {wrong[0]}")
        found.append(tuple(sorted(members)))
        yield found[-1]


def embedded(table: Table, estimator: Any = None, *, price: float = 0, random_state: Any = None) -> Search:
    """Return a search by the importances that a model, such as a decision tree, gives its features itself.

    One feature after another: the model is fitted to the columns that the set holds or could still take, so
    that it avoids all others, and the most important one is taken.

    Parameters
    ----------
    table : Table
    estimator : scikit-learn estimator, optional
        With ``feature_importances_`` or ``coef_``; by default as the measure "model_importance".
    price : float
        Which share of their importance features of earlier sets lose, from 0 to 1.
    random_state : int, optional

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> from pyfsel.measures import load_dataset, prepare
    >>> table = prepare(*load_dataset("wine"))
    >>> problem = make_instance(
    ...     [0] * 13, k=2, n_sets=2, dissimilarity=0.5, feature_names=table.feature_names
    ... )
    >>> search = embedded(table, price=0.5, random_state=0)
    >>> [problem.names_of(members) for members in alternatives_by(problem, search)]
    [['flavanoids', 'proline'], ['flavanoids', 'color_intensity']]
    """
    share("price", price)

    def search(allowed: AllowedSets) -> Sequence[int]:
        chosen: list[int] = []
        used = {j for members in allowed.problem.previous for j in members}
        while len(chosen) < allowed.problem.k:
            others = [
                j for j in range(table.n_features) if j not in chosen and allowed.is_on_the_way((*chosen, j))
            ]
            importances = quality(
                table.select([*chosen, *others]),
                measure="model_importance",
                estimator=estimator,
                random_state=random_state,
            )[len(chosen) :]
            shares = [1 - price * (j in used) for j in others]
            chosen.append(others[int((importances * shares).argmax())])
        return chosen

    return search
