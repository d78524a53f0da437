"""Changes between two benchmarks of the same runs, such as of two versions of this package."""

from __future__ import annotations

from math import exp, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.bench.report.contenders import by_instance, intervals
from pyfsel.bench.report.frame import load_benchmark
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
    if before.empty or now.empty or not set(before["trial"]) & set(now["trial"]):
        raise InputError(f"{new}: has no run in common with {old}")
    both = before.merge(now, on=["contender", "trial"], suffixes=("", "_now"))
    rows = [_change(str(name), own) for name, own in both.groupby("contender")]
    table = SetsTable(HEADS, ("solver", "difference"))
    for row in rows:
        ratio = "–" if isnan(row["ratio"]) else f"{row['ratio']:.2f}"
        counts = [str(row[name]) for name in ("n_tasks", "proved_before", "proved_now")]
        table.add_row([row["solver"], *counts, ratio, row["difference"]], [])
    worse = [
        row["solver"]
        for row in rows
        if fail_above is not None
        and (row["proved_now"] < row["proved_before"] or row["other_answers"] or row["low"] > fail_above)
    ]
    frame = pd.DataFrame(rows)
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
    before, now = (np.log(proved[column] + SHIFT) for column in ("cpu_seconds", "cpu_seconds_now"))
    logs = intervals(by_instance(proved.assign(ratio=now - before), "ratio")).get(name, (nan, nan, nan))
    ratio, low, high = map(exp, logs)
    together = proved[proved["search"] != "sequential"]
    differ = (together["outcome"] != together["outcome_now"]) | (together["answer"] != together["answer_now"])
    counts = own.groupby("task")[["proved", "proved_now"]].all().sum()
    answers = ", ".join(together.loc[differ, "problem"])
    return {
        "solver": name,
        "n_tasks": own["task"].nunique(),
        "proved_before": int(counts["proved"]),
        "proved_now": int(counts["proved_now"]),
        "ratio": ratio,
        "low": low,
        "high": high,
        "other_answers": answers,
        "difference": f"other answers: {answers}" if answers else _words(ratio, low, high),
    }


def _words(ratio: float, low: float, high: float) -> str:
    if isnan(ratio):
        return "nothing was proved in both"
    if isnan(low):
        return "too few instances to show one"
    if low > 1:
        return f"slower by {low - 1:.0%} to {high - 1:.0%}"
    if high < 1:
        return f"faster by {1 - high:.0%} to {1 - low:.0%}"
    return "no difference shown"
