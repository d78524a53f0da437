"""
Editing a MiniZinc model
========================

Every set is to contain feature 3 or feature 5. A line of MiniZinc says that. We copy a model, add the
line, and let the package check what comes out. The same edit can be tried in the playground, without installing anything.
"""

import tempfile
from pathlib import Path

from pyfsel import Problem, solve
from pyfsel.drivers.minizinc.model_files import models_dir

literal = (models_dir() / "simultaneous_sum_literal.mzn").read_text()
constraint = "constraint forall(s in SETS)(selected[s, 3] \\/ selected[s, 5]);\n"
edited = literal.replace("% --- objective\n", f"{constraint}\n% --- objective\n")
edited = edited.replace('include "lib/', f'include "{models_dir()}/lib/')
print(edited.partition("% --- objective")[0].splitlines()[-2])

# %%
# Without the line, and with it:

names = ["height", "width", "weight", "age", "colour", "shape"]
problem = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=3, dissimilarity=0.5, search="sum", names=names)
with tempfile.TemporaryDirectory() as folder:
    own = Path(folder) / "own.mzn"
    own.write_text(edited)
    before = solve(problem)
    after = solve(problem, str(own))
for answer in before, after:
    print(answer.status, answer.low, [" + ".join(one) for one in answer])

# %%
# The package verifies the sets, and says FEASIBLE: that they are best is the edited model's claim, about a rule
# that the package does not know. The picture shows which features are in which set.

figure = after.plot()
