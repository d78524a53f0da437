"""The laboratory of models: what is wrong with an edited MiniZinc model, and what its strengthenings bring.

Read `items` (the text of a model, item by item), `trials` (small instances, and runs of variants of a
model on them), then `examine`.
"""

from pyfsel.bench.lab.examine import Report, examine

__all__ = ["Report", "examine"]
