"""`pyfsel generate`: instances of a family, by seed and difficulty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.files import emit
from pyfsel.cli.groups import DataSource, with_groups
from pyfsel.errors import InputError

FAMILY = "Family"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "generate",
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


def generate_command(
    name: Annotated[str, typer.Argument(metavar="FAMILY", help="A family, or list.")],
    source: DataSource,
    missing: options.Missing = "error",
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
    ] = None,
    k: options.SetSize = 5,
    alternatives: options.Alternatives = 2,
    tau: options.Tau = None,
    max_overlap: options.MaxOverlap = None,
    aggregate: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="sum or min.", show_default="by family", rich_help_panel=options.QUESTION
        ),
    ] = None,
    objective: options.Objective = "univariate",
    measure: options.Measure = "mutual_info_binned",
    difficulty: Annotated[
        float, typer.Option(min=0, max=1, metavar="D", help="0 easy, 1 hard.", rich_help_panel=FAMILY)
    ] = 0.5,
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Rows of a table.",
            show_default="40 per column",
            rich_help_panel=FAMILY,
        ),
    ] = None,
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
    from pyfsel.bench.instances import Request, families, generate, write_instance
    from pyfsel.measures.tables.table import prepare
    from pyfsel.problem.quantise import max_overlap_for

    if name == "list":
        texts = [f"{f.name}\n  {f.summary}\n  difficulty: {f.difficulty}\n" for f in families().values()]
        emit("\n".join(texts))
        return
    if tau is not None and max_overlap is not None:
        raise InputError(f"tau={tau!r} and max_overlap={max_overlap!r}: give at most one of the two")
    table = None
    if source.data is not None or source.dataset is not None:
        table = prepare(*source.read(), missing=missing)
    request = Request(
        n_features=n_features,
        k=k,
        n_alternatives=alternatives,
        max_overlap=max_overlap if tau is None else max_overlap_for(k, tau),
        aggregate=aggregate,
        difficulty=difficulty,
        n_rows=rows,
        table=table,
        measure=measure,
        objective=objective,
    )
    paths = [write_instance(generate(name, request, s), output) for s in range(seed, seed + count)]
    emit("".join(f"{path}\n" for path in paths))
