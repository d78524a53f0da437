"""`pyfsel generate`: instances of a family, by seed and difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.files import emit
from pyfsel.cli.groups import DataSource, with_groups
from pyfsel.cli.short_help import ShortHelp
from pyfsel.errors import InputError

if TYPE_CHECKING:
    from pyfsel.bench.instances import Request
    from pyfsel.measures.tables.table import Table

FAMILY = "Family"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "generate",
        cls=ShortHelp,
        help="Write instances of a family; the same seed gives the same bytes.\n\n"
        "`pyfsel generate list` shows the families. Problems are JSON files, tables are CSV files; the file "
        "NAME.about.json beside each says how it was made and, where known, what the optimum is.",
        epilog=options.examples(
            "pyfsel generate list",
            "pyfsel generate partition -k 4 -a 4 --difficulty 1 --seed 7 --count 3 -o instances",
            "pyfsel generate parity --difficulty 0.25 -o tables",
            "pyfsel generate table patients.csv --target diagnosis --objective mrmr -o instances",
        ),
    )(with_groups(generate_command))


@dataclass(frozen=True)
class FamilyOptions(DataSource):
    """What is asked of a family, and the table for the family that takes one."""

    missing: options.Missing = "error"
    n_features: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--features",
            min=1,
            metavar="N",
            help="Features; in families of tables the relevant ones.",
            show_default="by family",
            rich_help_panel=options.QUESTION,
        ),
    ] = None
    k: options.SetSize = 5
    alternatives: options.Alternatives = 2
    tau: options.Tau = None
    max_overlap: options.MaxOverlap = None
    aggregate: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="sum or min.", show_default="by family", rich_help_panel=options.QUESTION
        ),
    ] = None
    objective: options.Objective = "univariate"
    measure: options.Measure = "mutual_info_binned"
    difficulty: Annotated[
        float, typer.Option(min=0, max=1, metavar="D", help="0 easy, 1 hard.", rich_help_panel=FAMILY)
    ] = 0.5
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Rows of a table.",
            show_default="40 per column",
            rich_help_panel=FAMILY,
        ),
    ] = None

    irrelevant: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Irrelevant columns of a table.",
            show_default="by difficulty",
            rich_help_panel=FAMILY,
        ),
    ] = None
    redundant: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Columns of a table that are copies of relevant ones.",
            show_default="by difficulty",
            rich_help_panel=FAMILY,
        ),
    ] = None
    rows_factor: Annotated[
        float,
        typer.Option(
            metavar="F", help="How many times 40 rows per column a table has.", rich_help_panel=FAMILY
        ),
    ] = 1.0

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
        from pyfsel.problem.quantise import max_overlap_for

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


def generate_command(
    name: Annotated[str, typer.Argument(metavar="FAMILY", help="A family, or list.")],
    asked: FamilyOptions,
    seed: Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=FAMILY)] = 0,
    count: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="So many instances, with seeds from --seed on.", rich_help_panel=FAMILY
        ),
    ] = 1,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", rich_help_panel=options.OUTPUT)
    ] = Path(),
) -> None:
    """Generate instances."""
    from pyfsel.bench.instances import generate, write_instance

    if name == "list":
        emit(_list_of_families())
        return
    request = asked.request()
    paths = [write_instance(generate(name, request, s), output) for s in range(seed, seed + count)]
    emit("".join(f"{path}\n" for path in paths))


def _list_of_families() -> str:
    from pyfsel.bench.instances import families

    return "\n".join(f"{f.name}\n  {f.summary}\n  difficulty: {f.difficulty}\n" for f in families().values())
