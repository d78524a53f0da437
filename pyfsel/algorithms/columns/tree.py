"""Branch and bound over listed sets under the prices, with a Lagrangian bound at every node.

A node has chosen some sets and keeps the list of all others that are compatible with each of them and may
complete them. Its bound relaxes what the sets to come must satisfy among themselves to pair counting, see
`pyfsel.algorithms.columns.relaxation.count_term`; subgradient steps adapt the weights of the features
to the node, and how much of the prices of subsets is charged. The search is in C (``columns_tree.c``).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from pyfsel.algorithms.bits import as_words
from pyfsel.algorithms.columns.allowed import AllowedSets, FoundSets
from pyfsel.algorithms.columns.relaxation import Prices, limits_by_others
from pyfsel.algorithms.columns.subsets import SubsetPrices
from pyfsel.core.binding import Ints, Reals, ShortInts, Struct, Words, in_core

WHOLE = 1024  # parts of a charge; as in columns_tree.c
# Subgradient steps at a node, by the number of sets left. With one left nothing is bounded; the more there
# are, the more a sharper bound prunes below. The numbers are by trial, and any are right.
STEPS_BY_SETS_LEFT = (0, 0, 10, 30, 40, 60, 100)
ANY_NUMBER = 2**62
MOST_WORK = 10_000_000  # looks at a feature of a set in one call, after which the clock is asked
GOAL, DEPTH, N_NODES, PHASE, PROGRESS = range(5)


class ListTask(Struct):
    """What is searched, and in what."""

    n_sets: int
    max_overlap: int
    smallest: bool
    """Whether the smallest value counts and not the sum."""
    level: int
    """What every set is taken to be worth in the bounds if the smallest value counts, which then say how many
    sets there can be; 0 for sums."""
    quality: Annotated[Ints, "n"]
    largest_weight: int
    """No feature is given a larger or smaller weight."""
    members: Annotated[ShortInts, "m", "set_size"]
    words: Annotated[Words, "m", "n_words"]
    """The same sets as bits."""
    rests: Annotated[Ints, "m"]
    """What a set weighs beside the weights of its features, before its charge."""
    charges: Annotated[Ints, "m"]
    """What a set pays for the subsets of features that it holds, no two sets for the same one."""
    values: Annotated[Ints, "m"]
    at_most: Annotated[Ints, "rows"]
    """Upper bounds on the sum of the values of so many compatible sets; for sums."""
    uses_by_others: Annotated[Ints, "n"]
    """How many sets can hold a feature, by the number of features beside it."""
    steps: Annotated[Ints, "rows"]
    """Numbers of subgradient steps by the number of sets left."""

    @classmethod
    def of(
        cls,
        n_sets: int,
        sets: AllowedSets,
        among: FoundSets,
        values: Ints,
        at_most: Ints | None,
        subsets: SubsetPrices | None = None,
    ) -> ListTask:
        """Return the task of finding compatible sets among some of the allowed ones.

        The sum of the values counts, which `at_most` bounds, or without that the smallest one: `sets` are
        then levelled.
        """
        members = np.sort(among.members, axis=1)
        steps = [STEPS_BY_SETS_LEFT[min(r, len(STEPS_BY_SETS_LEFT) - 1)] for r in range(n_sets + 1)]
        charges = np.zeros(len(members), dtype=np.int64) if subsets is None else subsets.charges(members)
        return cls(
            n_sets=n_sets,
            max_overlap=sets.max_overlap,
            smallest=at_most is None,
            level=sets.unit if at_most is None else 0,
            quality=sets.quality,
            largest_weight=4 * sets.unit + 4,
            members=members,
            words=as_words(members, len(sets.quality)),
            rests=among.rests,
            charges=charges,
            values=values,
            at_most=np.zeros(n_sets + 1, dtype=np.int64) if at_most is None else at_most[: n_sets + 1],
            uses_by_others=limits_by_others(len(sets.quality), n_sets, sets.set_size, sets.max_overlap),
            steps=np.array(steps),
        )


class ListTree(Struct):
    """Where the search stands; row d of what has several rows is that of d chosen sets."""

    state: Annotated[Ints, "5"]
    """The least value of interest, the numbers of chosen sets (−1 at the end) and of nodes, and what is to be
    done next."""
    lists: Annotated[ShortInts, "rows", "m"]
    weights: Annotated[Ints, "rows", "m"]
    """`lists` are the sets that may still come, `weights` their weights."""
    sizes: Annotated[Ints, "rows"]
    positions: Annotated[Ints, "rows"]
    branches: Annotated[Ints, "rows"]
    """`sizes` says how many these are, `positions` where the next one to be chosen stands: one of the first
    `branches` is in every solution."""
    feature_weight: Annotated[Ints, "rows", "n"]
    most_uses: Annotated[Ints, "rows", "n"]
    """`most_uses` is how many of the sets to come can hold a feature."""
    overlap_price: Annotated[Ints, "rows"]
    rest: Annotated[Ints, "rows"]
    """`rest` is the bound beside what the sets to come weigh."""
    charged: Annotated[Ints, "rows"]
    unpaid: Annotated[Ints, "rows"]
    """`unpaid` is what the subsets of features that no chosen set holds cost in total, `charged` the part of
    all charges that the bound asks for, in parts of `WHOLE`: fewer sets are left, so that high prices do not
    pay."""
    total: Annotated[Ints, "rows"]
    """Values of the chosen sets."""
    chosen: Annotated[ShortInts, "n_sets"]
    found: Annotated[ShortInts, "n_sets"]
    step: Annotated[Ints, "6"]
    moved: Annotated[Reals, "3"]
    best_weight: Annotated[Ints, "n"]
    direction: Annotated[Reals, "n"]
    counts: Annotated[Ints, "n"]
    """From `step` to `counts` of the subgradient steps at one node."""
    beside: Annotated[Words, "n", "n_words"]
    other_list: Annotated[ShortInts, "m"]
    other_weights: Annotated[Ints, "m"]
    """From `beside` on room to work in."""

    @classmethod
    def of(cls, task: ListTask, prices: Prices, goal: int) -> ListTree:
        """Return the state before the search: nothing chosen, and a value of at least `goal` wanted."""
        m, n_words = task.words.shape
        sizes = {
            "n_sets": task.n_sets,
            "rows": task.n_sets + 1,
            "m": m,
            "n": len(prices.weight),
            "n_words": n_words,
        }
        tree = cls.with_room(sizes, state=np.array([goal, 0, 0, 0, 0]))
        tree.lists[0] = np.arange(m)
        tree.sizes[0], tree.positions[0] = m, -1
        tree.feature_weight[0], tree.overlap_price[0] = prices.weight, prices.overlap
        tree.most_uses[:] = task.n_sets
        tree.charged[0] = WHOLE
        if prices.subsets is not None:
            tree.unpaid[0] = prices.subsets.total
        return tree


@in_core
def search_list(task: ListTask, tree: ListTree, most_nodes: int, most_work: int) -> bool:
    """Go on until there was some work; return whether the search is over, or has come to so many nodes.

    Whenever `found` is overwritten by a better solution, the goal is one more than its value. If that is as
    it was when the search is over, no solution reaches it. Work is counted in looks at a feature of a set.
    """
