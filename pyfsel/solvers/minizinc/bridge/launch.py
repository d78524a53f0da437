"""Starts the bridge without the rest of the package, which takes longer to load than CBC to solve.

Run as a script: ``python -P launch.py cbc model.fzn``.
"""

import os
import sys
from types import ModuleType


def _parent(path: str, levels: int) -> str:
    for _ in range(levels):
        path = os.path.dirname(path)
    return path


def _launch() -> None:
    package = ModuleType("pyfsel")
    package.__path__ = [_parent(os.path.abspath(__file__), 4)]
    sys.modules["pyfsel"] = package
    from pyfsel.solvers.minizinc.bridge.run import main

    main(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    _launch()
