"""Files of a generated instance."""

from __future__ import annotations

import json
from pathlib import Path

from pyfsel.bench.instances.instance_families import Generated
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
    path = Path(folder, instance.name + (".csv" if instance.problem is None else ".json"))
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    if instance.problem is not None:
        write_text(path, instance.problem.to_json())
    elif instance.table is not None:
        write_text(path, instance.table.to_csv(index=False, lineterminator="\n"))
    about = dict(instance.about)
    about |= {} if instance.optimum is None else {"optimum": instance.optimum}
    about |= {"solution": list(map(list, instance.solution))} if instance.solution else {}
    write_text(about_path(path), json.dumps(about, indent=1) + "\n")
    return path


def about_path(instance: Path) -> Path:
    """Return where the facts about an instance file are."""
    return instance.with_suffix(ABOUT)
