"""The report of a benchmark: an answer for the terminal, and one HTML page with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyfsel.bench.claims import RunOutcome
from pyfsel.bench.report.contenders import MOST_NAMED, headline, proved_text, ranking, scores, seconds_text
from pyfsel.bench.report.figures import figures_of, printable, svg_of
from pyfsel.bench.report.frame import Benchmark, load_benchmark
from pyfsel.errors import InputError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import number_of
from pyfsel.problem.text_files import write_text, writing
from pyfsel.results.backend_answer import Status
from pyfsel.results.display import SetsTable, templates

if TYPE_CHECKING:
    import pandas as pd

PAGE = "report.html"
MOST_FAILURES = 30
N_SHOWN = 5  # columns of the table of solvers that fit a terminal
SOLVERS = ("solver", "proved", "best sets", "PAR2", "wrong claims", "beyond")
VERIFIED = "No faults and no contradictions: every set verified, every bound held against all verified sets."


class Section(NamedTuple):
    """A table under a heading, whose first columns are words."""

    title: str
    caption: str
    heads: Sequence[str]
    rows: list[list[str]]
    n_words: int = 1


def report(folder: str | Path, output: str | Path | None = None) -> Evaluation:
    """Write the report of a checked benchmark, and return what the terminal shows of it.

    Parameters
    ----------
    folder : path
        The folder of the benchmark.
    output : path, optional
        An HTML file, or a folder that gets `report.html`: the folder of the benchmark unless given.

    Returns
    -------
    Evaluation
        One row for each solver, the best first: tasks proved, best known sets found, PAR2 (mean seconds, two
        time limits without a proof), and wrong claims. `details["files"]` has the path.

    Raises
    ------
    InputError
        If the results have not been checked as they are now, or a file cannot be written.
    PyfselError
        If matplotlib is not installed.
    """
    path = Path(folder if output is None else output)
    if path.suffix.lower() == ".md":
        raise InputError(f"output={str(path)!r}: is Markdown. Expected .html, or a folder")
    benchmark = load_benchmark(folder)
    path = path if path.suffix.lower() in (".html", ".htm") else path / PAGE
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, draw_page(benchmark))
    return evaluation(benchmark, path)


def evaluation(benchmark: Benchmark, path: Path) -> Evaluation:
    """Return a benchmark as it is shown in a terminal."""
    found, runs = benchmark.findings, benchmark.runs
    table = SetsTable(SOLVERS[:N_SHOWN], ("solver",))
    for cells in [] if runs.empty else _solvers(runs).rows:
        table.add_row(cells[:N_SHOWN], [])
    return Evaluation(
        "bench report",
        headline(runs),
        _verdict(found),
        runs if runs.empty else scores(runs).reset_index(),
        runs,
        tables=(table,),
        cautions=(*found, *_doubts(benchmark)),
        status="CHECK" if found else "CHECKED",
        facts=[("file", str(path))],
        details={"files": [str(path)]},
    )


def _doubts(benchmark: Benchmark) -> Iterator[str]:
    """Yield what makes times or comparisons doubtful."""
    if benchmark.warning:
        yield benchmark.warning
    if benchmark.missing:
        yield f"Incomplete: {number_of(benchmark.missing, 'run')} missing."
    if n_errors := sum(outcome == RunOutcome.ERROR for outcome in benchmark.runs.get("outcome", ())):
        yield f"{number_of(n_errors, 'run')} ended in an error of a solver and so unproved."


def _verdict(findings: Sequence[str]) -> str:
    if not findings:
        return VERIFIED
    several = "s" if len(findings) > 1 else ""
    return f"{len(findings)} fault{several} or contradiction{several}: some statements are false."


def said(benchmark: Benchmark) -> Iterator[str]:
    """Yield the sentences above the tables, the answer first."""
    runs = benchmark.runs
    yield headline(runs)
    yield from (f"WARNING: {doubt}" for doubt in _doubts(benchmark))
    yield _verdict(benchmark.findings)
    if runs.empty:
        return
    if runs["certified"].notna().any():
        n_optimal = (runs["outcome"] == Status.OPTIMAL).sum()
        yield f"{runs['certified'].eq(True).sum()} of {n_optimal} optima are certified."
    sizes = ((runs[name].nunique(), noun) for name, noun in (("contender", "solver"), ("task", "task")))
    yield f"{number_of(len(runs), 'run')}: {', '.join(number_of(*size) for size in sizes)}."


def sections(runs: pd.DataFrame) -> list[Section]:
    """Return the tables of a report that have anything to show."""
    made = [] if runs.empty else [_by_kind(runs), _solvers(runs), _best_known(runs), _failures(runs)]
    return [section for section in made if section.rows]


def _by_kind(runs: pd.DataFrame) -> Section:
    rows = []
    for kind, own in runs.groupby("kind"):
        found = ranking(own)
        names = [found.first, *found.alike]
        names[MOST_NAMED:] = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        numbers = proved_text(found.own), seconds_text(found.own["par2"])
        rows.append([str(kind), " or ".join(names), found.how_sure, *numbers])
    caption = (
        "Most proved with every seed, then least PAR2, on the same tasks. One is worse if the interval of "
        "its extra PAR2 is above zero (95% for all together, bootstrap over instances)."
    )
    return Section("Which solver to use", caption, ("problems", "use", "why", "proved", "PAR2"), rows, 3)


def _solvers(runs: pd.DataFrame) -> Section:
    """Return all solvers in numbers; intervals only of those that prove and were given all tasks."""
    found, rows = ranking(runs), []
    for name, row in found.table.iterrows():
        par2, more = (named.get(str(name)) for named in (found.par2, found.beyond))
        cost = seconds_text(row["par2"]) if par2 is None else par2.text(seconds_text)
        counts = [proved_text(row), str(row["n_best"]), cost, str(row["n_wrong"])]
        rows.append([str(name), *counts, "–" if more is None else more.text(seconds_text)])
    caption = (
        "PAR2 and by how much it is beyond the first solver's, with 95% intervals in brackets, by bootstrap "
        "over instances: how much another sample of such instances could change."
    )
    return Section("How sure is this", caption, SOLVERS, rows)


def _best_known(runs: pd.DataFrame) -> Section:
    """Return the best known answer of each question, also of the own questions of models, and by whom."""
    rows = []
    for where, own in runs.groupby(["problem", "search", "kind"]):
        problem, search, kind = map(str, where)
        best = own["best"].iloc[0]
        names = sorted(set(own.loc[own["is_best"], "contender"]))
        value = f"{abs(best[1]) if 'own question' in kind else best[1]:g}" if names else "–"
        is_proved = "proved" if own["proved"].any() else ""
        rows.append([problem, search, value, is_proved, ", ".join(names)])
    caption = "The integer objective; for a custom model's own question what the model states."
    return Section("Best known", caption, ("problem", "search", "value", "", "by"), rows, 2)


def _failures(runs: pd.DataFrame) -> Section:
    failed = runs[runs["outcome"].isin([RunOutcome.ERROR, RunOutcome.MISSING, "killed"])]
    counts = failed[["contender", "outcome", "message"]].value_counts().reset_index().head(MOST_FAILURES)
    rows = counts.astype(str).to_numpy().tolist()
    return Section("Runs that failed", "", ("solver", "outcome", "message", "runs"), rows, 3)


def draw_page(benchmark: Benchmark) -> str:
    """Return the page of a benchmark, which contains its figures; texts are shown in a safe way."""
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return printable(value) if type(value) is str else value

    drawn = [(one, Markup(svg_of(one.figure, one.title))) for one in figures_of(benchmark.runs)]
    template = templates("pyfsel.bench", finalize=shown).get_template("page.html.jinja")
    tables, about = sections(benchmark.runs), benchmark.about
    given = {"findings": benchmark.findings, "sections": tables, "about": about, "drawings": drawn}
    return template.render(title=benchmark.name, said=list(said(benchmark)), **given)
