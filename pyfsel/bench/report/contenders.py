"""Scores of contenders, and how sure it is that one is better than another.

The sample are instances. Runs of a task that differ in their seed are repetitions and averaged. The tasks of
an instance (variations, limits) resemble each other, so their mean is one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

CONFIDENCE = 0.95
N_RESAMPLES = 1999
FEWEST_INSTANCES = 6  # of five, all in favour of one of two has a two-sided probability of 1/16
MOST_NAMED = 3  # contenders between which no difference was shown
PLACE = ["n_proved", "cost", "n_best", "seconds"]  # what makes one better: most proved, then least cost, …


class Interval(NamedTuple):
    """A mean over instances and its bootstrap interval, NaN if there is one instance."""

    mean: float
    low: float
    high: float

    def text(self, shown: Callable[[float], str]) -> str:
        """Return the mean, with the interval in brackets if there is one."""
        brackets = "" if np.isnan(self.low) else f" [{shown(self.low)}, {shown(self.high)}]"
        return f"{shown(self.mean)}{brackets}"


def scores(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each contender, the best first.

    A task is proved or best if it is with every seed. `par2` is the mean cost of the runs of a contender that
    can prove something.
    """
    by_task = runs.groupby(["contender", "task"])[["proved", "is_best"]].all()
    groups = runs.assign(n_wrong=runs["outcome"] == "refuted").groupby("contender")
    exact = groups["exact"].any()
    found = by_task.groupby("contender").sum().set_axis(["n_proved", "n_best"], axis=1)
    found = found.join(groups[["cost", "seconds", "n_wrong"]].sum())
    par2 = groups["cost"].mean().where(exact)
    found = found.assign(n_tasks=groups["task"].nunique(), exact=exact, par2=par2)
    return found.sort_values(PLACE, ascending=[False, True, False, True], kind="stable")


def by_instance(runs: pd.DataFrame, number: str = "cost") -> pd.DataFrame:
    """Return the means of a number of the runs, instances × contenders.

    Tasks that not all contenders were given are left out.
    """
    tasks = runs.pivot_table(index=["instance", "task"], columns="contender", values=number).dropna()
    return tasks.groupby("instance").mean()


def intervals(table: pd.DataFrame, confidence: float = CONFIDENCE) -> dict[str, Interval]:
    """Return the mean of each column with its percentile bootstrap interval over the rows, the instances."""
    from scipy import stats

    values = table.to_numpy(dtype=float)
    low = high = np.full(values.shape[1], np.nan)
    if len(values) > 1 and values.size:
        how = {"axis": 0, "method": "percentile", "n_resamples": N_RESAMPLES, "batch": 200, "random_state": 0}
        found = stats.bootstrap((values,), np.mean, confidence_level=confidence, **how)
        low, high = found.confidence_interval
    triples = zip(table.mean(), low, high, strict=True)
    return {str(name): Interval(*map(float, triple)) for name, triple in zip(table, triples, strict=True)}


class OrderOfContenders(NamedTuple):
    """Who is best on some runs, and how sure this is.

    Parameters
    ----------
    table : DataFrame
        The scores of all, the best first.
    first : str
        The best one of those that were given all tasks.
    par2, beyond : dict of str to Interval
        Of those that can prove something and were given all tasks: the mean cost, and by how much that
        exceeds the first one's cost. The latter hold for all of them together (Bonferroni), as the first one
        may have been chosen for its cost.
    alike : list of str
        Those that are not shown to be worse than the first.
    how_sure : str
    """

    table: pd.DataFrame
    first: str
    par2: dict[str, Interval]
    beyond: dict[str, Interval]
    alike: list[str]
    how_sure: str

    @property
    def own(self) -> Any:
        """The scores of the first one."""
        return self.table.loc[self.first]


def ranking(runs: pd.DataFrame) -> OrderOfContenders:
    """Return who is best on some runs (at least one).

    Tasks of which a run is missing are left out, unless nothing would be left. One is shown to be worse than
    the first if the interval of its extra PAR2 is above zero.
    """
    runs = runs if runs["unfinished"].all() else runs[~runs["unfinished"]]
    table, n_instances = scores(runs), runs["instance"].nunique()
    is_full = table["n_tasks"] == runs["task"].nunique()
    first = str((table[is_full] if is_full.any() else table).index[0])
    costs = by_instance(runs[runs["contender"].isin(table.index[is_full & table["exact"]])])
    beyond: dict[str, Interval] = {}
    if first in costs:
        others = costs.drop(columns=first).sub(costs[first], axis=0)
        beyond = intervals(others, 1 - (1 - CONFIDENCE) / max(1, others.shape[1]))
    alike: list[str] = []
    own = table.loc[first]
    if not own["n_proved"]:
        said = (
            f"Nothing was proved; its sets are the best known in {own['n_best']} of {own['n_tasks']} tasks."
        )
    elif not beyond:
        said = "This is not shown to be better: no other that proves was given all tasks."
    elif n_instances < FEWEST_INSTANCES:
        said = f"This is not shown: {FEWEST_INSTANCES} instances are needed, there are {n_instances}."
    elif alike := [name for name, more in beyond.items() if more.low <= 0]:
        named = " and ".join(alike[:MOST_NAMED])
        said = f"This is not shown: the difference to {named} is not significant."
    else:
        said = "This is shown: all others cost more (95%, bootstrap over instances)."
    return OrderOfContenders(table, first, intervals(costs), beyond, alike, said)


def headline(runs: pd.DataFrame) -> str:
    """Return who is best, and whether that is shown, in a sentence."""
    if runs.empty:
        return "No run has been made yet."
    found = ranking(runs)
    first, own = found.first, found.own
    if not own["n_proved"]:
        return f"No solver is best: none proved anything of all tasks. {first} is first. {found.how_sure}"
    limits, par2 = ", ".join(f"{limit:g}" for limit in sorted(set(runs["limit"]))), seconds_text(own["par2"])
    return f"{first} proves most: {proved_text(own)} in {limits} s, PAR2 {par2}. {found.how_sure}"


def proved_text(row: Any) -> str:
    """Return how many tasks a contender has proved, such as ``25 of 25``."""
    return f"{row['n_proved']} of {row['n_tasks']}"


def seconds_text(seconds: float) -> str:
    """Return seconds with as many digits as matter.

    Examples
    --------
    >>> [seconds_text(one) for one in (np.nan, 0.0123, 0.0999, 0.999, 9.96, 1234.5)]
    ['–', '0.012 s', '0.10 s', '1.0 s', '10 s', '1,234 s']
    """
    if np.isnan(seconds):
        return "–"
    if seconds >= 9.95:
        return f"{seconds:,.0f} s"
    return f"{seconds:#.2g} s"
