"""Scores of contenders, how sure comparisons of them are, and what to use for which kind of problem.

The sample are instances. Runs of a task that differ in their seed are repetitions and averaged; the tasks of
an instance (variations, limits) resemble each other and are drawn together.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyfsel.bench.report.frame import NO_ANSWER, Benchmark
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

CONFIDENCE = 0.95
N_RESAMPLES = 1999
FEWEST_INSTANCES = 6  # of five, all in favour of one of two has a two-sided probability of 1/16
MOST_NAMED = 3  # contenders between which no difference was shown
PLACE = ["n_proved", "cost", "n_best", "seconds"]  # what makes one better: most proved, then least cost, …


class Interval(NamedTuple):
    """A mean over tasks and its bootstrap interval over instances, NaN if there is one instance."""

    mean: float
    low: float
    high: float

    def text(self, shown: Callable[[float], str]) -> str:
        """Return the mean, with the interval in brackets if there is one."""
        brackets = "" if np.isnan(self.low) else f" [{shown(self.low)}, {shown(self.high)}]"
        return f"{shown(self.mean)}{brackets}"


def scores(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each contender, the best first.

    A task is proved, supported or best if it is with every seed. `par2` is the mean cost of the supported
    runs of those that can prove something.
    """
    by_task = runs.groupby(["contender", "task"], sort=False)
    tasks = by_task[["proved", "supported", "is_best"]].all().groupby(level="contender").sum()
    groups = runs.groupby("contender")
    supported, proved = runs[runs["supported"]], runs[runs["proved"]]
    found = tasks.set_axis(["n_proved", "n_supported", "n_best"], axis=1).assign(
        n_tasks=by_task.size().groupby(level="contender").size(),
        n_runs=groups.size(),
        n_wrong=(runs["outcome"] == "refuted").groupby(runs["contender"]).sum(),
        exact=groups["exact"].any(),
        par2=supported.groupby("contender")["cost"].mean(),
        proved_in=proved.groupby("contender")["seconds"].mean(),
        cpu_seconds=groups["cpu_seconds"].mean(),
        peak_memory=groups["peak_memory"].max(),
        cost=groups["cost"].sum(),
        seconds=groups["seconds"].sum(),
        solvers=groups["solver"].agg(lambda names: ", ".join(sorted(set(names)))),
    )
    found["par2"] = found["par2"].where(found["exact"])
    return found.sort_index().sort_values(PLACE, ascending=[False, True, False, True], kind="stable")


def task_table(runs: pd.DataFrame, number: str = "cost") -> pd.DataFrame:
    """Return a number of the runs, tasks × contenders; of repetitions the mean counts.

    Tasks that not all contenders were given are left out. Rows are indexed by instance and task.
    """
    table = runs.pivot_table(index=["instance", "task"], columns="contender", values=number)
    return table.dropna().astype(float)


def intervals(table: pd.DataFrame, confidence: float = CONFIDENCE) -> dict[str, Interval]:
    """Return the mean of each column with its percentile bootstrap interval over instances."""
    from scipy import stats

    groups = table.groupby(level="instance")
    sums = groups.sum().to_numpy().T
    sizes = np.broadcast_to(groups.size().to_numpy(), sums.shape)
    low = high = np.full(len(sums), np.nan)
    if sums.shape[1] > 1 and len(sums):
        found = stats.bootstrap(
            (sums, sizes),
            lambda total, size, axis: total.sum(axis) / size.sum(axis),
            paired=True,
            axis=-1,
            method="percentile",
            n_resamples=N_RESAMPLES,
            batch=200,
            confidence_level=confidence,
            random_state=0,
        )
        low, high = found.confidence_interval
    triples = zip(table.mean(), low, high, strict=True)
    return {name: Interval(*map(float, triple)) for name, triple in zip(table.columns, triples, strict=True)}


def excesses(table: pd.DataFrame, first: str) -> dict[str, Interval]:
    """Return by how much the cost of the others exceeds that of one contender, per task.

    The intervals hold for all of them together (Bonferroni), as the one may have been chosen for its cost.
    """
    others = table.drop(columns=first)
    return intervals(others.sub(table[first], axis=0), 1 - (1 - CONFIDENCE) / max(1, others.shape[1]))


def borda(runs: pd.DataFrame) -> dict[str, float]:
    """Return the score of each contender as the MiniZinc Challenge counts it, in points per task.

    Against each other contender on a task the better answer gets a point: a proof, else the better sets.
    Equal answers share it in inverse proportion to their times; two without any answer get nothing. Of
    repetitions, each of one is held against each of the other, and their mean counts.
    """
    points: dict[str, float] = dict.fromkeys(runs["contender"], 0.0)
    tasks = runs.groupby("task", sort=False)
    for _, own in tasks:
        rows = {str(name): list(group.itertuples()) for name, group in own.groupby("contender")}
        for one, other in permutations(rows, 2):
            points[one] += float(
                np.mean([_point(mine, theirs) for mine in rows[one] for theirs in rows[other]])
            )
    return {name: total / tasks.ngroups for name, total in points.items()}


def _point(one: Any, other: Any) -> float:
    mine, theirs = (one.proved, one.answer), (other.proved, other.answer)
    if mine != theirs:
        return float(mine > theirs)
    if mine == (False, NO_ANSWER):
        return 0.0
    total = one.seconds + other.seconds
    return other.seconds / total if total else 0.5


class Advice(NamedTuple):
    """What to use for the problems of some runs, and why."""

    first: str
    alike: list[str]
    table: pd.DataFrame
    n_instances: int
    is_shown: bool
    why: str

    @property
    def use(self) -> str:
        """Names of what to use, or that there is nothing."""
        if self.n_instances < FEWEST_INSTANCES:
            return "too few instances"
        if not self.table.loc[self.first, ["n_proved", "n_best"]].any():
            return "none of them"
        names = [self.first, *self.alike]
        more = f" or {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return " or ".join(names[:MOST_NAMED]) + more


def advice(runs: pd.DataFrame) -> Advice:
    """Return what to use for the problems of some runs (at least one), computed from the runs.

    Tasks of which a run is missing are left out, unless nothing would be left. One is shown to be worse than
    the first if the interval of its extra PAR2 is above zero.
    """
    runs = runs[~runs["unfinished"]] if not runs["unfinished"].all() else runs
    table, n_tasks = scores(runs), runs["task"].nunique()
    full = table[table["n_tasks"] == n_tasks]
    table = full if len(full) else table
    first, n_instances = str(table.index[0]), runs["instance"].nunique()
    rivals = table.index[table["exact"] & (table["n_supported"] > 0)].drop(first, errors="ignore")
    proved = table.loc[first, "n_proved"]
    worse: set[str] = set()
    if proved and len(rivals) and n_instances >= FEWEST_INSTANCES and len(full):
        costs = task_table(runs[runs["contender"].isin([first, *rivals])])
        worse = {name for name, excess in excesses(costs, first).items() if excess.low > 0}
    alike = [name for name in rivals if name not in worse] if proved and len(full) else []
    is_shown = bool(proved and len(full) and len(rivals) and not alike)
    return Advice(
        first,
        alike,
        table,
        n_instances,
        is_shown,
        _why(table, first, alike, list(rivals), n_instances, len(full) > 0),
    )


def _why(
    table: pd.DataFrame, first: str, alike: list[str], rivals: list[str], n_instances: int, has_full: bool
) -> str:
    own = table.loc[first]
    if n_instances < FEWEST_INSTANCES:
        return f"{number_of(n_instances, 'instance')}, where {first} did best: no advice for others."
    if not own["n_proved"] and not own["n_best"]:
        return "Nothing was proved or found within the limits."
    if not own["n_proved"]:
        return (
            f"Nothing was proved; its sets are the best known in {own['n_best']} of {own['n_tasks']} tasks."
        )
    if not has_full:
        return "Proves most, but no solver was given all of these tasks."
    if not rivals:
        return "No other solver that can prove such problems was given all of these tasks."
    if alike:
        return (
            f"Not significantly different: {', '.join(_short(table, name) for name in alike[:MOST_NAMED])}."
        )
    second = table.loc[rivals[0]]
    if second["n_proved"] < own["n_proved"]:
        return (
            f"Proves {own['n_proved'] - second['n_proved']} more than the next, {_short(table, rivals[0])}."
        )
    return f"The next takes {second['par2'] / own['par2']:.2g} times as long: {_short(table, rivals[0])}."


def _short(table: pd.DataFrame, name: str) -> str:
    return f"{name} ({proved_text(table, name)}, PAR2 {seconds_text(table.loc[name, 'par2'])})"


def proved_text(table: pd.DataFrame, name: str) -> str:
    """Return such as ``25 of 25``."""
    row: Any = table.loc[name]
    return f"{row['n_proved']} of {row['n_tasks']}"


def headline(benchmark: Benchmark) -> str:
    """Return who is best, and whether that is shown, in a sentence."""
    if benchmark.runs.empty:
        return "There are no runs yet."
    found = advice(benchmark.runs)
    first, table = found.first, found.table
    if not table.loc[first, "n_proved"]:
        return "No solver is best: none proved anything of all tasks. See each kind of problem."
    limits = ", ".join(f"{limit:g}" for limit in sorted(set(benchmark.runs["limit"])))
    said = f"{first} proves most: {proved_text(table, first)} in {limits} s"
    said += f", PAR2 {seconds_text(table.loc[first, 'par2'])}."
    if len(table) == 1 or not (found.alike or found.is_shown):
        return f"{said} This is not shown to be better: no other that proves was given all tasks."
    if found.n_instances < FEWEST_INSTANCES:
        return f"{said} This is not shown: {FEWEST_INSTANCES} instances are needed, there are fewer."
    if found.alike:
        named = " and ".join(found.alike[:MOST_NAMED])
        return f"{said} This is not shown: the difference to {named} is not significant."
    return f"{said} This is shown: all others cost more (95%, bootstrap over instances)."


def seconds_text(seconds: Any) -> str:
    """Return seconds with as many digits as matter."""
    if seconds is None or np.isnan(seconds):
        return "–"
    for limit, digits in ((0.0995, 3), (9.95, 2 if seconds < 0.995 else 1)):
        if seconds < limit:
            return f"{seconds:.{digits}f} s"
    return f"{seconds:,.0f} s"
