"""
Editing a MiniZinc model
========================

Every set shall hold feature 3 or feature 5. No option says that, but a line of MiniZinc does. We copy a model, add the
line, and let the package check what comes out. The same edit can be tried in the playground, without installing anything.
"""

import tempfile
from pathlib import Path

from pyfsel import make_instance, solve
from pyfsel.backends.minizinc.own_model import MiniZincModel
from pyfsel.drivers.minizinc.model_files import models_dir

literal = (models_dir() / "simultaneous_sum_literal.mzn").read_text()
constraint = "constraint forall(s in SETS)(selected[s, 3] \\/ selected[s, 5]);\n"
edited = literal.replace("% --- objective\n", f"{constraint}\n% --- objective\n")
edited = edited.replace('include "lib/', f'include "{models_dir()}/lib/')
print(edited.partition("% --- objective")[0].splitlines()[-2])

# %%
# Without the line, and with it:

problem = make_instance(
    [9, 8, 7, 3, 2, 1],
    k=2,
    n_alternatives=2,
    tau=0.5,
    feature_names=["height", "width", "weight", "age", "colour", "shape"],
)
with tempfile.TemporaryDirectory() as folder:
    own = Path(folder) / "own.mzn"
    own.write_text(edited)
    before = solve(problem, search="simultaneous")
    after = solve(problem, MiniZincModel(own), search="simultaneous")
for result in before, after:
    print(result.status, result.objective, [" + ".join(names) for names in result.feature_sets])

# %%
# The package verifies the sets, and says FEASIBLE: that they are best is the edited model's claim, which asks for something
# that the package does not know.

figure = after.plot()
