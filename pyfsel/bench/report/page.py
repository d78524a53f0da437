"""The report of a benchmark: an answer for the terminal, one HTML page with its figures, or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsel.bench.claims import Outcome
from pyfsel.bench.report.figures import Drawing, figures_of, printable, require_libraries
from pyfsel.bench.report.frame import Benchmark, load_benchmark
from pyfsel.bench.report.scores import (
    advice,
    borda,
    excesses,
    headline,
    intervals,
    proved_text,
    scores,
    seconds_text,
    task_table,
)
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.text_files import replacing, write_text, writing
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import Status
from pyfsel.results.display import SetsTable
from pyfsel.results.pages import templates

if TYPE_CHECKING:
    import pandas as pd

PAGE = "report.html"
MOST_FAILURES = 30
SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_<>|#[]"})
VERIFIED = "No faults and no contradictions: every set verified, every bound held against all verified sets."


@dataclass(frozen=True)
class Section:
    """A table under a heading, whose first columns are words; a folded one is for the curious."""

    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_words: int = 1
    folded: bool = False


def report(folder: str | Path, output: str | Path | None = None) -> Evaluation:
    """Write the report of a checked benchmark, and return what the terminal shows of it.

    Parameters
    ----------
    folder : path
        The folder of the benchmark.
    output : path, optional
        An HTML file, whose name becomes the title; a Markdown file; or a folder that gets `report.html`, the
        folder of the benchmark unless given. The figures of ``NAME.html`` are in ``NAME_figures`` beside it.

    Returns
    -------
    Evaluation
        One row for each solver, the best first: tasks proved, best known sets found, PAR2 (mean seconds, two
        time limits without a proof), and wrong claims. `details["files"]` has the paths.

    Raises
    ------
    InputError
        If the results have not been checked as they are now, or a file cannot be written.
    PyfselError
        If matplotlib is not installed, for an HTML page.
    """
    benchmark = load_benchmark(folder)
    path = Path(folder if output is None else output)
    if path.suffix.lower() == ".md":
        write_text(path, markdown(benchmark))
        return evaluation(benchmark, [path])
    return evaluation(benchmark, [write_page(folder, path)])


def evaluation(benchmark: Benchmark, files: Sequence[Path] = ()) -> Evaluation:
    """Return a benchmark as it is shown in a terminal."""
    found = benchmark.findings
    cautions = [*found, *([benchmark.warning] if benchmark.warning else []), *_incomplete(benchmark)]
    table = SetsTable(("solver", "proved", "best sets", "PAR2", "wrong claims"), ("solver",))
    frame = benchmark.runs if benchmark.runs.empty else scores(benchmark.runs).reset_index()
    for row in frame.to_dict("records"):
        numbers = [str(row["n_proved"]), str(row["n_best"]), seconds_text(row["par2"]), str(row["n_wrong"])]
        table.add_row([str(row["contender"]), *numbers], [])
    return Evaluation(
        "bench report",
        headline(benchmark),
        f"{number_of(len(found), 'fault or contradiction')}." if found else VERIFIED,
        frame,
        benchmark.runs,
        tables=(table,),
        cautions=tuple(cautions),
        status="CHECK" if found else "CHECKED",
        facts=[("files", ", ".join(map(str, files)))] if files else [],
        details={"files": [str(path) for path in files]},
    )


def _certified(runs: pd.DataFrame) -> list[str]:
    """Return how many of the runs with an optimum are certified, if certificates were requested."""
    if runs.empty or runs["certified"].isna().all():
        return []
    n_optimal = (runs["outcome"] == Status.OPTIMAL).sum()
    return [f"{runs['certified'].eq(True).sum()} of {n_optimal} optima are certified."]


def _incomplete(benchmark: Benchmark) -> Iterator[str]:
    if benchmark.missing:
        yield f"Incomplete: {number_of(benchmark.missing, 'run')} missing."
    if benchmark.n_errors:
        yield f"{number_of(benchmark.n_errors, 'run')} ended in an error of a solver and so unproved."


def sections(benchmark: Benchmark) -> list[Section]:
    """Return the tables of a report."""
    runs = benchmark.runs
    if runs.empty:
        return []
    made = [
        _by_kind(runs),
        _how_sure(runs),
        _proved_by_kind(runs),
        _best_known(runs),
        _failures(runs),
    ]
    return [section for section in made if section.rows]


def _by_kind(runs: pd.DataFrame) -> Section:
    rows = []
    for kind, own in runs.groupby("kind"):
        found, sizes = advice(own), sorted(set(own["n_features"]))
        features = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        proved = proved_text(found.table, found.first)
        par2 = seconds_text(found.table.loc[found.first, "par2"])
        rows.append([str(kind), features, found.use, found.why, proved, par2])
    heads = ("problems", "features", "use", "why", "proved", "PAR2")
    caption = (
        "Most proved with every seed, then least PAR2, on the same tasks. One is worse if the interval of "
        "its extra PAR2 is above zero (95% for all together, bootstrap over instances)."
    )
    return Section("Which solver to use", caption, heads, rows, n_words=4)


def _how_sure(runs: pd.DataFrame) -> Section:
    proving = runs[runs.groupby("contender")["exact"].transform("any") & runs["supported"]]
    full = proving.groupby("contender")["task"].nunique()
    proving = proving[proving["contender"].isin(full.index[full == runs["task"].nunique()])]
    costs = task_table(proving) if len(proving) else proving
    rows: list[list[str]] = []
    if costs.shape[1] > 1 and len(proving):
        par2 = intervals(costs)
        proved = intervals(100 * task_table(proving.assign(proved=proving["proved"].astype(float)), "proved"))
        names = sorted(par2, key=lambda name: par2[name].mean)
        beyond, points = excesses(costs, names[0]), borda(proving)
        for name in names:
            more = beyond[name].text(seconds_text) if name in beyond else "–"
            numbers = [proved[name].text("{:.0f}".format), par2[name].text(seconds_text), more]
            rows.append([name, *numbers, f"{points[name]:.2f}"])
        best = intervals(costs.min(axis=1).to_frame("best"))["best"]
        rows.append(["virtual best", "–", best.text(seconds_text), "–", "–"])
    caption = (
        "In brackets 95% intervals, by bootstrap over instances: how much another sample of such instances "
        "could change. The virtual best takes the fastest solver for each task. Borda: points per task "
        "against each other solver, as the MiniZinc Challenge counts them."
    )
    return Section(
        "How sure is this", caption, ("solver", "tasks proved, %", "PAR2", "beyond the first", "Borda"), rows
    )


def _proved_by_kind(runs: pd.DataFrame) -> Section:
    groups = runs[runs["supported"]].groupby(["contender", "kind"])
    cells = {}
    for where, own in groups[["exact", "proved", "is_best"]]:
        reached = own["proved" if own["exact"].any() else "is_best"].sum()
        cells[where] = f"{reached}/{len(own)}{'' if own['exact'].any() else '*'}"
    kinds = sorted(set(runs["kind"]))
    rows = [[name, *(cells.get((name, kind), "") for kind in kinds)] for name in scores(runs).index]
    caption = "Runs proved, of those supported; of heuristics (*) the runs with the best known sets."
    return Section("Who proves what", caption, ("solver", *kinds), rows if len(kinds) > 1 else [])


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
    caption = "The integer objective; of a question of your own model what the model states."
    return Section("Best known", caption, ("problem", "search", "value", "", "by"), rows, 2, True)


def _failures(runs: pd.DataFrame) -> Section:
    failed = runs[(runs["outcome"] == Outcome.ERROR) | runs["outcome"].isin(["killed", "missing"])]
    counts = failed[["contender", "outcome", "message"]].value_counts().reset_index().head(MOST_FAILURES)
    rows = counts.astype(str).to_numpy().tolist()
    return Section("Runs that failed", "", ("solver", "outcome", "message", "runs"), rows, 3)


def write_page(folder: str | Path, output: str | Path | None = None) -> Path:
    """Write the report of a checked benchmark as an HTML page with its figures; see `report`."""
    require_libraries()
    benchmark = load_benchmark(folder)
    path = Path(folder if output is None else output)
    path = path if path.suffix.lower() in (".html", ".htm") else path / PAGE
    figures = path.with_name(f"{path.stem}_figures")
    page, drawings = draw_page(benchmark, figures.name, "" if path.name == PAGE else path.stem)
    with writing(path):
        figures.mkdir(parents=True, exist_ok=True)
        for drawing in drawings:
            write_text(figures / f"{drawing.name}.svg", drawing.svg)
    with replacing(path) as draft:
        draft.write_text(page, encoding="utf-8", errors="replace")
    return path


def draw_page(benchmark: Benchmark, figures: str, title: str = "") -> tuple[str, list[Drawing]]:
    """Return the page of a benchmark, and its figures; the page links to files in the folder `figures`."""
    from markupsafe import Markup

    drawings = figures_of(benchmark.runs)
    environment = templates(
        "pyfsel.bench", finalize=lambda value: printable(value) if type(value) is str else value
    )
    page = environment.get_template("page.html.jinja").render(
        title=title or benchmark.name,
        said=_said(benchmark),
        findings=benchmark.findings,
        sections=sections(benchmark),
        drawings=[(drawing, Markup(drawing.svg[drawing.svg.index("<svg") :])) for drawing in drawings],
        figures=figures,
        about=benchmark.about,
    )
    return page, drawings


def _said(benchmark: Benchmark) -> list[str]:
    """Return the sentences above the tables, the answer first."""
    runs = benchmark.runs
    found = number_of(len(benchmark.findings), "fault or contradiction")
    verdict = f"{found}: some statements are false." if benchmark.findings else VERIFIED
    warning = [f"WARNING: {benchmark.warning}"] if benchmark.warning else []
    parts = [headline(benchmark), *warning, verdict, *_certified(runs), *_incomplete(benchmark)]
    if not runs.empty:
        sizes = ((runs[name].nunique(), noun) for name, noun in (("contender", "solver"), ("task", "task")))
        parts.append(f"{number_of(len(runs), 'run')}: {', '.join(number_of(*size) for size in sizes)}.")
    return [part for part in parts if part]


def report_folder(folder: str | Path) -> str:
    """Return the results of a benchmark as Markdown; raise `InputError` if they have not been checked."""
    return markdown(load_benchmark(folder))


def markdown(benchmark: Benchmark) -> str:
    """Return a report as Markdown."""
    lines = ["# Benchmark", ""]
    for text in _said(benchmark):
        lines += [_escaped(text), ""]
    lines += [*(f"- {_escaped(text)}" for text in benchmark.findings), ""]
    for section in sections(benchmark):
        lines += [f"## {section.title}", "", *table_lines(section), ""]
    return "\n".join([*lines, *map(_escaped, benchmark.about[:2]), ""])


def table_lines(section: Section) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    rule = ["---"] * section.n_words + ["---:"] * (len(section.heads) - section.n_words)
    for cells in (section.heads, rule, *section.rows):
        shown = cells if cells is rule else map(_escaped, cells)
        yield f"| {' | '.join(shown)} |"


def _escaped(text: str) -> str:
    return printable(text).translate(SPECIAL)
