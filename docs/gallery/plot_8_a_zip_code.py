"""
A feature without information
=============================

A table of penguins, in which somebody has left the zip code of whoever weighed the bird. It is random: about 150 of them for
300 birds. Counted as it is, such a feature seems to say a lot about the species, because most zip codes have seen one or
two birds only.
"""

import numpy as np
import pandas as pd

from pyfsel import Problem, measure, solve

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

# %%
# Mutual information as it is counted takes the zip code for the best column of all. The default measure subtracts what chance
# alone would make of this many categories:

counted, beyond_chance = measure(birds, species, by="mutual_info_binned"), measure(birds, species)
for scores in counted, beyond_chance:
    print(dict(zip(scores.names, scores.quality.round(2).tolist(), strict=True)))

# %%
# A search proves what is best for the numbers that it is given. Of the first ones the proof is worth nothing:

misled = solve(Problem(counted, k=2, n_sets=2, dissimilarity=1))
print(misled.status, [one.names for one in misled])

# %%
# With the default measure the zip code is in neither set; a feature that is not significant would have a mark.

answer = solve(Problem(beyond_chance, k=2, n_sets=2, dissimilarity=1))
print(answer)
figure = answer.plot()
