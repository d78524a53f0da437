"""Benchmarks: suites of runs, each in a process of its own, that survive a kill and are checked afterwards.

`suite_runs.run_suite` makes the runs of a suite file, `check_records.check_folder` verifies every result from
the instance files, and `report.report` describes results that have been checked.

Making runs: `suite`, `instances`, `store`, `suite_runs` and what it runs (`worker`), `provenance` (on what
they were made).
Checking them: `recheck` (one record by itself), `claims` (all statements against all verified sets).
`compare` runs solvers in this process, without a suite, and `lab` tries edited models.
"""

from pyfsel.bench.check_records import CheckReport, check_folder
from pyfsel.bench.report import changes, report
from pyfsel.bench.suite import RunSpec, read_suite
from pyfsel.bench.suite_runs import run_suite

__all__ = [
    "CheckReport",
    "RunSpec",
    "changes",
    "check_folder",
    "read_suite",
    "report",
    "run_suite",
]
