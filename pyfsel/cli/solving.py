"""Options that say how problems are solved, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.options import solving_field
from pyfsel.errors import InputError

if TYPE_CHECKING:
    from pyfsel.backends.minizinc.own_model import MiniZincModel

LONG_NAMES = {"seed": "random_state", "threads": "n_threads"}


@dataclass(frozen=True)
class SolvingOptions:
    """How problems are solved, alike in every command that solves."""

    lacks: ClassVar[tuple[str, ...]] = ()

    search: str | None = solving_field(
        metavar="NAME",
        help="sequential: one set after another, each the best given those before; simultaneous: all at "
        "once.",
        show_default="as the instance says, or sequential unless an aggregate is requested",
    )
    backend: str = solving_field(
        metavar="NAME",
        help="auto, or a name from `pyfsel backends`.",
        autocompletion=options.backend_names,
        default="auto",
    )
    maxsat_command: str | None = solving_field(
        "--maxsat-command",
        "--pb-command",
        metavar="'CMD {wcnf}'",
        help="Instead of --backend: a MaxSAT solver that reads a WCNF file, or a pseudo-Boolean one "
        "({opb}), and prints o, s and v lines.",
    )
    model: Path | None = solving_field(
        metavar="MODEL.mzn",
        help="A MiniZinc model of your own, run by --backend minizinc:… (gecode if that is auto). Its "
        "sets are verified; that they are best is its own claim.",
    )
    formulation: str | None = solving_field(
        metavar="NAME",
        help="One of the backend, see `pyfsel backends`: strengthened, literal, …",
        show_default="its strongest",
    )
    confirm: str | None = solving_field(
        metavar="auto|NAME",
        help="A backend of another kind proves the result again, with a --time-limit of its own.",
        autocompletion=options.backend_names,
    )
    time_limit: options.TimeLimit = 60
    seed: int = solving_field(min=0, metavar="N", help="The same seed gives the same result.", default=0)
    threads: int = solving_field(min=1, metavar="N", help="Threads of the solver.", default=1)
    memory_limit: int | None = solving_field(
        min=1, metavar="MB", help="Megabytes of memory that the solver may use; what it found before is kept."
    )

    @property
    def chosen(self) -> str | Backend:
        """What `pyfsel.solve` takes as backend; `InputError` for an unknown name."""
        if self.maxsat_command is not None:
            if self.backend != "auto" or self.model is not None:
                raise InputError("--maxsat-command, --pb-command: give one of them, or --backend and --model")
            from pyfsel.backends.maxsat.program import MaxSat

            return MaxSat.of_command(self.maxsat_command)
        if self.model is None:
            _require_backend(self.backend, "backend")
            return self.backend
        return self.own_model()

    def own_model(self, **more: Any) -> MiniZincModel:
        """Return the user's own model as a backend; further arguments are those of `MiniZincModel`."""
        from pyfsel.backends.minizinc.own_model import own_model

        assert self.model is not None
        return own_model(self.model, self.backend, **more)

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `pyfsel.solve`, without those that the command lacks.

        Raises `InputError` if there is no such backend: before a command begins to measure.
        """
        if self.confirm is not None:
            _require_backend(self.confirm, "confirm")
        arguments = {
            "search": self.search,
            "backend": self.chosen,
            "formulation": self.formulation,
            "confirm": self.confirm,
            "time_limit": self.time_limit,
            "random_state": self.seed,
            "n_threads": self.threads,
            "memory_limit": self.memory_limit,
        }
        lacking = {LONG_NAMES.get(name, name) for name in self.lacks}
        return {name: given for name, given in arguments.items() if name not in lacking}


@dataclass(frozen=True)
class CertifiedSolving(SolvingOptions):
    """How problems are solved whose results may get a certificate."""

    certify: Path | None = solving_field(
        metavar="FILE",
        help="Also write what others need to check the result without pyfsel, see `pyfsel check`, within "
        "a --time-limit of its own.",
        callback=options.writable,
    )


def _require_backend(name: str, argument: str) -> None:
    if name != "auto":
        get_backend(name, argument)


def _number_of_processes(jobs: int | None) -> int | None:
    if jobs == 0:
        raise InputError("--jobs=0: must be a positive number, or -1 for all cores")
    return jobs


@dataclass(frozen=True)
class Workers:
    """Who measures, trains and scores."""

    jobs: int | None = solving_field(
        metavar="N",
        help="Processes that measure, train, score, and search for the cells of a sweep; -1: all cores.",
        callback=_number_of_processes,
    )
