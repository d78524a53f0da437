"""Generated instances: families with a seed and a knob for their difficulty.

A family is a function with the decorator `registry.family`: `univariate`, `pairs`, `partition`,
`boolean_tables` and `user_table` hold them. `hardness` has the proofs of paper 000 as transformations,
`solution_score` says how good a set is where that is known, and `writing` writes the files.

Examples
--------
>>> from pyfsel.bench.instances import Request
>>> from pyfsel.bench.instances import generate
>>> instance = generate("partition", Request(k=3, n_alternatives=1, max_overlap=0), seed=0)
>>> instance.name
'partition-n6-k3-a1-m0-min-d0.5-s0'
>>> bool(instance.problem.quality.sum() == 2 * instance.optimum)
True
"""

from pyfsel.bench.instances.registry import Family, Generated, Request, families, find_family, generate
from pyfsel.bench.instances.writing import write_instance

__all__ = ["Family", "Generated", "Request", "families", "find_family", "generate", "write_instance"]
