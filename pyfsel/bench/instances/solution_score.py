"""How good a set is where the relevant, irrelevant and redundant features are known (001, Section 5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import is_a, list_of, positive_number, shown


@dataclass(frozen=True)
class SolutionScore:
    """The score S of a set and its three parts, all in [0, 1].

    Attributes
    ----------
    score : float
        α_R·R + α_I·I + α_R'·R'.
    relevance : float
        R: share of the relevant features that the set holds, themselves or as a copy.
    irrelevance : float
        I: share of the irrelevant features that it does not hold; 1 if there are none.
    redundancy : float
        R': of the copies it could hold of what it holds, the share that it does not; 0 if there are none.
    """

    score: float
    relevance: float
    irrelevance: float
    redundancy: float


def solution_score(
    features: Collection[Any],
    relevant: Collection[Any],
    irrelevant: Collection[Any] = (),
    copies: Mapping[Any, Any] | None = None,
    epsilon: float = 1.0,
) -> SolutionScore:
    """Score a set against what is known of the table (paper 001, Section 5.1).

    The weights follow from the numbers of features: α_R : α_I : α_R' = N_R : (ε/2)·N_I : (ε²/3)·N_R'.

    Two things to know. Where the set holds no feature that has copies, R' is 0, not 1, so a relevant
    feature alone scores less if it has none. And for partial solutions a redundant feature can cost more than
    an irrelevant one. That is the paper's definition; look at the parts as well.

    Parameters
    ----------
    features : collection
        The set, by the same names or numbers as the other arguments.
    relevant, irrelevant : collections
    copies : mapping
        The relevant feature that each redundant one copies.
    epsilon : float
        Positive; smaller values give relevance more weight.

    Returns
    -------
    SolutionScore

    Raises
    ------
    InputError
        If a feature is given twice or is not one of these, a copy is not of a relevant one, or there are no
        relevant features.

    Examples
    --------
    >>> known = {"relevant": [0, 1, 2, 3], "irrelevant": [4, 5, 6, 7], "copies": {8: 0, 9: 0, 10: 1, 11: 2}}
    >>> solution_score([8, 10, 11, 3], **known).score
    1.0
    >>> solution_score([0, 1, 2], **known)
    SolutionScore(score=0.8636363636363636, relevance=0.75, irrelevance=1.0, redundancy=1.0)
    """
    known, chosen = _known(relevant, irrelevant, copies), list_of("features", features)
    if len({*chosen}) < len(chosen):
        raise InputError(f"features={shown(features)}: must be different features")
    for unknown in {*chosen} - known.keys():
        raise InputError(f"features: {unknown!r} is neither relevant nor irrelevant nor a copy")
    epsilon = positive_number("epsilon", epsilon)
    there, held = Counter(known.values()), Counter(known[one] for one in chosen)
    n_useless, n_held_useless = there.pop(None, 0), held.pop(None, 0)
    could_hold = sum(there[one] - 1 for one in held)
    R = len(held) / len(there)
    I = 1 - n_held_useless / n_useless if n_useless else 1.0  # noqa: E741
    R_copies = 1 - (held.total() - len(held)) / could_hold if could_hold else 0.0
    weights = [len(there), epsilon / 2 * n_useless, epsilon**2 / 3 * (there.total() - len(there))]
    score = np.average([R, I, R_copies], weights=weights)
    return SolutionScore(float(score), R, I, R_copies)


def _known(relevant: Any, irrelevant: Any, copies: Any) -> dict[Any, Any]:
    """Return the relevant feature that each feature is or copies, None for irrelevant ones."""
    copied = dict(is_a("copies", copies or {}, Mapping, "a mapping from copies to relevant features"))
    originals, useless = list_of("relevant", relevant), list_of("irrelevant", irrelevant)
    if not originals:
        raise InputError("relevant: is empty, must hold at least one feature")
    for copy, original in copied.items():
        if original not in originals:
            raise InputError(f"copies: {copy!r} is of {original!r}. It must be of a relevant feature")
    known = dict.fromkeys(useless) | {one: one for one in originals} | copied
    if len(known) < len(originals) + len(useless) + len(copied):
        raise InputError(
            "relevant, irrelevant and copies: must be different features, with no feature in common"
        )
    return known
