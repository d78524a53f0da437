"""What a report tells: the sets, their relatives, what each rule costs, held-out scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pyfsel.measures.copies import THRESHOLD, similarities
from pyfsel.measures.tables.table import Table
from pyfsel.problem.instance import Instance
from pyfsel.questions.atlas import Atlas, atlas
from pyfsel.questions.sweep.cells import Sweep
from pyfsel.questions.sweep.sweep import sweep
from pyfsel.results.answer import StopReason
from pyfsel.results.result import Result

if TYPE_CHECKING:
    from pyfsel.selectors.choose_k import Sizes
    from pyfsel.selectors.evaluation.held_out import HeldOut

RELATED = 0.8  # similarity from which features are shown as relatives; copies begin higher
NEAR_SECONDS = 20.0  # for nearly best sets, of which an interval tells enough
MOST_RELATIVES = 12  # pairs, a screenful


@dataclass(frozen=True)
class Relative:
    """Two features of different sets, or one set, that say nearly the same."""

    first: str
    second: str
    similarity: float
    first_sets: tuple[int, ...]
    second_sets: tuple[int, ...]

    @property
    def is_copy(self) -> bool:
        """Whether they are so similar that they count as copies."""
        return self.similarity >= THRESHOLD


@dataclass(frozen=True)
class Findings:
    """All that a report tells.

    Parameters
    ----------
    title : str
        Name of the table.
    target : str
        Name of what is predicted; "" if it has none.
    described : str
        Rows, features, task and measure in a line.
    result : Result
    overlap_rule : str
        Where the limit on shared features comes from, such as "dice dissimilarity ≥ 0.6".
    relatives : sequence of Relative
        Close relatives among the features of the sets, the closest first.
    trade_off : Sweep or None
        Quality against dissimilarity, for the same number of sets.
    evaluation : HeldOut or None
    choice : Sizes or None
        Held-out scores of sets of several sizes.
    near : Atlas or None
        Single sets that are nearly as good as the best one.
    """

    title: str
    target: str
    described: str
    result: Result
    overlap_rule: str
    relatives: Sequence[Relative] = ()
    trade_off: Sweep | None = None
    evaluation: HeldOut | None = None
    choice: Sizes | None = None
    near: Atlas | None = None
    missing: Sequence[str] = field(default=())


def relatives_of(table: Table, result: Result) -> list[Relative]:
    """Return the pairs of features of the sets that are alike, the closest first."""
    problem = result.problem
    held_by = {j: tuple(i for i, s in enumerate(result.sets) if j in s) for s in result.sets for j in s}
    names = [problem.feature_names[j] for j in held_by]
    columns = [table.feature_names.index(name) for name in names]
    alike = similarities(table, columns)
    sets = list(held_by.values())
    found = [
        Relative(names[a], names[b], float(alike[a, b]), sets[a], sets[b])
        for a, b in combinations(range(len(names)), 2)
        if alike[a, b] >= RELATED
    ]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))


@dataclass(frozen=True)
class CopyGroup:
    """Features of the sets that hang together by copies, with the sets that hold each."""

    letter: str
    members: tuple[tuple[str, tuple[int, ...]], ...]


def copy_groups_of(relatives: Sequence[Relative]) -> list[CopyGroup]:
    """Return the groups of features that are copies, lettered from A, the largest first.

    Examples
    --------
    >>> group = copy_groups_of([Relative("a", "b", 1.0, (0,), (1,)), Relative("b", "c", 0.9, (1,), (0,))])[0]
    >>> group.letter, [name for name, _ in group.members]
    ('A', ['a', 'b'])
    """
    held_by: dict[str, tuple[int, ...]] = {}
    group_of: dict[str, frozenset[str]] = {}
    for pair in relatives:
        if pair.is_copy:
            held_by |= {pair.first: pair.first_sets, pair.second: pair.second_sets}
            joined = frozenset().union(*(group_of.get(n, frozenset([n])) for n in (pair.first, pair.second)))
            group_of |= dict.fromkeys(joined, joined)
    groups = sorted(set(group_of.values()), key=lambda group: (-len(group), min(group)))
    return [
        CopyGroup(_letter(number), tuple((name, held_by[name]) for name in sorted(group)))
        for number, group in enumerate(groups)
    ]


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def trade_off_of(problem: Instance, dissimilarity: str, **solving: Any) -> Sweep | None:
    """Return what dissimilarity costs, for the problem's number of sets; None where that cannot be asked."""
    if problem.n_sets == 1 or problem.has_size_range:
        return None
    return sweep(problem, n_alternatives=[problem.n_sets - 1], dissimilarity=dissimilarity, **solving)


def near_of(problem: Instance, *, time_limit: float | None, **solving: Any) -> Atlas:
    """Return how many single sets are nearly as good as the best one."""
    seconds = NEAR_SECONDS if time_limit is None else min(time_limit, NEAR_SECONDS)
    found = atlas(problem, time_limit=seconds, **solving)
    if found.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return found
