"""Generated instances: families with a seed and a knob for their difficulty.

A family is a function with the decorator `instance_families.family`: `problem_families` and `boolean_tables`
contain them. `hardness` has the proofs of paper 000 as transformations, and `solution_score` says how good a
set is where that is known.

`instance_families` returns an instance as a problem or a table, or writes its files.

Examples
--------
>>> from pyfsel.bench.instances import generate
>>> generate("partition", k=3, n_sets=2, max_shared=0)
<Problem: 2 sets of 3 of 6 features, Univariate(), Dissimilarity(max_shared=0), min>
"""

from pyfsel.bench.instances.instance_families import (
    Family,
    Generated,
    Request,
    families,
    generate,
    generate_files,
    generated,
    write_instance,
)

__all__ = [
    "Family",
    "Generated",
    "Request",
    "families",
    "generate",
    "generate_files",
    "generated",
    "write_instance",
]
