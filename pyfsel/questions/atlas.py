"""The atlas of near-optimal sets: how many there are, what they share, which features stand in for others.

Trees and rule lists have such Rashomon sets (Xin et al. 2022); this is one of feature sets. "Exactly" is
meant for the integers of the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.interface.answer import Answer, answer_to
from pyfsel.interface.problem import Problem
from pyfsel.problem import values
from pyfsel.problem.checks import number_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of
from pyfsel.questions.asked import (
    asking_of,
    at_least,
    best_and_limited,
    confirmed_but_for_the_number,
    instance_of,
    loss_of,
    not_known,
    threshold_facts,
)
from pyfsel.questions.methods import ListingTask, Tally, chosen_method
from pyfsel.results.backend_answer import PROVED, Status, status_of
from pyfsel.results.control import OutOfTimeError, TooManySetsError
from pyfsel.results.display import Facts, listed_names
from pyfsel.results.near_optimal import NearOptimalSums
from pyfsel.results.result import Result
from pyfsel.results.verify import require_true, violations
from pyfsel.solving.asking import Asking

if TYPE_CHECKING:
    import pandas as pd

MOST_LISTED = 100_000
SHARE = 0.9  # of the time for counting; the rest is for a bound if that does not end
COUNTED = "switches"
NO_SHARES = "Proportions of features are not shown: a search meets sets with some features first"
MOST_PAIRED, MOST_NAMED = 8, 3
NOTABLE = 0.2  # together in fewer sets, by this proportion and one set, than if independent
POINTS = 20
"""Steps of the curve of how the number of sets grows with the loss."""


def atlas(problem: Problem, loss: float = 0.05, **solving: Any) -> Answer:
    """Count the sets that lose at most a proportion of the best quality, and the features in them.

    Sums of qualities, with forced and forbidden features and ranges of sizes, are counted without listing
    (`pyfsel.results.near_optimal`). Pairs and CFS in sets of one size, and least squares, are counted as a
    search meets them; so are sums with groups, costs and conflicts. Others are listed, up to 100,000.

    Parameters
    ----------
    problem : Problem
        Of single sets: its number of sets makes no difference, and only sets that differ enough from the
        previous ones are counted.
    loss : float
        The proportion of the quality of the best single set that a set may lose, from 0 to 1, whether or not
        the best one differs from previous sets; without effect with a minimum quality. Of a negative
        best quality the proportion is lost on the other side.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets; a limit or Ctrl-C leaves a lower bound. `to_frame` has
        a row for each feature; its counts are missing unless all sets were counted: the sets that a search
        meets first are not typical of all. Then `details` has ``always`` and ``never``, features in all and
        in none of the sets; ``pairs``, how often two features are together, and how often if they were
        independent; and ``curve``, how many sets reach each quality.

    Raises
    ------
    InputError
        If nothing lists the sets of the problem, or an argument is not allowed.

    Examples
    --------
    >>> near = atlas(Problem([9, 8, 8, 3], k=2), loss=0.1)
    >>> near.low, near.high, near.to_frame()["n_sets"].tolist()
    (3.0, 3.0, [2, 2, 2, 0])
    """
    instance = instance_of(problem).replace(n_sets=1)
    instance.require_sum_or_min()
    lost = loss_of(instance, loss)
    method = COUNTED if _is_counted(instance) else chosen_method(instance)
    with asking_of(solving) as asking:
        best, limited = best_and_limited(asking, instance, lost, needs_best=True)
        counted, most = Counted(method), None
        if limited is not None and best is not None:
            instance = limited
            counted = _counted(asking, instance, method, best)
            most = counted.n_sets if counted.is_complete else _most_sets(instance)
        elif best is not None and best.status is Status.INFEASIBLE:
            counted, most = Counted(method, is_complete=True), 0
        status = counted.status
        details = _details(instance, counted) if status is Status.OPTIMAL else {}
        these = "this is the only set" if counted.n_sets == 1 else f"these are all {counted.n_sets:,} sets"
        return answer_to(
            "atlas",
            problem,
            asking,
            None,
            status,
            proved=f"Proved: {these} of this quality",
            left="The best quality is not known"
            if most is None
            else f"More than {most:,} are impossible. {NO_SHARES}",
            none="no such set exists",
            headline=not_known(instance, lost, problem.origin)
            if most is None
            else f"{_number(counted, most)} of {instance.sizes_text} {at_least(lost, most)}{problem.origin}",
            high=None if most is None else float(most),
            unit="sets",
            confirmation=confirmed_but_for_the_number(asking, best, status, "the number of sets is counted"),
            facts=[
                *threshold_facts(instance, best),
                ("counted by", counted.method),
                *_in_words(details),
            ],
            cautions=_instead(details),
            details={"n_sets": counted.n_sets, "frame": _frame(instance, counted), **details},
        )


@dataclass
class Counted:
    """What is known of the sets.

    Parameters
    ----------
    method : str
        The method that counted them.
    n_sets : int
        The number of sets; a lower bound without `is_complete`.
    counts : sequence of int
        How many of them have each feature.
    curve : list of pairs of int
        Values, falling, and how many sets reach them.
    together : callable
        How many of them have two features.
    n_pairs : int
        How many pairs of features are in them, over all of them.
    is_complete : bool
    """

    method: str
    n_sets: int = 0
    counts: Sequence[int] = ()
    curve: Sequence[tuple[int, int]] = ()
    together: Callable[[int, int], int] = lambda i, j: 0
    n_pairs: int = 0
    is_complete: bool = False

    @property
    def status(self) -> Status:
        """OPTIMAL: these are all sets; INFEASIBLE: there are none."""
        return status_of(self.n_sets, self.is_complete)


def _is_counted(problem: Instance) -> bool:
    """Return whether the sets can be counted with all rules of the problem: each is known to the count."""
    unknown = set(problem.side_constraints) - {"size_range", "forced", "forbidden", "min_quality"}
    return objective_of(problem).is_sum and not (unknown or problem.has_conflicts or problem.previous)


def _counted(asking: Asking, instance: Instance, method: str, best: Result) -> Counted:
    """Count the sets by switches, or as they are met if there are too many numbers."""
    highest, least = best.integer_objective, instance.min_quality
    assert highest is not None
    assert least is not None
    loss = max(0, highest - least)
    steps = tuple(sorted({highest - loss * i // POINTS for i in range(POINTS + 1)}, reverse=True))
    # the best set is one of them unless it is too similar to a previous one
    known = 0 if violations(instance, best.sets) else 1
    if method == COUNTED:
        try:
            return _by_switches(asking, instance, steps)
        except OutOfTimeError:
            return Counted(method, known)
        except TooManySetsError:
            method = chosen_method(instance)
    counted = _by_search(asking, instance, method, steps)
    counted.n_sets = max(counted.n_sets, known)
    return counted


def _by_switches(asking: Asking, instance: Instance, steps: tuple[int, ...]) -> Counted:
    def check() -> None:
        if asking.is_stopped():
            raise OutOfTimeError

    sums = [NearOptimalSums(instance, size, check) for size in instance.sizes]
    return Counted(
        COUNTED,
        sum(near.n_sets for near in sums),
        sum(near.feature_counts() for near in sums).tolist(),  # type: ignore[union-attr]
        [(least, sum(near.reaching(least) for near in sums)) for least in steps],
        lambda i, j: sum(near.together([i, j]) for near in sums),
        sum(near.n_sets * comb(size, 2) for near, size in zip(sums, instance.sizes, strict=True)),
        is_complete=True,
    )


def _by_search(asking: Asking, instance: Instance, method: str, steps: tuple[int, ...]) -> Counted:
    assert instance.min_quality is not None
    tally = Tally(instance.n_features, MOST_LISTED, steps)
    task = ListingTask(method, instance.min_quality, MOST_LISTED, tally)
    answer = asking.run(task, instance, lambda sets: None, share=SHARE)
    met = answer.statistics.get("tally", tally)
    for members in met.kept:
        require_true(method, violations(instance, [members]))
    counted = Counted(method, met.n_sets, is_complete=answer.status in PROVED)
    if met.n_sets:
        counted.counts = met.joint.diagonal().tolist()
        counted.curve = list(zip(steps, met.reached.tolist(), strict=True))
        counted.together = lambda i, j: int(met.joint[i, j])
        counted.n_pairs = (int(met.joint.sum()) - sum(counted.counts)) // 2
    return counted


def _most_sets(problem: Instance) -> int:
    """Return how many sets of the allowed sizes there are."""
    forced = len(problem.forced)
    free = problem.n_features - forced - len(problem.forbidden)
    return sum(comb(free, size - forced) for size in problem.sizes if size >= forced)


def _number(counted: Counted, most: int) -> str:
    sets = f"{counted.n_sets:,} {'set' if counted.n_sets == 1 else 'sets'}"
    if most == counted.n_sets:
        return sets
    return f"Between {counted.n_sets:,} and {most:,} sets"


def _frame(instance: Instance, counted: Counted) -> pd.DataFrame:
    """Return one row per feature: in how many sets it is, and in which proportion of them."""
    import pandas as pd

    counts: Any = np.nan
    if counted.is_complete:
        counts = np.array(counted.counts or [0] * instance.n_features, dtype=object)
    frame = pd.DataFrame({"n_sets": counts}, index=pd.Index(instance.feature_names, name="feature"))
    return frame.assign(share=frame["n_sets"] / max(1, counted.n_sets)).infer_objects()


def _details(instance: Instance, counted: Counted) -> dict[str, Any]:
    names, counts = np.array(instance.feature_names, dtype=object), np.array(counted.counts, dtype=object)
    return {
        "always": names[counts == counted.n_sets].tolist(),
        "never": names[counts == 0].tolist(),
        "pairs": list(_pairs(instance, counted)),
        "curve": [(values.to_float(instance, least), number) for least, number in counted.curve],
    }


def _pairs(instance: Instance, counted: Counted) -> list[dict[str, Any]]:
    """Return how often two features are together, of those that are often, but not always, in the sets.

    ``n_sets`` is exact; ``independent`` is what it would be if one had nothing to do with the other, in as
    small sets: of features that stand in for each other there are fewer sets, of those that belong together
    more. The pairs that differ by most sets come first.
    """
    counts, found, total = counted.counts, [], counted.n_sets
    order = np.argsort([-count for count in counts], kind="stable").tolist()
    some = [j for j in order if 0 < counts[j] < total]
    n_always, n_some = sum(count == total for count in counts), sum(counts[j] for j in some)
    left = counted.n_pairs - comb(n_always, 2) * total - n_always * n_some
    products = (n_some**2 - sum(counts[j] ** 2 for j in some)) // 2  # over all pairs
    for i, j in combinations(some[:MOST_PAIRED], 2):
        independent = left * counts[i] * counts[j] / products
        names = instance.names_of((i, j))
        found.append({"features": names, "n_sets": counted.together(i, j), "independent": independent})
    return sorted(found, key=lambda pair: -abs(pair["n_sets"] - pair["independent"]))


def _instead(details: dict[str, Any]) -> list[str]:
    found = [
        f"{' and '.join(pair['features'])} are together in {number_of(pair['n_sets'], 'set')} "
        f"({pair['independent']:,.2g} expected if independent)"
        for pair in details.get("pairs", ())
        if pair["independent"] - pair["n_sets"] > max(1, NOTABLE * pair["independent"])
    ]
    return [f"Some features replace each other: {'; '.join(found[:MOST_NAMED])}"] if found else []


def _in_words(details: dict[str, Any]) -> Facts:
    if not details:
        return []
    always = listed_names(details["always"]) or "no feature"
    return [("in all", always), ("in none", f"{len(details['never'])} features")]
