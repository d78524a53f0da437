"""scikit-learn's bundled data sets, read without importing scikit-learn, which takes seconds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.problem.checks import one_of

if TYPE_CHECKING:
    import pandas as pd

CELL = (
    "radius,texture,perimeter,area,smoothness,compactness,concavity,concave points,symmetry,fractal dimension"
)
NAMES = {
    "breast_cancer": ",".join(
        how.format(name) for how in ("mean {}", "{} error", "worst {}") for name in CELL.split(",")
    ),
    "diabetes": "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6",
    "digits": ",".join(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
    "iris": "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)",
    "wine": "alcohol,malic_acid,ash,alcalinity_of_ash,magnesium,total_phenols,flavanoids,"
    "nonflavanoid_phenols,proanthocyanins,color_intensity,hue,od280/od315_of_diluted_wines,proline",
}
"""The names of the features, as the first line of a file would have them."""
DATASETS = tuple(NAMES)


def load_dataset(name: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return one of scikit-learn's bundled data sets: breast_cancer, diabetes, digits, iris or wine.

    Parameters
    ----------
    name : str

    Returns
    -------
    X : DataFrame, shape (n_rows, n_features)
    y : Series, shape (n_rows,)

    Raises
    ------
    InputError
        If the name of the data set is unknown.
    """
    import pandas as pd

    one_of("dataset", name, DATASETS)
    found = find_spec("sklearn")  # where it is; nothing of it is run
    assert found is not None
    folder = Path(str(found.origin)).parent / "datasets" / "data"
    if name == "diabetes":
        raw, y = (np.loadtxt(folder / f"diabetes_{part}.csv.gz") for part in ("data_raw", "target"))
        # not mean and std, which sum in another order than scikit-learn does: the last bits would differ
        X = (raw - np.nanmean(raw, axis=0)) / np.nanstd(raw, axis=0) / len(raw) ** 0.5
    else:
        # the target is the last column; unless compressed, a line of sizes and classes is above the rows
        path = next(folder.glob(f"{name}*"))
        rows = np.loadtxt(path, delimiter=",", skiprows=0 if path.suffix == ".gz" else 1)
        X, y = rows[:, :-1], rows[:, -1].astype(int)
    return pd.DataFrame(X, columns=NAMES[name].split(",")), pd.Series(y, name="target")
