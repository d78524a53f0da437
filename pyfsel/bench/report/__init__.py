"""Reports of checked benchmarks: for the terminal, and as a page with figures.

`frame.load_benchmark` reads what the check has passed as one table; `contenders` has who is best and how sure
that is; `figures` draws; `bench_page.report` puts it together; `changes` compares two benchmarks.
"""

from pyfsel.bench.report.bench_page import report
from pyfsel.bench.report.changes import changes

__all__ = ["changes", "report"]
