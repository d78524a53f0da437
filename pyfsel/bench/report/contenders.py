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
    groups = runs.groupby("contender")
    exact = groups["exact"].any()
    found = (
        by_task.groupby("contender")
        .sum()
        .set_axis(["n_proved", "n_best"], axis=1)
        .assign(
            n_tasks=groups["task"].nunique(),
            n_wrong=(runs["outcome"] == "refuted").groupby(runs["contender"]).sum(),
            exact=exact,
            par2=groups["cost"].mean().where(exact),
            cost=groups["cost"].sum(),
            seconds=groups["seconds"].sum(),
        )
    )
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
        low, high = stats.bootstrap(
            (values,),
            np.mean,
            axis=0,
            method="percentile",
            n_resamples=N_RESAMPLES,
            batch=200,
            confidence_level=confidence,
            random_state=0,
        ).confidence_interval
    triples = zip(table.mean(), low, high, strict=True)
    return {str(name): Interval(*map(float, triple)) for name, triple in zip(table, triples, strict=True)}


def excesses(costs: pd.DataFrame, first: str) -> dict[str, Interval]:
    """Return by how much the cost of the others exceeds one contender's cost.

    The intervals hold for all of them together (Bonferroni), as the one may have been chosen for its cost.
    """
    others = costs.drop(columns=first)
    return intervals(others.sub(costs[first], axis=0), 1 - (1 - CONFIDENCE) / max(1, others.shape[1]))


class OrderOfContenders(NamedTuple):
    """Who is best on some runs, with its scores, who is not shown to be worse, and how sure this is."""

    first: str
    own: Any
    alike: list[str]
    how_sure: str

    @property
    def proved(self) -> str:
        """How many tasks the first one proved, such as ``25 of 25``."""
        return f"{self.own['n_proved']} of {self.own['n_tasks']}"

    @property
    def par2(self) -> str:
        """The mean cost of the first one."""
        return seconds_text(self.own["par2"])


def ranking(runs: pd.DataFrame) -> OrderOfContenders:
    """Return who is best on some runs (at least one).

    Tasks of which a run is missing are left out, unless nothing would be left. One is shown to be worse than
    the first if the interval of its extra PAR2 is above zero.
    """
    runs = runs if runs["unfinished"].all() else runs[~runs["unfinished"]]
    table, n_instances = scores(runs), runs["instance"].nunique()
    full = table[table["n_tasks"] == runs["task"].nunique()]
    table = full if len(full) else table
    first = str(table.index[0])
    own: Any = table.loc[first]
    rivals = full.index[full["exact"]].drop(first, errors="ignore")
    alike: list[str] = []
    if not own["n_proved"]:
        said = (
            f"Nothing was proved; its sets are the best known in {own['n_best']} of {own['n_tasks']} tasks."
        )
    elif rivals.empty:
        said = "This is not shown to be better: no other that proves was given all tasks."
    elif n_instances < FEWEST_INSTANCES:
        said = f"This is not shown: {FEWEST_INSTANCES} instances are needed, there are {n_instances}."
    else:
        beyond = excesses(by_instance(runs[runs["contender"].isin([first, *rivals])]), first)
        alike = [name for name in rivals if beyond[name].low <= 0]
        said = "This is shown: all others cost more (95%, bootstrap over instances)."
        if alike:
            named = " and ".join(alike[:MOST_NAMED])
            said = f"This is not shown: the difference to {named} is not significant."
    return OrderOfContenders(first, own, alike, said)


def headline(runs: pd.DataFrame) -> str:
    """Return who is best, and whether that is shown, in a sentence."""
    if runs.empty:
        return "No run has been made yet."
    found = ranking(runs)
    if not found.own["n_proved"]:
        return (
            f"No solver is best: none proved anything of all tasks. {found.first} is first. {found.how_sure}"
        )
    limits = ", ".join(f"{limit:g}" for limit in sorted(set(runs["limit"])))
    return f"{found.first} proves most: {found.proved} in {limits} s, PAR2 {found.par2}. {found.how_sure}"


def seconds_text(seconds: float) -> str:
    """Return seconds with as many digits as matter."""
    if np.isnan(seconds):
        return "–"
    if seconds >= 9.95:
        return f"{seconds:,.0f} s"
    return f"{seconds:.{1 if seconds >= 0.995 else 2 if seconds >= 0.0995 else 3}f} s"
