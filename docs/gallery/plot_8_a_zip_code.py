"""
A column that cannot tell anything
==================================

A table of penguins, in which somebody has left the zip code of whoever weighed the bird. It is random: about 150 of them for
300 birds. Counted as it stands, such a column seems to tell a lot about the species, as most zip codes have seen one or
two birds only.
"""

import numpy as np
import pandas as pd

from pyfsel import make_instance, solve
from pyfsel.measures import quality
from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.tables.table import prepare

rng = np.random.default_rng(0)
species = rng.choice(["Adelie", "Chinstrap", "Gentoo"], size=300, p=[0.44, 0.2, 0.36])
at = pd.Series(species).map({"Adelie": 0, "Chinstrap": 1, "Gentoo": 2}).to_numpy()
birds = pd.DataFrame(
    {
        "bill length": np.array([38.8, 48.8, 47.5])[at] + rng.normal(0, 5, 300),
        "bill depth": np.array([18.3, 18.4, 15.0])[at] + rng.normal(0, 2, 300),
        "flipper length": np.array([190, 196, 217])[at] + rng.normal(0, 14, 300),
        "body mass": np.array([3700, 3730, 5080])[at] + rng.normal(0, 900, 300),
        "sex": rng.choice(["female", "male"], 300),
        "zip code": pd.Categorical(rng.choice(rng.integers(10_000, 99_999, 150), 300)),
    }
)
table = prepare(birds, species)

# %%
# Mutual information as it is counted takes the zip code for the best column of all. The default measure takes off what chance
# alone would make of so many levels:

for measure in ("mutual_info_binned", "information"):
    values = quality(table, measure=measure, normalise=False)
    print(measure, dict(zip(table.feature_names, values.round(2).tolist(), strict=True)))

# %%
# A search proves what is best for the numbers that it is given. Of the first ones the proof is worth nothing:

counted = quality(table, measure="mutual_info_binned")
misled = solve(make_instance(counted, k=2, n_alternatives=1, tau=1, feature_names=table.feature_names))
print(misled.status, misled.feature_sets)

# %%
# With the default measure the zip code is in neither set; a column that is not shown to tell more than chance would have a mark.

result = solve(problem_from_table(table, k=2, n_alternatives=1, tau=1))
print(result)
figure = result.plot()
