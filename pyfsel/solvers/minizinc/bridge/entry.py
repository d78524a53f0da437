"""The programs ``pyfsel-fzn-…``."""

from typing import NoReturn

from pyfsel.solvers.minizinc.bridge.run import main


def cbc() -> NoReturn:
    """Solve FlatZinc with CBC."""
    main("cbc")


def highs() -> NoReturn:
    """Solve FlatZinc with HiGHS."""
    main("highs")


def scip() -> NoReturn:
    """Solve FlatZinc with SCIP."""
    main("scip")


def cpsat() -> NoReturn:
    """Solve FlatZinc with CP-SAT."""
    main("cpsat")
