"""Starts the bridge without the rest of the package, which takes longer to load than CBC to solve.

Run as a script: ``python -P launch.py cbc model.fzn``.
"""

import os
import sys
from types import ModuleType


def _launch() -> None:
    package = ModuleType("pyfsel")
    package.__path__ = [os.path.abspath(os.path.join(__file__, *[".."] * 4))]
    sys.modules["pyfsel"] = package
    from pyfsel.drivers.minizinc.bridge.run import main

    main(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    _launch()
