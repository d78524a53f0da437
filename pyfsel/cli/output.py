"""Options that say how and where a result is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table, json_lines
from pyfsel.cli.options import output_field
from pyfsel.cli.progress import note

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


@dataclass(frozen=True)
class FileOutput:
    """Where a result is written."""

    output: options.OutputFile = None
    quiet: options.Quiet = False


@dataclass(frozen=True)
class OutputOptions(FileOutput):
    """How and where a result is written."""

    file_format: Literal["table", "json", "csv"] | None = output_field(
        "--format", help="How to write the result.", show_default="from the name of FILE, else table"
    )

    texts: ClassVar[tuple[str, ...]] = ("txt",)
    """Extensions of files that get the table."""

    def __post_init__(self) -> None:
        """Find out before anything is solved whether the format is known."""
        _ = self.chosen

    @property
    def chosen(self) -> str:
        """The format that was named, or that the name of the file tells: table, json or csv."""
        return chosen_format(self.file_format, self.output, ("json", "csv"), "table", self.texts)

    def write(
        self,
        data: Callable[[], dict[str, Any]],
        csv: Callable[[], str],
        table: Callable[[], RenderableType],
        told: str = "",
    ) -> None:
        """Write one of the three, which are made only if needed; of a file say so, after what is `told`."""
        if self.chosen == "json":
            emit(json_lines(data()), self.output, self.quiet, told)
        elif self.chosen == "csv":
            emit(csv(), self.output, self.quiet, told)
        else:
            emit_table(table(), self.output, self.quiet, told)

    def write_frame(self, frame: pd.DataFrame, table: Callable[[], RenderableType]) -> None:
        """Write the rows of a data frame as JSON or CSV, or the table."""
        if self.chosen == "json":
            text = frame.to_json(orient="records", indent=1, force_ascii=False) + "\n"
            emit(text, self.output, self.quiet)
        else:
            self.write(dict, lambda: frame.to_csv(index=False), table)


@dataclass(frozen=True)
class PlottedOutput(OutputOptions):
    """How and where a result is written, and a figure of it."""

    plot: Path | None = output_field(
        metavar="FILE", help="Also draw it (.png, .svg or .pdf).", callback=options.figure_file
    )

    def draw(self, figure: Callable[[], Any]) -> None:
        """Save the figure, which is made only if one is asked for."""
        if self.plot is not None:
            from pyfsel.results.plots import save_figure

            save_figure(figure(), self.plot)
            note(f"wrote {self.plot}", self.quiet)
