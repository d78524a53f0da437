"""What every run needs, loaded and looked up once: by the process of which the others are copies."""

from __future__ import annotations

from importlib import import_module

from pyfsel.bench.provenance import machine, sources, versions

LOADED_ONCE = (
    "pyfsel.bench.worker",
    "pyfsel.drivers.cpsat",
    "pyfsel.algorithms.ksubgraph.all_heavy",
    "pyfsel.algorithms.packing.families",
    "ortools.sat.python.cp_model",
    "scipy.optimize",
)

for name in LOADED_ONCE:
    import_module(name)
machine(), versions(None), sources()
