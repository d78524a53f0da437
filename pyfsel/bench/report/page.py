"""The report as one HTML page, and its figures as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from pyfsel.backends import registry
from pyfsel.bench.report.advice import ALIKE_RATIO, ALIKE_SECONDS, Advice, Adviser
from pyfsel.bench.report.figures import Drawing, figures_of, page_colours, pairs_of, require_libraries
from pyfsel.bench.report.runs import Benchmark, Kind, load_benchmark
from pyfsel.bench.report.scores import printable, seconds_text
from pyfsel.bench.report.statuses import (
    COMPARISON_HEADS,
    CONTENDER_HEADS,
    STATUSES,
    comparison_rows,
    contender_rows,
    failures,
    matrix_rows,
    status_rows,
    unsupporting,
)
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.text_files import replacing, write_text, writing
from pyfsel.results.pages import templates

TEMPLATE = "page.html.jinja"
PAGE = "report.html"
MOST_FAILURES = 30
SEARCH_WORDS = {
    "sequential": "one set after another, each the best one that is dissimilar enough to those before it",
    "simultaneous": "all sets at once, with the best sum of their qualities, or the best worst set (min)",
}
Entry = tuple[str, str]


@dataclass(frozen=True)
class Section:
    """Figures under one heading."""

    title: str
    drawings: Sequence[Drawing]


def write_page(folder: str | Path, output: str | Path | None = None) -> Path:
    """Write the report of a checked benchmark: one HTML page, and beside it its figures as SVG and PDF.

    Parameters
    ----------
    folder : path
        The folder of the benchmark.
    output : path, optional
        An HTML file, whose name becomes the title, or a folder that gets `report.html`; the folder of the
        benchmark if not given. The figures of ``NAME.html`` are in the folder ``NAME_figures`` beside it.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError
        If the results have not been checked as they are now, or a file cannot be written.
    PyfselError
        If matplotlib, Jinja2 or scikit-posthocs are not installed (``pip install 'pyfsel[plots]'``).
    """
    require_libraries()
    benchmark = load_benchmark(folder)
    path = _page_path(Path(folder if output is None else output))
    if path.name != PAGE:
        benchmark = replace(benchmark, name=path.stem)
    figures = path.with_name(f"{path.stem}_figures")
    page, drawings = draw_page(benchmark, figures.name)
    with writing(path):
        figures.mkdir(parents=True, exist_ok=True)
        for drawing in drawings:
            write_text(figures / f"{drawing.name}.svg", drawing.svg)
            (figures / f"{drawing.name}.pdf").write_bytes(drawing.pdf)
    with replacing(path) as draft:
        draft.write_text(page, encoding="utf-8", errors="replace")
    return path


def draw_page(benchmark: Benchmark, figures: str) -> tuple[str, list[Drawing]]:
    """Return the page of a benchmark, and its figures; the page links to files in the folder `figures`."""
    sections = _sections(benchmark)
    page = _render(benchmark, sections, figures)
    return page, [drawing for section in sections for drawing in section.drawings]


def _page_path(output: Path) -> Path:
    return output if output.suffix.lower() in (".html", ".htm") else output / PAGE


def _sections(benchmark: Benchmark) -> list[Section]:
    return [Section("All runs", figures_of(benchmark)), Section("Pairs of backends", pairs_of(benchmark))]


def _render(benchmark: Benchmark, sections: Sequence[Section], figures: str) -> str:
    from markupsafe import Markup

    environment = templates(
        "pyfsel.bench", finalize=lambda value: printable(value) if type(value) is str else value
    )
    environment.filters["seconds"] = seconds_text
    drawn = {d.name: Markup(_inline(d)) for section in sections for d in section.drawings}
    return environment.get_template(TEMPLATE).render(
        **_content(benchmark), sections=sections, figures=figures, drawn=drawn
    )


def _inline(drawing: Drawing) -> str:
    """Return a figure as an element of the page, from which it takes its colours."""
    svg = drawing.svg[drawing.svg.index("<svg") :]
    for name, (light, _) in page_colours().items():
        svg = svg.replace(light, f"var(--{name})")
    return svg.replace("<svg", f'<svg role="img" aria-label={quoteattr(printable(drawing.title))}', 1)


def _content(benchmark: Benchmark) -> dict[str, Any]:
    failed = failures(benchmark)
    adviser = Adviser(benchmark)
    advice = adviser.by_kind()
    return {
        "benchmark": benchmark,
        "alike_ratio": ALIKE_RATIO,
        "alike_seconds": ALIKE_SECONDS,
        "colours": page_colours(),
        "tasks": {run.task for run in benchmark.runs},
        "repetitions": benchmark.repetitions,
        "limits": sorted({run.task.time_limit for run in benchmark.runs}),
        "headline": adviser.headline(),
        "overall": adviser.overall(),
        "advice": advice,
        "words": words_of_kinds(benchmark.kinds),
        "recommended": recommended_backends(advice),
        "status_heads": [*map(str, STATUSES), "other"],
        "comparison_heads": COMPARISON_HEADS,
        "comparison_rows": comparison_rows(benchmark),
        "matrix": matrix_rows(benchmark),
        "kinds": list(benchmark.kinds),
        "status_rows": status_rows(benchmark),
        "unsupporting": unsupporting(benchmark),
        "contender_heads": CONTENDER_HEADS,
        "contender_rows": contender_rows(benchmark),
        "failures": failed[:MOST_FAILURES],
        "more_failures": len(failed[MOST_FAILURES:]),
    }


def words_of_kinds(kinds: Iterable[Kind]) -> list[Entry]:
    """Return the words in the names of some kinds of problems, and what they mean.

    Examples
    --------
    >>> words_of_kinds([Kind("cfs", "one set")])
    [('CFS', 'the relevance of the features relative to the correlation between them')]
    """
    kinds = list(kinds)
    objectives = dict.fromkeys(kind.objective for kind in kinds)
    known = [OBJECTIVES[name] for name in objectives if name in OBJECTIVES]
    entries = [(objective.title, objective.meaning) for objective in known]
    searches = dict.fromkeys(kind.search for kind in kinds)
    return entries + [(search, SEARCH_WORDS[search]) for search in searches if search in SEARCH_WORDS]


def recommended_backends(advice: Iterable[Advice]) -> list[Entry]:
    """Return the backends that do the work of what is recommended, and what they are."""
    known = registry()
    names = {name for line in advice if not line.found_nothing for name in line.first.solvers}
    return [(name, known[name].summary) for name in sorted(names) if name in known]
