"""The standard files of this process."""

from __future__ import annotations

import os


def open_standard_files() -> None:
    """Have the descriptors 0, 1 and 2 open, on nothing if they are closed.

    Otherwise the next pipe gets their numbers, and is overwritten in the process that inherits it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
