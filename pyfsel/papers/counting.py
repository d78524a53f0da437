"""How many sets of k of n features can be dissimilar, and how many such families there are (000, A.5.4)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.papers.families import Drawn, count_families, draw_families
from pyfsel.problem.checks import integer_in, number_of, seed
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.questions.most_sets import most_sets
from pyfsel.results.backend_answer import Status

LARGEST_N = 100_000
MOST_DRAWN = 100_000
MOST_DRAWN_FEATURES = 5_000_000
"""In all families together, some 200 MB."""


def how_many(
    n_features: int,
    k: int = 5,
    *,
    n_sets: int | None = None,
    n_draws: int = 0,
    dissimilarity: float | str | Dissimilarity = 0.6,
    solver: Any = "auto",
    time_limit: float | None = 60,
    random_state: int = 0,
) -> Answer:
    """Say how many dissimilar sets of k of n features there are, whatever their quality (000, A.5.4).

    It is the number of sets of a packing of k-subsets of which no two have t = max_shared + 1 elements in
    common, and of a code of constant weight, A(n, 2·(k − max_shared), k). It comes from `most_sets`, with
    Johnson's bound. Families are counted by the sizes of what their sets share, without listing them; few
    features also by extending one set, which by symmetry stands for all.

    Parameters
    ----------
    n_features, k : int
        Features, and features of each set.
    n_sets : int, optional
        Count the families of this number of sets, and look for no more sets; without it the families of as
        many sets as there are.
    n_draws : int
        Draw this number of these families at random (seed `random_state`), with replacement and each with the
        same probability: independent sets are drawn until they are dissimilar, in at most 200,000 tries. So
        an answer may have fewer; it has none if the number of sets is open. At most 100,000, whose sets have
        at most 5,000,000 features together.
    dissimilarity : float, str or Dissimilarity
        How different any two sets are, such as 0.6, "jaccard:0.5" or "shared:2". Equal sets are not counted.
    solver
        As for `pyfsel.solve`.
    time_limit : float, optional
        Seconds.
    random_state : int
        Seed of families that are drawn.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets. In `details`: ``n_families``, None if it is open;
        ``family_size``, the sets in a family; ``families`` that were drawn, and ``drawn_by`` what.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> fano = how_many(7, 3, dissimilarity="shared:1")
    >>> fano.low, fano.high, fano.details["n_families"]
    (7.0, 7.0, 30)
    >>> how_many(100, 5, n_sets=3).details["n_families"]
    70996435465407426152640
    """
    n_features = integer_in("n_features", n_features, 1, LARGEST_N)
    n_draws = integer_in("n_draws", n_draws, 0, MOST_DRAWN)
    if n_sets is not None:
        n_sets = integer_in("n_sets", n_sets, 1, None)
    instance = make_instance(
        [1] * n_features,
        k=k,
        n_sets=2,
        dissimilarity=dissimilarity,
        constraints=Constraints(min_quality=0),
    )
    solving = {"solver": solver, "time_limit": time_limit, "random_state": random_state}
    most = most_sets(Problem.of_instance(instance, "sum"), at_most=n_sets, **solving)
    size = len(most) if n_sets is None else n_sets
    largest = MOST_DRAWN_FEATURES // max(1, size * instance.k)
    if n_draws > largest:
        raise InputError(f"n_draws={n_draws}: is too large for families of {size} sets of {k}. Try {largest}")
    n_families, drawn = None, Drawn()
    if most.high is not None and most.high < size:
        n_families = 0
    elif n_sets is not None or most.status is Status.OPTIMAL:
        n_families = count_families(n_features, k, size, instance.max_shared)
        random = Random(seed(random_state))
        drawn = draw_families(instance, size, n_draws, random)
    found = {
        "n_families": n_families,
        "family_size": size,
        "families": drawn.families,
        "drawn_by": drawn.method,
    }
    families = "not counted" if n_families is None else f"{n_families:,}"
    least = "" if most.status is Status.OPTIMAL else "At least "
    headline = f"{least}{number_of(len(most), 'dissimilar set')} of {k} of {n_features} features"
    return replace(
        most,
        question="how_many",
        headline=f"{headline}; families of {number_of(size, 'set')}: {families}",
        cautions=(),
        details={**most.details, **found},
    )
