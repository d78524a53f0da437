"""Reports of checked benchmarks: a page with figures, or Markdown.

`runs.load_benchmark` reads what the check has passed; `advice` says which backend to use; `figures` draws;
`changes` compares two benchmarks; `page.write_page` and `markdown.report_folder` put it together.

Parts of pages: `statuses` and `scores` (tables), `statistics` (how sure they are).
"""

from pyfsel.bench.report.markdown import report_folder
from pyfsel.bench.report.page import write_page

__all__ = ["report_folder", "write_page"]
