"""Reports of checked benchmarks: for the terminal, as a page with figures, or as Markdown.

`frame.load_benchmark` reads what the check has passed as one table; `scores` has who is best and how sure
that is; `figures` draws; `page.report` puts it together; `changes` compares two benchmarks.
"""

from pyfsel.bench.report.changes import changes
from pyfsel.bench.report.page import report

__all__ = ["changes", "report"]
