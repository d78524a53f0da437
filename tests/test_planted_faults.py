"""The list of planted faults fits the code; benchmarks/planted_faults.py itself finds what catches them."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_planted_fault_stands_in_the_code_once():
    spec = importlib.util.spec_from_file_location("planted_faults", ROOT / "benchmarks" / "planted_faults.py")
    planted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(planted)
    assert planted.unfit_faults(ROOT) == []
    assert len({fault.what for fault in planted.FAULTS}) == len(planted.FAULTS) >= 40
