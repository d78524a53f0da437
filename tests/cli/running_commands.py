"""Tables and stored answers, for the tests of the command line."""

import io
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd

FAST = "select table.csv -t ill -k 2 -n 1 --measure pearson --near-duplicates note"
EXPECTED = Path(__file__).parent / "expected"
FEATURES = ["age", "lab_iron", "weight, kg", "pulse", "lab_sodium", "ratio a:b"]
COSTS = '\ufefffeature,cost\nage,3\n"weight, kg",0.5\nlab_*,1\npulse,2.25\nratio a:b,0\n'
VARYING = ("runtime", "time", "solve_seconds", "evidence", "versions", "facts", "sampling")
"""Fields that differ between runs or machines."""


def write_files(folder):
    """Write table.csv and costs.csv; each feature is the target with more rows flipped than before."""
    rows = np.arange(80)
    ill = rows % 2
    columns = {name: np.where(rows < 4 * j + 4, 1 - ill, ill) for j, name in enumerate(FEATURES)}
    pd.DataFrame(columns | {"ill": np.where(ill, "yes", "no")}).to_csv(folder / "table.csv", index=False)
    (folder / "costs.csv").write_text(COSTS, "utf-8")


def stable(data):
    """Return JSON data without what differs between runs, floats rounded."""
    if isinstance(data, dict):
        return {name: stable(value) for name, value in data.items() if name not in VARYING}
    if isinstance(data, list):
        return [stable(value) for value in data]
    return round(data, 6) if isinstance(data, float) and math.isfinite(data) else data


def same_as_stored(name, text):
    """Hold JSON or CSV against the stored file of this name."""
    stored = (EXPECTED / name).read_text("utf-8")
    if name.endswith(".json"):
        assert stable(json.loads(text)) == stable(json.loads(stored))
        assert list(json.loads(text)) == list(json.loads(stored)), "the fields keep their order"
    else:
        found, expected = (pd.read_csv(io.StringIO(table)) for table in (text, stored))
        assert list(found) == list(expected)
        left = [name for name in found if name not in VARYING]
        pd.testing.assert_frame_equal(found[left], expected[left])
