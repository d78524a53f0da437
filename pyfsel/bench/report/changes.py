"""What changed between two benchmarks of the same runs, such as of two versions of this package."""

from __future__ import annotations

from math import exp, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.bench.report.frame import load_benchmark
from pyfsel.bench.report.scores import Interval, intervals, task_table
from pyfsel.errors import InputError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.results.display import SetsTable

if TYPE_CHECKING:
    import pandas as pd

SHIFT = 0.1  # seconds added to both times, so runs of milliseconds do not decide
HEADS = ("solver", "tasks", "before", "now", "CPU time", "difference")


def changes(old: str | Path, new: str | Path, fail_above: float | None = None) -> Evaluation:
    """Say what changed between two checked benchmarks of the same runs: proofs, answers, and CPU time.

    Parameters
    ----------
    old, new : path
        Their folders.
    fail_above : float, optional
        The status is CHECK if a solver lost proofs, answers otherwise, or is shown to take more than this
        many times the CPU time.

    Returns
    -------
    Evaluation
        One row for each solver; `ratio` is the CPU time now by that before: the shifted geometric mean over
        the tasks proved in both, with its 95% bootstrap interval over instances.

    Raises
    ------
    InputError
        If one has not been checked as it is now, or they have no run in common.
    """
    import pandas as pd

    before, now = (load_benchmark(folder).runs for folder in (old, new))
    both = before.merge(now, on=["contender", "trial"], suffixes=("", "_now"))
    if both.empty:
        raise InputError(f"{new}: has no run in common with {old}")
    rows = [_change(str(name), own) for name, own in both.groupby("contender")]
    frame = pd.DataFrame(rows)
    table = SetsTable(HEADS, ("solver", "difference"))
    for row in rows:
        ratio = (
            "–"
            if row["ratio"] is None
            else Interval(row["ratio"], row["low"], row["high"]).text("{:.2f}".format)
        )
        counts = [str(row[name]) for name in ("n_tasks", "proved_before", "proved_now")]
        table.add_row([str(row["solver"]), *counts, ratio, str(row["difference"])], [])
    worse = [str(row["solver"]) for row in rows if fail_above is not None and _is_worse(row, fail_above)]
    return Evaluation(
        "bench compare",
        f"{', '.join(worse)} did worse" if worse else "What changed between two benchmarks",
        f"{len(both)} runs of both: tasks proved before and now, CPU time over those proved in both (95%).",
        frame,
        frame,
        tables=(table,),
        status="CHECK" if worse else "ESTIMATE",
        details={"worse": worse},
    )


def _change(name: str, own: pd.DataFrame) -> dict[str, Any]:
    proved = own[own["proved"] & own["proved_now"]]
    times = (np.log(proved[column] + SHIFT) for column in ("cpu_seconds_now", "cpu_seconds"))
    ratio = None
    if len(proved):
        logs = intervals(task_table(proved.assign(ratio=next(times) - next(times)), "ratio"))[name]
        ratio = Interval(*map(exp, logs))
    together = proved[proved["search"] != "sequential"]
    differ = (together["outcome"] != together["outcome_now"]) | (together["answer"] != together["answer_now"])
    counts = own.groupby("task")[["proved", "proved_now"]].all().sum()
    answers = ", ".join(together.loc[differ, "problem"])
    return {
        "solver": name,
        "n_tasks": own["task"].nunique(),
        "proved_before": int(counts["proved"]),
        "proved_now": int(counts["proved_now"]),
        "ratio": None if ratio is None else ratio.mean,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None else ratio.high,
        "other_answers": answers,
        "difference": f"other answers: {answers}" if answers else _words(ratio),
    }


def _is_worse(row: dict[str, Any], factor: float) -> bool:
    low, lost = row["low"], row["proved_now"] < row["proved_before"]
    return lost or bool(row["other_answers"]) or (isinstance(low, float) and low > factor)


def _words(ratio: Interval | None) -> str:
    if ratio is None:
        return "nothing was proved in both"
    if isnan(ratio.low):
        return "too few instances to show one"
    if ratio.low > 1:
        return f"slower by {ratio.low - 1:.0%} to {ratio.high - 1:.0%}"
    if ratio.high < 1:
        return f"faster by {1 - ratio.high:.0%} to {1 - ratio.low:.0%}"
    return "no difference shown"
