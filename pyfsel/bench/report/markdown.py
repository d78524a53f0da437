"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pyfsel.bench.report.advice import Adviser
from pyfsel.bench.report.runs import Benchmark, load_benchmark
from pyfsel.bench.report.scores import printable, seconds_text
from pyfsel.bench.report.statuses import COMPARISON_HEADS, CONTENDER_HEADS, comparison_rows, contender_rows
from pyfsel.problem.wording import number_of

ADVICE_HEADS = ("problems", "features", "use", "proved", "PAR2", "why")
WORDS, NUMBERS = "---", "---:"
ADVICE_COLUMNS = (WORDS, WORDS, WORDS, NUMBERS, NUMBERS, WORDS)
CONTENDER_COLUMNS = (WORDS, WORDS, *[NUMBERS] * (len(CONTENDER_HEADS) - 2))
SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_<>|#[]"})


def report_folder(folder: str | Path) -> str:
    """Return the results of a benchmark as Markdown: contradictions first, then what to use, then numbers.

    Raises
    ------
    InputError
        If the results have not been checked as they are now.
    """
    return markdown(load_benchmark(folder))


def markdown(benchmark: Benchmark) -> str:
    """Return a report as Markdown."""
    found = benchmark.findings
    lines = ["# Benchmark", "", _escaped(Adviser(benchmark).headline()), ""]
    lines += [f"WARNING: {benchmark.warning}", ""] if benchmark.warning else []
    lines += [f"{len(found)} faults and contradictions" if found else "No faults and no contradictions."]
    lines += ["", *(f"- {_escaped(text)}" for text in found), *([""] if found else [])]
    if benchmark.n_errors:
        lines += [
            f"{number_of(benchmark.n_errors, 'run')} ended in an error of a backend and so unproved.",
            "",
        ]
    lines += [benchmark.certified, ""] if benchmark.certified else []
    if benchmark.missing:
        lines += [f"Incomplete: {number_of(benchmark.missing, 'run')} missing.", ""]
    lines += [
        "## Which backend to use",
        "",
        *_table(ADVICE_HEADS, _advice_rows(benchmark), ADVICE_COLUMNS),
        "",
    ]
    compared = comparison_rows(benchmark)
    if compared:
        lines += ["## How sure is this", "", *text_table(COMPARISON_HEADS, compared), ""]
    lines += ["## All runs", "", *_table(CONTENDER_HEADS, contender_rows(benchmark), CONTENDER_COLUMNS), ""]
    lines += [f"Machine: {_escaped(machine)}" for machine in benchmark.machines]
    if benchmark.versions:
        lines.append(f"Versions: {_escaped(', '.join(benchmark.versions))}")
    return "\n".join([*lines, ""])


def _advice_rows(benchmark: Benchmark) -> Iterable[list[str]]:
    for advice in Adviser(benchmark).by_kind():
        assert advice.kind is not None
        first = advice.first
        yield [
            advice.kind.label,
            advice.sizes_text,
            advice.use,
            first.proved_text,
            seconds_text(first.par2),
            advice.why,
        ]


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose first column is words, and the others numbers."""
    columns = (WORDS, *[NUMBERS] * (len(heads) - 1))
    return _table(heads, rows, columns)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], columns: Sequence[str]) -> list[str]:
    return [_line(heads), _line(columns), *(_line([_escaped(cell) for cell in row]) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return printable(text).translate(SPECIAL)
