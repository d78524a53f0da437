"""Files of a generated instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.bench.instances.registry import Generated
from pyfsel.problem.text_files import write_text, writing

ABOUT = ".about.json"


def write_instance(instance: Generated, folder: str | Path) -> Path:
    """Write an instance, and next to it a file about it, and return the path of the instance.

    A problem becomes ``NAME.json``, which is MiniZinc data as it is; a table becomes ``NAME.csv`` with the
    column `target` at its end. ``NAME.about.json`` holds how it was made (`Generated.about`) and, where
    known, the optimum (an integer objective) and a solution.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    folder = Path(folder)
    text, extension = _content(instance)
    path = folder / f"{instance.name}{extension}"
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    write_text(about_path(path), json.dumps(_about(instance), indent=1) + "\n")
    return path


def about_path(instance: Path) -> Path:
    """Return where the facts about an instance file are."""
    return instance.with_name(instance.name.removesuffix(instance.suffix) + ABOUT)


def _content(instance: Generated) -> tuple[str, str]:
    if instance.problem is not None:
        return instance.problem.to_json(), ".json"
    return pd.DataFrame(dict(instance.columns or {})).to_csv(index=False, lineterminator="\n"), ".csv"


def _about(instance: Generated) -> dict[str, Any]:
    about = dict(instance.about)
    if instance.optimum is not None:
        about["optimum"] = instance.optimum
    if instance.solution:
        about["solution"] = [list(members) for members in instance.solution]
    return about
