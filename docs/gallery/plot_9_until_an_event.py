"""
Times until an event
====================

Four hundred patients, followed until they relapse, or until the study ends or they leave it: then all that is known is that
they had not relapsed by then. Those of the new ward came late and so were followed for a short time only, which says
nothing about the illness. The table is made up; albumin and creatinine make the difference, and two other columns follow these.
"""

import numpy as np
import pandas as pd

from pyfsel import AlternativeFeatureSelector, evaluate

rng, n = np.random.default_rng(0), 400
albumin, creatinine, new_ward = rng.normal(size=n), rng.normal(size=n), rng.random(n) < 0.5
patients = pd.DataFrame(
    {
        "albumin": albumin,
        "total protein": albumin + rng.normal(0, 0.6, n),
        "creatinine": creatinine,
        "urea": creatinine + rng.normal(0, 0.6, n),
        "new ward": new_ward,
        "height": rng.normal(size=n),
        "day of the week": rng.integers(1, 8, n),
    }
)
until_relapse = rng.exponential(30 * np.exp(0.6 * albumin - 0.6 * creatinine))
followed = np.where(new_ward, rng.uniform(1, 12, n), rng.uniform(24, 60, n))

# %%
# The target is two numbers for each row: the time, and whether the event happened then. On the command line these are two
# columns, ``--target months --event relapse``.

y = np.empty(n, dtype=[("event", bool), ("time", float)])
y["event"], y["time"] = until_relapse <= followed, np.minimum(until_relapse, followed)
print(f"{y['event'].sum()} of {n} relapsed, of the new ward {y['event'][new_ward].sum()} of {new_ward.sum()}")

# %%
# If you use the times alone as the target, you find the ward, since it decides how long patients were followed:

as_numbers = AlternativeFeatureSelector(2, n_sets=2, dissimilarity=1).fit(patients, y["time"])
print([one.names for one in as_numbers.sets_])

# %%
# Concordance compares two patients only where it is known who relapsed first. The second set, which shares no feature
# with the first, is the same illness seen in two other columns:

selector = AlternativeFeatureSelector(2, n_sets=2, dissimilarity=1).fit(patients, y)
print(selector.answer_)
figure = selector.answer_.plot()

# %%
# Do they predict? In each fold the sets are selected anew, a Cox model is fitted to them, and the concordance with the rows that
# were held out is measured; 0.5 is chance.

found = evaluate(patients, y, selector, repeats=2)
print(
    found.to_frame()[["set", "score", "score_low", "score_high", "compared"]].round(2).to_string(index=False)
)
