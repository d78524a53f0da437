"""Names of the types of arrays, by what their entries are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Indices = NDArray[np.intp]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
ShortInts = NDArray[np.int32]
ShortWords = NDArray[np.uint32]
Words = NDArray[np.uint64]
