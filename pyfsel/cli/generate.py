"""`pyfsel generate`: instances of a family, by seed and difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.files import emit
from pyfsel.cli.options import as_field, output_field, question_field
from pyfsel.cli.progress import note
from pyfsel.cli.tables import DataSource
from pyfsel.errors import InputError
from pyfsel.measures.tables.table import Table

if TYPE_CHECKING:
    from pyfsel.bench.instances import Request

family_option = partial(typer.Option, rich_help_panel="Family")
family_field = as_field(family_option)


@dataclass(frozen=True)
class FamilyOptions(DataSource):
    """What is asked of a family, and the table for the family that takes one."""

    missing: options.Missing = "error"
    n_features: int | None = question_field(
        "-n",
        "--features",
        min=1,
        metavar="N",
        help="Features; in families of tables the relevant ones.",
        show_default="by family",
    )
    k: options.SetSize = 5
    alternatives: options.Alternatives = 2
    tau: options.Tau = None
    max_overlap: options.MaxOverlap = None
    aggregate: str | None = question_field(metavar="NAME", help="sum or min.", show_default="by family")
    objective: options.Objective = "univariate"
    measure: str = question_field(metavar="NAME", help=options.MEASURE_HELP, default="mutual_info_binned")
    difficulty: float = family_field(min=0, max=1, metavar="D", help="0 easy, 1 hard.", default=0.5)
    rows: int | None = family_field(min=1, metavar="N", help="Rows of a table.", show_default="40 per column")
    irrelevant: int | None = family_field(
        min=0, metavar="N", help="Irrelevant columns of a table.", show_default="by difficulty"
    )
    redundant: int | None = family_field(
        min=0,
        metavar="N",
        help="Columns of a table that are copies of relevant ones.",
        show_default="by difficulty",
    )
    rows_factor: float = family_field(
        metavar="F", help="Multiplies the usual 40 rows per column of a table.", default=1.0
    )

    def request(self) -> Request:
        """Return the same for `generate`."""
        from pyfsel.bench.instances import Request

        return Request(
            n_features=self.n_features,
            k=self.k,
            n_alternatives=self.alternatives,
            max_overlap=self._overlap(),
            aggregate=self.aggregate,
            difficulty=self.difficulty,
            n_rows=self.rows,
            n_irrelevant=self.irrelevant,
            n_redundant=self.redundant,
            rows_factor=self.rows_factor,
            table=self._table(),
            measure=self.measure,
            objective=self.objective,
        )

    def _overlap(self) -> int | None:
        from pyfsel.problem.dissimilarity import max_overlap_for

        if self.tau is None:
            return self.max_overlap
        if self.max_overlap is not None:
            raise InputError(
                f"tau={self.tau!r} and max_overlap={self.max_overlap!r}: give at most one of the two"
            )
        return max_overlap_for(self.k, self.tau)

    def _table(self) -> Table | None:
        from pyfsel.measures.tables.table import prepare

        is_given = self.data is not None or self.dataset is not None
        return prepare(*self.read(), missing=self.missing).dense() if is_given else None


@command(
    "generate",
    "Write instances of a family; the same seed gives the same bytes.\n\n"
    "`pyfsel generate list` shows the families. Problems are JSON files, tables are CSV files; the file "
    "NAME.about.json beside each says how it was made and, where known, what the optimum is.",
    "pyfsel generate list",
    "pyfsel generate partition -k 4 -a 4 --difficulty 1 --seed 7 --count 3 -o instances",
    "pyfsel generate parity --difficulty 0.25 -o tables",
    "pyfsel generate table patients.csv --target diagnosis --objective mrmr -o instances",
    "pyfsel generate uniform -n 40 --pack minizinc-challenge -o challenge",
)
def generate_command(
    name: Annotated[str, typer.Argument(metavar="FAMILY", help="A family, or list.")],
    asked: FamilyOptions,
    seed: int = family_field(min=0, metavar="N", default=0),
    count: int = family_field(min=1, metavar="N", help="N instances, with seeds from --seed on.", default=1),
    pack: str | None = family_field(
        metavar="NAME",
        help="A toy and up to twenty instances from easy to open, by the times of CP-SAT and HiGHS, with "
        "best known values, as csplib, maxsat, minizinc-challenge or pb asks for them.",
    ),
    time_limit: float = family_field(
        metavar="SECONDS", help="Of each solver for each candidate of a pack.", default=60.0
    ),
    output: Path = output_field("-o", "--output", metavar="DIR", default=Path()),
) -> None:
    """Generate instances."""
    from pyfsel.bench.instances import generated, write_instance

    if name == "list":
        emit(_list_of_families())
        return
    request = asked.request()
    if pack is not None:
        _write_pack(pack, name, request, output, seed, time_limit)
        return
    paths = [write_instance(generated(name, request, s), output) for s in range(seed, seed + count)]
    emit("".join(f"{path}\n" for path in paths))


def _write_pack(pack: str, family: str, request: Request, folder: Path, seed: int, time_limit: float) -> None:
    from pyfsel.bench.packs import write_pack
    from pyfsel.results.result import Result

    def show(name: str, result: Result) -> None:
        note(f"{name}: {result.status}, {result.integer_objective} by {result.backend}")

    known = write_pack(pack, family, request, folder, seed=seed, time_limit=time_limit, on_solved=show)
    emit(f"{known}\n")


def _list_of_families() -> str:
    from pyfsel.bench.instances import families

    return "\n".join(f"{f.name}\n  {f.summary}\n  difficulty: {f.difficulty}\n" for f in families().values())
