"""An edited model again, without the constraints that suit only what it was before.

A redundant constraint removes no solution, and a symmetry-breaking one keeps an optimum, of the model for
which they were written. A constraint that is added can make both false: it distinguishes features or sets
that were interchangeable. The model then loses optima without a word. So the claims of a model with such
constraints are compared with what it finds when they are ignored, and no features are left out beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyfsel.backends.minizinc.text import included_files, items_of_file
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.results.backend_answer import PROVED, BackendAnswer, ModelGoal
from pyfsel.results.control import Control

SECONDS = 10.0  # at most: a look, and no proof
IGNORED = (
    "-D",
    "mzn_ignore_redundant_constraints=true; mzn_ignore_symmetry_breaking_constraints=true;",
)
WITHOUT = "without its redundant and symmetry-breaking constraints"
HINT = "name in told_apart the features that your constraint distinguishes, or start from a literal model"


def has_strengthenings(model: Path) -> bool:
    """Return whether a model has such constraints, and differs from what was shipped."""
    files = list(included_files(model))
    if all(_is_shipped(file) for file in files):
        return False
    return any(item.has_strengthening for file in files for item in items_of_file(file))


def _is_shipped(file: Path) -> bool:
    places = (models_dir() / folder / file.name for folder in ("", "lib", "questions"))
    return any(place.is_file() and place.read_bytes() == file.read_bytes() for place in places)


def compared(
    answer: BackendAnswer, run: Callable[[Control, tuple[str, ...]], BackendAnswer], control: Control
) -> tuple[str, BackendAnswer | None]:
    """Solve again without these constraints, for ten seconds at most.

    Parameters
    ----------
    answer : BackendAnswer
        The model's claim, a proof.
    run : callable
        Takes a `Control` and options of MiniZinc.
    control : Control
        Of the whole run.

    Returns
    -------
    str
        What came of it.
    BackendAnswer or None
        The better answer, if there is one.
    """
    seconds = min(SECONDS, control.remaining())
    quiet = Control(control.limits.within(seconds), control.formulation)
    try:
        again = run(quiet, IGNORED)
    except FalseClaimError:
        raise
    except SolverError as error:
        return f"It could not be solved {WITHOUT}: {str(error).partition(chr(10))[0]}.", None
    if again.sets is not None and (answer.sets is None or _is_better(again, answer)):
        claimed = "no solution" if answer.sets is None else str(own_objective(answer))
        other = "" if own_objective(again) is None else f" with {own_objective(again)}"
        found = f"sets{other} ({[list(members) for members in again.sets]})"
        return f"WARNING: {WITHOUT} it has {found}, not {claimed}: {HINT}.", again
    if again.status in PROVED and (again.sets is None) == (answer.sets is None):
        return f"The same {WITHOUT}.", None
    return f"What is best {WITHOUT} is not known: nothing better was found in {seconds:.0f} s.", None


def _is_better(answer: BackendAnswer, known: BackendAnswer) -> bool:
    found, best = own_objective(answer), own_objective(known)
    if found is None or best is None or answer.model_claim is None:
        return False
    return found < best if answer.model_claim.goal is ModelGoal.MINIMIZE else found > best


def own_objective(answer: BackendAnswer) -> int | float | None:
    """Return what a solver states for the sets by the objective of its model, None if it states nothing."""
    return None if answer.model_claim is None else answer.model_claim.objective
