"""The laboratory of models: what is wrong with an edited MiniZinc model, and what its strengthenings bring.

Read `trials` (small instances, and runs of variants of a model on them), then `examine`.
"""

from pyfsel.bench.lab.examine import Report, examine
from pyfsel.bench.lab.trials import LabInstance

__all__ = ["LabInstance", "Report", "examine"]
