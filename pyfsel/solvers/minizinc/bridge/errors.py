"""What can be wrong with FlatZinc."""

from pyfsel.errors import PyfselError

UNSUPPORTED = "cannot take "
"""What the bridge says before the file, where the solver lacks something that the model has."""


class FlatZincError(PyfselError, ValueError):
    """The text is not FlatZinc, or not of the linear kind; the message carries the line number."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class UnsupportedFlatZincError(FlatZincError):
    """The FlatZinc is correct, but holds something that is not linear."""
