"""`pyfsel stability`: whether the sets come out again in halves of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsel.cli.command import command
from pyfsel.cli.evaluate import SelectorQuestion, SelectorSolving, chosen_selector
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.options import validation_field
from pyfsel.cli.output import PlottedOutput
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.question import SetOptions
from pyfsel.cli.solving import Workers
from pyfsel.results.answer import StopReason

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.selectors.stability import Stability


@command(
    "stability",
    "Would the sets come out again? Selection in complementary halves of the rows.\n\n"
    "Tells how often each feature and each set comes again, and which features stand in for others.",
    "pyfsel stability --dataset breast_cancer -k 5 -a 3 --tau 0.6",
    "pyfsel stability patients.csv --target diagnosis --pairs 100 --jobs 4 --plot stability.png",
)
def stability_command(
    question: SelectorQuestion[SetOptions],
    solving: SelectorSolving,
    pairs: int = validation_field(min=1, metavar="N", help="Pairs of halves.", default=50),
    *,
    workers: Workers,
    written: PlottedOutput,
) -> ExitCode:
    """Select in halves of the rows."""
    _ = solving.chosen
    with notes(written.quiet), progress(f"halving {question.table.name}", written.quiet):
        X, y, of_rows = question.rows()
        from pyfsel.selectors.stability import stability

        found = stability(
            X,
            y,
            chosen_selector(question, solving),
            n_pairs=pairs,
            **of_rows,
            random_state=solving.seed,
            n_jobs=workers.jobs,
        )
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), lambda: stability_table(found))
    written.draw(found.plot)
    return code_of_runs([found.stop_reason], found=True)


def stability_table(found: Stability) -> RenderableType:
    """Return what `rich` prints of a stability."""
    from rich.console import Group
    from rich.text import Text

    from pyfsel.results.display import SetsTable

    table = SetsTable(["set", "overlap", "exactly\nagain", "stability"], (), "features, in % of the halves")
    for row in found.to_dict()["sets"]:
        ends = "" if row["stability"] is None else f"{row['stability_low']:.2f}–{row['stability_high']:.2f}"
        index = "–" if row["stability"] is None else f"{row['stability']:.2f}\n{ends}"
        overlap = "–" if row["overlap"] is None else f"{row['overlap']:.2f}"
        shares = zip(row["features"], row["frequencies"], strict=True)
        cells = [str(row["set"]), overlap, f"{100 * row['again']:.0f} %", index]
        table.add_row(cells, [f"{name} {100 * share:.0f}" for name, share in shares])
    parts: list[RenderableType] = [table]
    lines = [
        f"{pair['replaced_by']} for {pair['feature']}: {100 * pair['share']:.0f} % of the halves without it"
        for pair in found.replacements(5)
    ]
    if lines:
        parts.append(Text("\nWhat comes instead:\n" + "\n".join(lines)))
    bound = found.bound_text()
    if found.n_empty:
        verb = "has" if found.n_empty == 1 else "have"
        parts.append(
            Text(f"\n{found.n_empty} of the halves {verb} no sets, such as those of one class only.")
        )
    legend = (
        f"{len(found.halves)} halves of {found.n_rows:,} rows, whose sets are matched to those of all rows. "
        "overlap: features that come again, 0 as one set by chance, 1 all; stability: Nogueira et al. (2018) "
        "with its 95 % interval. It is that of half the rows: all are rather more stable, unless columns tie."
    )
    if bound:
        legend += f" {bound} (Shah and Samworth 2013)."
    if found.stop_reason is StopReason.INTERRUPTED:
        legend += " Interrupted; other halves are missing."
    return Group(*parts, Text(f"\n{legend}"))
