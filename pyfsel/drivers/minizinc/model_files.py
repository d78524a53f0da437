"""Where the MiniZinc models lie: inside an installed wheel, or next to the package in a checkout."""

from __future__ import annotations

from pathlib import Path


def models_dir() -> Path:
    """Return the folder of the ``.mzn`` files."""
    package = Path(__file__).resolve().parents[2]
    shipped = package / "_models"
    return shipped if shipped.is_dir() else package.parent / "models"
