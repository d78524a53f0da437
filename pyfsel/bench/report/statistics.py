"""How sure a comparison of contenders is.

The sample are instances. Runs of a task that differ in their seed are repetitions and averaged; the tasks of
an instance (variations, limits) resemble each other and are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyfsel.bench.report.runs import PAR_FACTOR, Benchmark, BenchRun
from pyfsel.bench.report.scores import by_contender, by_task, proving

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
N_RESAMPLES = 1999
BATCH = 200  # resamples in memory at once


class Interval(NamedTuple):
    """A mean over tasks and its bootstrap interval over instances, NaN if there is one instance."""

    mean: float
    low: float
    high: float

    def text(self, shown: Callable[[float], str]) -> str:
        """Return the mean, with the interval in brackets if there is one."""
        if np.isnan(self.low):
            return shown(self.mean)
        return f"{shown(self.mean)} [{shown(self.low)}, {shown(self.high)}]"


def compared(benchmark: Benchmark) -> tuple[pd.DataFrame, list[BenchRun]]:
    """Return costs and runs of the contenders that can prove something and were given every task.

    Seeds are repetitions: a contender that has fewer of them is compared by those that it has.
    """
    tasks = {run.task for run in benchmark.runs}
    groups = proving(benchmark.runs).values()
    runs = [run for own in groups if {run.task for run in own} == tasks for run in own]
    return task_table(runs), runs


def task_table(
    runs: Iterable[BenchRun], number_of: Callable[[BenchRun], float] = lambda run: run.cost
) -> pd.DataFrame:
    """Return a number of the runs, their cost in seconds if nothing else is said: tasks x contenders.

    Of repetitions the mean counts; tasks that not all contenders were given are left out. Rows are indexed by
    instance, id and time limit.
    """
    import pandas as pd

    names = ["instance", "task", "limit", "contender"]
    rows = [
        (run.task.instance, run.task.id, run.task.time_limit, run.contender, number_of(run)) for run in runs
    ]
    table = pd.DataFrame(rows, columns=[*names, "number"])
    return table.pivot_table(index=names[:3], columns="contender", values="number").dropna()


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
            batch=BATCH,
            confidence_level=confidence,
            random_state=0,
        )
        low, high = found.confidence_interval
    means = table.mean()
    return {
        name: Interval(float(means[name]), float(a), float(b))
        for name, a, b in zip(table.columns, low, high, strict=True)
    }


def excesses(table: pd.DataFrame, first: str) -> dict[str, Interval]:
    """Return by how much the cost of the others exceeds that of one contender, per task.

    The intervals hold for all of them together (Bonferroni), as the one may have been chosen for its cost.
    """
    others = table.drop(columns=first)
    return intervals(others.sub(table[first], axis=0), 1 - (1 - CONFIDENCE) / max(1, others.shape[1]))


def shown_worse(table: pd.DataFrame, first: str) -> set[str]:
    """Return the contenders that are shown to cost more than one of them: whose whole interval says so."""
    return {name for name, excess in excesses(table, first).items() if excess.low > 0}


def contributions(table: pd.DataFrame) -> dict[str, float]:
    """Return the share of each contender in what the virtual best saves, by its Shapley value.

    A portfolio saves on a task what its fastest member takes less than PAR2's penalty. For such a game the
    Shapley values need no subsets: the saving beyond the next best is the best one's, that beyond the third
    is shared by two, and so on (Fréchette et al., "Using the Shapley value to analyze algorithm portfolios",
    AAAI 2016).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.MultiIndex.from_tuples([("p", "t", 10.0)], names=["instance", "task", "limit"])
    >>> contributions(pd.DataFrame({"a": [10.0], "b": [16.0], "c": [20.0]}, index=rows))
    {'a': 0.8, 'b': 0.2, 'c': 0.0}
    """
    penalty = PAR_FACTOR * table.index.get_level_values("limit").to_numpy()[:, None]
    savings = np.maximum(penalty - table.to_numpy(), 0)
    order = np.argsort(-savings, axis=1, kind="stable")
    ranked = np.take_along_axis(savings, order, axis=1)
    steps = (ranked - np.pad(ranked[:, 1:], ((0, 0), (0, 1)))) / np.arange(1, ranked.shape[1] + 1)
    values = np.empty_like(savings)
    np.put_along_axis(values, order, steps[:, ::-1].cumsum(axis=1)[:, ::-1], axis=1)
    total = values.sum() or 1.0
    shares = values.sum(axis=0) / total
    return {name: float(share) for name, share in zip(table.columns, shares, strict=True)}


def borda_scores(runs: Iterable[BenchRun]) -> dict[str, float]:
    """Return the score of each contender as the MiniZinc Challenge counts it, in points per task.

    Against each other contender on a task the better answer gets a point: a proof, else the better sets.
    Equal answers share it in inverse proportion to their times; two without any answer get nothing. Of
    repetitions, each of one is held against each of the other, and their mean counts.
    """
    tasks = [by_contender(own) for own in by_task(runs)]
    points: dict[str, float] = {}
    for task in tasks:
        for one, other in permutations(task, 2):
            mean = float(np.mean([_point(mine, theirs) for mine in task[one] for theirs in task[other]]))
            points[one] = points.get(one, 0.0) + mean
    return {name: total / len(tasks) for name, total in points.items()}


def _point(one: BenchRun, other: BenchRun) -> float:
    mine, theirs = _answer(one), _answer(other)
    if mine != theirs:
        return float(mine > theirs)
    if not any(mine):
        return 0.0
    total = one.seconds + other.seconds
    return other.seconds / total if total else 0.5


def _answer(run: BenchRun) -> tuple[Any, ...]:
    """Return what sorts better answers last."""
    return run.proved, run.value is not None, run.value or ()


def pairwise_tests(table: pd.DataFrame) -> pd.DataFrame:
    """Return the p-values of Wilcoxon's signed-rank tests between all pairs of columns, corrected by Holm.

    Needs scikit-posthocs.
    """
    from scikit_posthocs import posthoc_wilcoxon

    found: pd.DataFrame = posthoc_wilcoxon(list(table.to_numpy().T), p_adjust="holm", zero_method="zsplit")
    return found.set_axis(table.columns, axis=0).set_axis(table.columns, axis=1)


def survival(runs: Sequence[BenchRun]) -> tuple[list[float], list[float]]:
    """Return times, and the share of the runs proved by then (Kaplan and Meier).

    A run without a proof is censored at its limit, also if it gave up before: more time would not have
    helped it.
    """
    from scipy import stats

    times = [run.seconds if run.proved else run.task.time_limit for run in runs]
    found = stats.ecdf(stats.CensoredData.right_censored(times, [not run.proved for run in runs]))
    is_step = np.diff(found.cdf.probabilities, prepend=0) > 0
    return found.cdf.quantiles[is_step].tolist(), found.cdf.probabilities[is_step].tolist()
