"""Lists of numbers in options."""

from __future__ import annotations

from pyfsel.errors import InputError

LONGEST_GRID = 10_000


def integers(name: str, text: str) -> list[int]:
    """Return the numbers of a list such as ``3,5-7``."""
    numbers: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            between = range(int(first), int(last or first) + 1)
            if between.stop - between.start > LONGEST_GRID:
                raise InputError(f"{name}={text!r}: must hold at most {LONGEST_GRID} integers")
            numbers += between
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{name}={text!r}: must be integers such as 5, 3,5 or 3-6") from None
    if not numbers:
        raise InputError(f"{name}={text!r}: must hold at least one integer")
    return numbers


def floats(name: str, text: str) -> list[float]:
    """Return the numbers of a list such as ``0.2,0.5``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{name}={text!r}: must be numbers such as 0.2,0.5") from None
