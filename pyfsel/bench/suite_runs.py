"""Making the runs of a suite, each in a process of its own, and going on where an earlier call ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from pyfsel.bench.processes import make_runs
from pyfsel.bench.store import INSTANCES, SUITE, opened, read_records, read_specs
from pyfsel.bench.suite import RunSpec, Suite, read_suite
from pyfsel.errors import InputError
from pyfsel.problem.text_files import write_text

OnRun = Callable[[RunSpec, str, int, int], None]


def run_suite(
    suite_file: str | Path,
    folder: str | Path,
    *,
    n_jobs: int | None = None,
    certify: bool = False,
    pin: bool = False,
    part: tuple[int, int] = (1, 1),
    on_run: OnRun = lambda spec, outcome, done, total: None,
) -> int:
    """Make the runs of a suite that the folder lacks; the suite may extend the folder's.

    Parameters
    ----------
    suite_file : path
        A suite.
    folder : path
        Gets the instances, the list of runs and the results; made if missing.
    n_jobs : int, optional
        Runs at the same time: one if not given.
    certify : bool
        Each run certifies what it has proved as well, within a time limit of its own.
    pin : bool
        Each run has one core of this machine, which no other run has.
    part : (int, int)
        Which part of how many: ``(3, 64)`` makes the third run of each 64. Each part has its own results
        file, so parts may share a folder, or be copied into one.
    on_run : callable
        Called after each run with its specification, its outcome, and how many of how many are done.

    Returns
    -------
    int
        Number of runs made by this call.

    Raises
    ------
    InputError
        If the suite is not valid, the folder holds runs that it has not, or is in use.
    """
    folder = Path(folder)
    number, of = part
    if not 1 <= number <= of:
        raise InputError(f"part={number}/{of}: must be N/M with N from 1 to M")
    suite = read_suite(suite_file, folder / INSTANCES)
    if certify:
        suite = replace(suite, runs=tuple(replace(spec, certify=True) for spec in suite.runs))
    with opened(folder, part) as append:
        _write_runs(folder, suite)
        done = {record["id"] for record in read_records(folder)}
        todo = [spec for spec in suite.runs[number - 1 :: of] if spec.id not in done]
        total = len(suite.runs)
        with closing(make_runs(todo, suite.instances, n_jobs or 1, pin)) as made:
            for n_done, (spec, record) in enumerate(made, total - len(todo) + 1):
                append(record)
                on_run(spec, record["outcome"], n_done, total)
    return len(todo)


def _write_runs(folder: Path, suite: Suite) -> None:
    """Write the list of runs, or find out that the folder belongs to a suite which has others."""
    path = folder / SUITE
    text = json.dumps([{"id": spec.id, **spec.to_dict()} for spec in suite.runs], indent=1) + "\n"
    earlier = read_specs(folder) if path.exists() else {}
    lost = [spec for number, spec in earlier.items() if number not in {spec.id for spec in suite.runs}]
    if lost:
        raise InputError(
            f"{folder}: holds results of another suite, such as {lost[0].solver} on {lost[0].problem_name}. "
            "Choose another folder, or a suite that has its runs and more"
        )
    write_text(path, text)
