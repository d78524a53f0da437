"""Which searches earn their lines: what each of them proves that is not proved without it.

    python benchmarks/ablation.py records.jsonl --cases 100 --reruns 40 --minutes 60
    python benchmarks/ablation.py records.jsonl --grid fcbf --only "k=10 a=5" digits spambase.csv.gz
    python benchmarks/ablation.py records.jsonl --minutes 0 -o benchmarks/results/ablation.md

First `auto` solves the cases of the grids, drawn at random; who proved each is recorded. Then each search is
switched off in turn, for cases that it proved, those that took longest first. The grids are those of the
tables in instances/paper-000, where FCBF also takes tables as arguments. Records are kept in a file of JSON
lines, so that another run goes on where this one ends; the table is made of all of them.
"""

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from fcbf import cpu_seconds, measured

import pyfsel
from pyfsel import PyfselError
from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve
from pyfsel.solving.workers import end_idle_workers, start_workers_by_fork

ROOT = Path(pyfsel.__file__).parent
LIBRARY = Path(__file__).parents[1] / "instances" / "paper-000"
PARTS_OF_SIZE = (0.0, 0.2, 0.4, 0.6, 0.8)
AGGREGATES = ("sum", "min")
TURNS = ("packing-cpsat",)


class Case(NamedTuple):
    """A problem of a grid, and what it is called there."""

    grid: str
    name: str
    problem: Instance


class Search(NamedTuple):
    """A search that can be switched off: its files, how, and whether it had a part in a recorded proof."""

    files: tuple[str, ...]
    off: Callable[[], list[Any]]
    had_part: Callable[[dict[str, Any]], bool]


def without(*names: str) -> list[Any]:
    """Return patches that make some backends look as if they were not installed."""
    return [patch.object(get_backend(name), "missing", lambda: "switched off") for name in names]


def proved(*names: str) -> Callable[[dict[str, Any]], bool]:
    """Return whether one of these has proved a recorded case."""
    return lambda record: record["proved_by"] in names


SEARCHES = {
    "prices": Search(("algorithms/prices/",), lambda: without("prices"), proved("prices")),
    "packing": Search(
        ("algorithms/packing/",),
        lambda: without("packing", *TURNS),
        proved("packing"),
    ),
    "ksubgraph": Search(("algorithms/ksubgraph/",), lambda: without("ksubgraph"), proved("ksubgraph")),
    "turns of packing, CP-SAT": Search(
        ("backends/packing_cpsat.py",), lambda: without(*TURNS), lambda record: record["backend"] in TURNS
    ),
}


def main() -> None:
    options = parse()
    end = time.monotonic() + 60 * options.minutes
    records = (
        [json.loads(line) for line in options.records.read_text().splitlines()]
        if (options.records.exists())
        else []
    )
    if options.minutes:
        start_workers_by_fork()
        cases = list(drawn(options))
        run(cases, "", records, options, end)
        for name in options.search or SEARCHES:
            run(affected(name, cases, records, options.reruns), name, records, options, end)
    text = table(records, options.time_limit)
    print(text)
    if options.output:
        options.output.write_text(text)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("records", type=Path, help="file of JSON lines")
    parser.add_argument("tables", nargs="*", help="CSV files, or names of bundled tables, for FCBF")
    parser.add_argument("--grid", choices=GRIDS, action="append", help="all if none")
    parser.add_argument("--only", default="", help="regular expression for the names of the cases")
    parser.add_argument("--search", choices=SEARCHES, action="append", help="switched off; all if none")
    parser.add_argument("--cases", type=int, default=100, help="drawn from each grid")
    parser.add_argument("--reruns", type=int, default=40, help="of each grid, for each search")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per case")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after these")
    parser.add_argument("-o", "--output", type=Path, help="also write a Markdown file")
    parser.add_argument("--target", default="target", help="name of the target column")
    parser.add_argument("--jobs", type=int, help="processes that measure")
    return parser.parse_args()


def library(kind: str) -> Iterator[tuple[str, Instance]]:
    for file in sorted(LIBRARY.glob(f"*-{kind}.json")):
        yield file.stem, Instance.load(file)


def several(
    grid: str,
    name: str,
    problem: Instance,
    size: int,
    numbers: range,
    aggregates: tuple[str, ...] = AGGREGATES,
) -> Iterator[Case]:
    """Yield the cases of one table: numbers of sets, overlaps, aggregates."""
    if size > problem.n_features:
        return
    for n_sets in numbers:
        for overlap in sorted({int(part * size) for part in PARTS_OF_SIZE}):
            for aggregate in aggregates:
                asked = problem.replace(k=size, n_sets=n_sets, max_shared=overlap, aggregate=aggregate)
                yield Case(grid, f"{name} k={size} a={n_sets - 1} m={overlap} {aggregate}", asked)


def fcbf_cases(options: argparse.Namespace) -> Iterator[Case]:
    problems = [] if options.tables else list(library("fcbf"))
    for source in options.tables:
        name, q, r = measured(source, "mutual_info_binned", options)
        problems.append((name, make_instance(q, r, objective="fcbf", k=5)))
    for name, problem in problems:
        for size in (5, 10):
            yield from several("fcbf", name, problem, size, range(2, 7))


def mrmr_cases(options: argparse.Namespace) -> Iterator[Case]:
    for name, problem in library("mrmr"):
        yield from several("mrmr", name, problem, 5, range(2, 7))


def min_cases(options: argparse.Namespace) -> Iterator[Case]:
    for kind in ("mi", "model-gain"):
        for name, problem in library(kind):
            yield from several("min", name, problem, 5, range(4, 7), ("min",))


def many_cases(options: argparse.Namespace) -> Iterator[Case]:
    for name, problem in library("mi"):
        for size in (5, 10):
            yield from several("many", name, problem, size, range(10, 11), ("sum",))


GRIDS: dict[str, Callable[[argparse.Namespace], Iterator[Case]]] = {
    "fcbf": fcbf_cases,
    "mrmr": mrmr_cases,
    "min": min_cases,
    "many": many_cases,
}


def drawn(options: argparse.Namespace) -> Iterator[Case]:
    """Yield cases of each grid, always in the same random order."""
    for grid in options.grid or GRIDS:
        cases = [case for case in GRIDS[grid](options) if re.search(options.only, case.name)]
        yield from random.Random(0).sample(cases, min(options.cases, len(cases)))


def affected(name: str, cases: list[Case], records: list[dict[str, Any]], most: int) -> list[Case]:
    """Return the cases of a grid in whose proof a search had a part, the `most` longest ones."""
    recorded = {
        (r["grid"], r["case"]): r["cpu_seconds"]
        for r in records
        if not r["without"] and SEARCHES[name].had_part(r)
    }
    chosen: Counter[str] = Counter()
    listed = []
    for case in sorted(cases, key=lambda case: -recorded.get((case.grid, case.name), 0.0)):
        if (case.grid, case.name) in recorded and chosen[case.grid] < most:
            chosen[case.grid] += 1
            listed.append(case)
    return listed


def run(
    cases: list[Case], name: str, records: list[dict[str, Any]], options: argparse.Namespace, end: float
) -> None:
    """Solve the cases that are not recorded yet with a search switched off, none if its name is empty."""
    done = {(r["grid"], r["case"], r["without"]) for r in records}
    with ExitStack() as stack, options.records.open("a") as file:
        for switched in SEARCHES[name].off() if name else []:
            stack.enter_context(switched)
        end_idle_workers()  # they have other searches switched on
        for case in cases:
            if time.monotonic() > end:
                return
            if (case.grid, case.name, name) in done:
                continue
            records.append(record(case, name, options.time_limit))
            print(json.dumps(records[-1]), file=file, flush=True)


def record(case: Case, name: str, time_limit: float) -> dict[str, Any]:
    """Solve a case and return what is to be kept of it."""
    found: dict[str, Any] = {"grid": case.grid, "case": case.name, "without": name}
    begin, used = time.monotonic(), cpu_seconds()
    try:
        result = solve(case.problem, time_limit=time_limit, search="simultaneous")
        outcome = (str(result.status), result.backend, result.proved_by)
    except PyfselError as error:
        outcome = (f"refused: {error}", "", None)
    found |= dict(zip(("status", "backend", "proved_by"), outcome, strict=True))
    seconds, cpu = time.monotonic() - begin, cpu_seconds() - used
    return found | {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}


def n_lines(search: Search) -> int:
    """Return how many lines the files of a search have."""
    paths = [path for part in search.files for path in files_of(ROOT / part)]
    return sum(len(path.read_text().splitlines()) for path in paths)


def files_of(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.exists() else []


def table(records: list[dict[str, Any]], time_limit: float) -> str:
    """Return the table of all records."""
    first = [r for r in records if not r["without"]]
    lines = ["# What each search proves that is not proved without it", ""]
    lines += [f"`python benchmarks/ablation.py`; {time_limit:g} s per case, cases drawn at random.", ""]
    lines += ["| grid | cases run | proved | mean CPU s | by |", "|---|---:|---:|---:|---|"]
    for grid in GRIDS:
        ran = [r for r in first if r["grid"] == grid]
        provers = Counter(r["proved_by"] for r in ran if r["proved_by"])
        who = ", ".join(f"{name} {count}" for name, count in provers.most_common())
        mean = sum(r["cpu_seconds"] for r in ran) / max(1, len(ran))
        lines.append(f"| {grid} | {len(ran)} | {provers.total()} | {mean:.2f} | {who} |")
    lines += ["", "| search | lines | grid | had a part in | run without it | then not proved | which |"]
    lines.append("|---|---:|---|---:|---:|---:|---|")
    for name, search in SEARCHES.items():
        for grid in GRIDS:
            part = [r for r in first if r["grid"] == grid and r["proved_by"] and search.had_part(r)]
            again = [r for r in records if r["grid"] == grid and r["without"] == name]
            lost = [r["case"] for r in again if not r["proved_by"]]
            if part:
                cells = (name, n_lines(search), grid, len(part), len(again), len(lost), "; ".join(lost))
                lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
