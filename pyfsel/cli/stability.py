"""`pyfsel stability`: whether the sets come out again in halves of the rows."""

from __future__ import annotations

from pyfsel.cli.command import command
from pyfsel.cli.evaluate import SelectorQuestion, SelectorSolving, chosen_selector
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.options import validation_field
from pyfsel.cli.output import PlottedOutput
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.question import SetOptions
from pyfsel.cli.solving import Workers


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
    cv: str | None = validation_field(
        metavar="time:COLUMN",
        help="One pair: the earlier and the later half by COLUMN, which is then not a feature; with "
        "time:COLUMN:GAP without the last GAP (of dates: days) of the earlier half.",
        show_default="random halves",
    ),
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
            pairs=pairs,
            cv=cv,
            groups=of_rows["groups"],
            random_state=solving.seed,
            n_jobs=workers.jobs,
        )
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), found.table)
    written.draw(found.plot)
    return code_of_runs([found.stop_reason], found=True)
