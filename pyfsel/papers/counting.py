"""How many sets of k of n features can be dissimilar, and how many such families there are (000, A.5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Unpack

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.papers.families import count_families, draw_families
from pyfsel.problem.checks import integer_in, seed
from pyfsel.problem.make import make_instance
from pyfsel.questions.asking import QuestionSolving
from pyfsel.questions.families import Drawn
from pyfsel.questions.most_sets import MostSets, most_sets
from pyfsel.results.answer import Status
from pyfsel.results.display import Facts, listed_names
from pyfsel.results.verify import violations

LARGEST_N = 100_000
MOST_SHOWN = 20
MOST_DRAWN = 100_000
MOST_DRAWN_FEATURES = 5_000_000
"""In all families together, some 200 MB."""


@dataclass(frozen=True, repr=False, kw_only=True)
class HowMany(MostSets):
    """The largest number of dissimilar sets, and how many families of some number of them there are.

    Parameters
    ----------
    family_size : int
        Sets in a family: as many as were asked for, else as many as possible.
    n_families : int or None
        Different families, in no order; None where that is open.
    drawn : Drawn
        `families` of that size, each drawn with the same probability, and the `method` that drew them.
    """

    question: ClassVar[str] = "how_many"

    family_size: int
    n_families: int | None
    drawn: Drawn

    def __post_init__(self) -> None:
        super().__post_init__()
        problem = self.problem.replace(n_sets=self.family_size)
        for family in self.drawn.families:
            if evidence := violations(problem, family):
                raise FalseClaimError(f"how_many: drew {family}: " + "; ".join(evidence))

    def _found(self) -> dict[str, Any]:
        problem, found = self.problem, super()._found()
        for name in ("min_quality", "best_quality"):
            del found[name]
        asked = {"n_features": problem.n_features, "k": problem.set_size}
        families = {"family_size": self.family_size, "n_families": self.n_families}
        drawn = [[list(members) for members in family] for family in self.drawn.families]
        return {**asked, **found, **families, "drawn": drawn, "drawn_by": self.drawn.method}

    def _facts(self) -> Facts:
        families = "not counted: too many steps, or the number of sets is open"
        if self.n_families is not None:
            families = f"{self.n_families:,} of {self.family_size} sets"
        facts = [super()._facts()[0], ("families", families)]
        if self.drawn.method:
            facts.append(("drawn by", self.drawn.method))
        for number, family in enumerate(self.drawn.families[:MOST_SHOWN]):
            sets = "; ".join(listed_names(self.problem.names_of(members)) for members in family)
            facts.append((f"draw {number}", sets))
        for number, members in enumerate(self.sets[:MOST_SHOWN]):
            facts.append((f"set {number}", listed_names(self.problem.names_of(members))))
        more = self.n_sets - MOST_SHOWN
        return [*facts, ("…", f"{more} more (--format json lists all)")] if more > 0 else facts

    def _shown(self) -> None:
        """Return nothing: all qualities are alike."""


def how_many(
    n_features: int,
    k: int,
    *,
    n_alternatives: int | None = None,
    n_draws: int = 0,
    tau: float | None = None,
    max_overlap: int | None = None,
    dissimilarity: str = "dice",
    **options: Unpack[QuestionSolving],
) -> HowMany:
    """Say how many dissimilar sets of k of n features there are, whatever their quality (000, A.5.4).

    The number of sets is that of a packing of k-subsets of which no two have t = max_overlap + 1 elements in
    common, and of a code of constant weight, A(n, 2·(k − max_overlap), k). It comes from `most_sets`, with
    Johnson's bound. Families are counted by the sizes of what their sets share, without listing them; few
    features also by extending one set, which by symmetry stands for all.

    Parameters
    ----------
    n_features, k : int
    n_alternatives : int, optional
        Count the families of so many sets and one more, and look for no more sets; without it the families
        of as many sets as there are.
    n_draws : int
        Draw so many of these families at random (seed `random_state`), with replacement and each with the
        same probability: by independent sets until they are dissimilar, with the share of tries that were, or
        by counting or listing. An answer may have fewer, or none where the number of sets is open. At most
        100,000, whose sets have at most 5,000,000 features together.
    tau, max_overlap, dissimilarity
        As in `pyfsel.make_instance`: exactly one of the first two. Two sets must be able to differ.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Returns
    -------
    HowMany
        A limit leaves an interval for the number of sets.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> fano = how_many(7, 3, max_overlap=1)
    >>> fano.n_sets, str(fano.status), fano.n_families
    (7, 'OPTIMAL', 30)
    >>> how_many(100, 5, n_alternatives=2, tau=0.6).n_families
    70996435465407426152640
    """
    n_features = integer_in("n_features", n_features, 1, LARGEST_N)
    n_draws = integer_in("n_draws", n_draws, 0, MOST_DRAWN)
    if n_alternatives is not None:
        n_alternatives = integer_in("n_alternatives", n_alternatives, 0, None)
    problem = make_instance(
        [1] * n_features,
        k=k,
        n_alternatives=1,
        tau=tau,
        max_overlap=max_overlap,
        dissimilarity=dissimilarity,
        min_quality=0,
    )
    asked = None if n_alternatives is None else n_alternatives + 1
    _check_draws(n_draws, asked or 1, problem.set_size)
    most = most_sets(problem, at_most=asked, **options)
    size = most.n_sets if asked is None else asked
    _check_draws(n_draws, size, problem.set_size)
    n_families, drawn = None, Drawn()
    if most.bound is not None and most.bound < size:
        n_families = 0
    elif asked is not None or most.status is Status.OPTIMAL:
        n_families = count_families(n_features, k, size, problem.max_overlap)
        random = Random(seed("random_state", options.get("random_state")))
        drawn = draw_families(problem, size, n_draws, random) if n_draws else drawn
    return HowMany(**vars(most), family_size=size, n_families=n_families, drawn=drawn)


def _check_draws(n_draws: int, n_sets: int, k: int) -> None:
    most = MOST_DRAWN_FEATURES // max(1, n_sets * k)
    if n_draws > most:
        raise InputError(f"n_draws={n_draws}: must be at most {most} for families of {n_sets} sets of {k}")
