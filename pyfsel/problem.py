"""The neutral, integer description of what is asked; every backend takes it, its JSON is MiniZinc data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.objectives import AGGREGATES, OBJECTIVES, FeatureSet
from pyfsel.quantise import choose_scale, max_overlap_for, quantise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LARGEST_TOTAL = 2**53


@dataclass(frozen=True, eq=False)
class Problem:
    """One alternative-feature-selection problem in integers.

    Find `n_sets` sets of `set_size` features each, any two sharing at most `max_overlap` features (and none
    sharing more with a previous set), such that the aggregated quality is largest. Features are numbered
    from 0, here, in JSON and on the command line.

    Parameters
    ----------
    quality : array of int, shape (n_features,)
        Quantised quality of each feature: user's number × `scale`, rounded.
    n_sets : int
        Number of sets to find, a + 1.
    set_size : int
        Features per set, k.
    max_overlap : int
        Largest number of features that two sets may share, 0 to `set_size`.
    objective : str
        Key of `pyfsel.objectives.OBJECTIVES`.
    aggregate : {"sum", "min"}
        How the qualities of the sets become one objective.
    redundancy : array of int, shape (n_features, n_features), optional
        Symmetric with zero diagonal, on the same scale as `quality`; for objectives that need it.
    conflicts : sequence of pairs of int
        Pairs of features that no set may contain together (FCBF).
    previous_sets : sequence of sets of int
        Sets found earlier, each of `set_size` features; new sets are dissimilar to these too.
    scale : float
        The factor between the user's numbers and the integers.
    feature_names : sequence of str, optional
    min_set_size : int, optional
        Makes `set_size` the largest number of features per set, and this the smallest.
    quality_values, redundancy_values : array of float, optional
        The user's numbers, kept where `quality / scale` does not give them back exactly.

    Raises
    ------
    InputError
        If a value is out of its range, or values do not fit together.

    Examples
    --------
    >>> problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
    >>> problem.n_features
    6
    """

    quality: NDArray[np.int64]
    n_sets: int
    set_size: int
    max_overlap: int
    objective: str = "univariate"
    aggregate: str = "sum"
    redundancy: NDArray[np.int64] | None = None
    conflicts: tuple[tuple[int, int], ...] = ()
    previous_sets: tuple[FeatureSet, ...] = ()
    scale: float = 1.0
    feature_names: tuple[str, ...] = ()
    min_set_size: int | None = None
    quality_values: NDArray[np.float64] | None = field(default=None, repr=False)
    redundancy_values: NDArray[np.float64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        def put(name: str, new: object) -> None:
            object.__setattr__(self, name, new)

        put("quality", _integer_array("quality", self.quality, (None,)))
        n = self.n_features
        if n == 0:
            raise InputError("quality: is empty, must hold at least one feature")
        for name, low, high in (
            ("n_sets", 1, None),
            ("set_size", 1, n),
            ("max_overlap", 0, self.set_size),
        ):
            put(name, _integer(name, getattr(self, name), low, high))
        if self.min_set_size is not None:
            put("min_set_size", _integer("min_set_size", self.min_set_size, 1, self.set_size))
        if self.objective not in OBJECTIVES:
            raise InputError(f"objective={self.objective!r}: must be one of {', '.join(OBJECTIVES)}")
        if self.aggregate not in AGGREGATES:
            raise InputError(f"aggregate={self.aggregate!r}: must be one of {', '.join(AGGREGATES)}")
        if self.has_size_range and OBJECTIVES[self.objective].factor(self.set_size) != 1:
            raise InputError(f"min_set_size={self.min_set_size}: objective={self.objective!r} has one size")
        put("scale", _positive("scale", self.scale))
        put("redundancy", self._checked_redundancy())
        put("conflicts", _pairs("conflicts", self.conflicts, n))
        put("previous_sets", tuple(self._checked_set(s) for s in self.previous_sets))
        put("feature_names", self._checked_names())
        put("quality_values", _float_array("quality_values", self.quality_values, (n,)))
        put("redundancy_values", _float_array("redundancy_values", self.redundancy_values, (n, n)))
        self._check_range()

    def _checked_redundancy(self) -> NDArray[np.int64] | None:
        if self.redundancy is None or np.size(self.redundancy) == 0:
            if OBJECTIVES[self.objective].needs_redundancy:
                raise InputError(f"redundancy: is missing; objective={self.objective!r} needs it")
            return None
        n = self.n_features
        matrix = _integer_array("redundancy", self.redundancy, (n, n))
        if (matrix != matrix.T).any():
            raise InputError("redundancy: must be symmetric")
        if np.diagonal(matrix).any():
            raise InputError("redundancy: its diagonal must be zero")
        return matrix

    def _checked_set(self, members: Iterable[int]) -> FeatureSet:
        indices = [_integer("previous_sets", j, 0, self.n_features - 1) for j in members]
        if len(set(indices)) != len(indices) or len(indices) not in self.sizes:
            raise InputError(f"previous_sets: {indices} must be {self.sizes_text} different features")
        return tuple(sorted(indices))

    def _checked_names(self) -> tuple[str, ...]:
        names = tuple(self.feature_names)
        if not names:
            return tuple(f"x{j}" for j in range(self.n_features))
        if len(names) != self.n_features:
            raise InputError(f"feature_names: has {len(names)} names, must be {self.n_features}")
        if not all(isinstance(name, str) for name in names):
            raise InputError("feature_names: must be strings")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"feature_names: {twice!r} stands more than once")
        return names

    def _check_range(self) -> None:
        if self.largest_total > LARGEST_TOTAL:
            raise InputError(
                f"quality: the objective can reach {self.largest_total}, beyond 2**53; use a smaller scale"
            )

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute integer objective of any solution (solvers have number ranges)."""
        largest = int(np.abs(self.quality).max())
        if self.redundancy is not None:
            largest = max(largest, int(np.abs(self.redundancy).max()))
        magnitude: int = OBJECTIVES[self.objective].magnitude(self.set_size)
        return largest * magnitude * self.n_sets

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.quality)

    @property
    def has_size_range(self) -> bool:
        """Whether sets may differ in size."""
        return self.min_set_size is not None and self.min_set_size < self.set_size

    @property
    def sizes(self) -> range:
        """The sizes that a set may have."""
        smallest = self.set_size if self.min_set_size is None else self.min_set_size
        return range(smallest, self.set_size + 1)

    @property
    def sizes_text(self) -> str:
        """The allowed sizes in words."""
        return f"{self.sizes[0]} to {self.set_size}" if self.has_size_range else str(self.set_size)

    @property
    def is_exact(self) -> bool:
        """Whether the integers divided by `scale` are exactly the user's numbers."""
        return self.quality_values is None and self.redundancy_values is None

    @property
    def quality_floats(self) -> NDArray[np.float64]:
        """The user's qualities, shape (n_features,)."""
        return self.quality / self.scale if self.quality_values is None else self.quality_values

    @property
    def redundancy_floats(self) -> NDArray[np.float64] | None:
        """The user's redundancies, shape (n_features, n_features), or None."""
        if self.redundancy_values is not None or self.redundancy is None:
            return self.redundancy_values
        return self.redundancy / self.scale

    def replace(self, **changes: Any) -> Problem:
        """Return a copy with some fields changed (and validated again)."""
        return replace(self, **changes)

    def names_of(self, feature_set: FeatureSet) -> list[str]:
        """Return the names of the features of a set."""
        return [self.feature_names[j] for j in feature_set]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python data: the content of the JSON file, which MiniZinc reads as it is."""
        data: dict[str, Any] = {
            "n_features": self.n_features,
            "n_sets": self.n_sets,
            "set_size": self.set_size,
            "max_overlap": self.max_overlap,
            "objective": self.objective,
            "aggregate": self.aggregate,
            "scale": self.scale,
            "quality": self.quality.tolist(),
            "redundancy": [] if self.redundancy is None else self.redundancy.tolist(),
            "conflicts": [list(pair) for pair in self.conflicts],
            "previous_sets": [{"set": list(members)} for members in self.previous_sets],
            "feature_names": list(self.feature_names),
        }
        if self.has_size_range:
            data["min_set_size"] = self.min_set_size
        for name in ("quality_values", "redundancy_values"):
            if getattr(self, name) is not None:
                data[name] = getattr(self, name).tolist()
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problem:
        """Build a problem from what `to_dict` returns; missing optional fields take their defaults.

        Raises
        ------
        InputError
            If a required field is missing, or a value is not allowed.
        """
        known = {f.name for f in fields(cls)}
        required = ("quality", "n_sets", "set_size", "max_overlap")
        missing = [name for name in required if name not in data]
        if missing:
            raise InputError(f"problem: lacks {', '.join(missing)}")
        chosen = {name: data[name] for name in data if name in known}
        if "previous_sets" in chosen:
            chosen["previous_sets"] = [
                s["set"] if isinstance(s, Mapping) else s for s in chosen["previous_sets"]
            ]
        problem = cls(**chosen)
        if data.get("n_features", problem.n_features) != problem.n_features:
            raise InputError(f"n_features={data['n_features']}: quality has {problem.n_features} values")
        return problem

    def to_json(self) -> str:
        """Return the problem as JSON text that MiniZinc reads as data."""
        return _minizinc_json(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Problem:
        """Read what `to_json` writes; raise `InputError` for anything else."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise InputError(f"problem: is not JSON ({error})") from None
        if not isinstance(data, dict):
            raise InputError("problem: the JSON must be an object")
        return cls.from_dict(data)

    def save(self, path: str | Path) -> None:
        """Write the JSON file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Problem:
        """Read a JSON file; raise `InputError` if it is unreadable or not a problem."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None
        return cls.from_json(text)


def make_problem(
    quality: ArrayLike,
    redundancy: ArrayLike | None = None,
    *,
    objective: str = "univariate",
    k: int,
    n_alternatives: int = 0,
    tau: float | None = None,
    max_overlap: int | None = None,
    dissimilarity: str = "dice",
    aggregate: str = "sum",
    previous_sets: Sequence[Iterable[int]] = (),
    feature_names: Sequence[str] | None = None,
    scale: float | None = None,
) -> Problem:
    """Build a `Problem` from float qualities, which are quantised here once and never again.

    Parameters
    ----------
    quality : array-like of float, shape (n_features,)
        Quality of each feature, taken as it is; normalising belongs to the measures.
    redundancy : array-like of float, shape (n_features, n_features), optional
        Pairwise dependence ``redundancy[j, i]`` of feature j on feature i. For ``objective="mrmr"`` it is
        made symmetric by averaging with its transpose and its diagonal is ignored. For ``objective="fcbf"``
        it must be in the unit of `quality` and gives the conflicts.
    objective : {"univariate", "fcbf", "mrmr"}
        Paper 000, Eq. 11, 12 and 13.
    k : int
        Features per set.
    n_alternatives : int
        Number of sets besides the original one, a.
    tau, max_overlap
        With alternatives or previous sets, exactly one of the two: the dissimilarity threshold in [0, 1], or
        the largest number of features that two sets share.
    dissimilarity : {"dice", "jaccard"}
        What `tau` refers to.
    aggregate : {"sum", "min"}
        How the qualities of the sets become one objective in simultaneous search.
    previous_sets : sequence of iterables of int
        Sets of k features that the new ones must be dissimilar to.
    feature_names : sequence of str, optional
    scale : float, optional
        Factor between floats and integers; chosen by `pyfsel.quantise.choose_scale` if not given.

    Returns
    -------
    Problem

    Raises
    ------
    InputError
        If an argument is missing, out of range, not finite, or does not fit the others.

    Examples
    --------
    >>> make_problem([0.5, 0.3, 0.2], k=2, n_alternatives=1, tau=0.5).max_overlap
    1
    """
    q = _float_array("quality", quality, (None,))
    assert q is not None
    n = len(q)
    if n == 0:
        raise InputError("quality: is empty, must hold at least one feature")
    k = _integer("k", k, 1, n)
    n_sets = _integer("n_alternatives", n_alternatives, 0, None) + 1
    previous = tuple(tuple(members) for members in previous_sets)
    if tau is not None and max_overlap is not None:
        raise InputError(f"tau={tau!r} and max_overlap={max_overlap!r}: give exactly one of the two")
    if tau is not None:
        max_overlap = max_overlap_for(k, tau, dissimilarity)
    elif max_overlap is None:
        if n_sets > 1 or previous:
            raise InputError("tau: is missing; with alternatives give exactly one of tau and max_overlap")
        max_overlap = k
    max_overlap = _integer("max_overlap", max_overlap, 0, k)
    if objective not in OBJECTIVES:
        raise InputError(f"objective={objective!r}: must be one of {', '.join(OBJECTIVES)}")
    r = _float_array("redundancy", redundancy, (n, n))
    if r is None and OBJECTIVES[objective].needs_pairs:
        raise InputError(f"redundancy: is missing; objective={objective!r} needs it")
    conflicts = fcbf_conflicts(q, r) if objective == "fcbf" and r is not None else ()
    r = _symmetric(r) if OBJECTIVES[objective].needs_redundancy and r is not None else None
    numbers = q if r is None else np.concatenate([q, r.ravel()])
    if scale is None:
        scale = choose_scale(numbers, OBJECTIVES[objective].magnitude(k) * n_sets)
    else:
        scale = _positive("scale", scale)
    q_integers, q_exact = quantise(q, scale)
    r_integers, r_exact = (None, True) if r is None else quantise(r, scale)
    return Problem(
        quality=q_integers,
        n_sets=n_sets,
        set_size=k,
        max_overlap=max_overlap,
        objective=objective,
        aggregate=aggregate,
        redundancy=r_integers,
        conflicts=conflicts,
        previous_sets=previous,
        scale=scale,
        feature_names=() if feature_names is None else tuple(feature_names),
        quality_values=None if q_exact else q,
        redundancy_values=None if r_exact else r,
    )


def fcbf_conflicts(
    quality: NDArray[np.float64], redundancy: NDArray[np.float64]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs that FCBF forbids: some order has q(X_i, y) ≤ q(X_j, X_i) (paper 000, Eq. 12)."""
    dominated = quality[None, :] <= redundancy
    either = dominated | dominated.T
    return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(either, 1)))


def _symmetric(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    mean = (matrix + matrix.T) / 2
    np.fill_diagonal(mean, 0.0)
    return mean


def _positive(name: str, number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not 0 < float(number) < np.inf:
        raise InputError(f"{name}={number!r}: must be a positive number")
    return float(number)


def _integer(name: str, number: Any, low: int, high: int | None) -> int:
    allowed = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Integral):
        raise InputError(f"{name}={number!r}: must be {allowed}")
    integer = int(number)
    if integer < low or (high is not None and integer > high):
        raise InputError(f"{name}={integer}: must be {allowed}")
    return integer


def _array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.generic]:
    try:
        array = np.array(numbers)
    except ValueError:
        raise InputError(f"{name}: rows differ in length") from None
    wanted = "×".join("n" if side is None else str(side) for side in shape)
    if array.ndim != len(shape) or any(
        side not in (None, found) for side, found in zip(shape, array.shape, strict=True)
    ):
        raise InputError(f"{name}: has shape {array.shape}, must be {wanted}")
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{name}: must be numbers, not {array.dtype}")
    return array


def _integer_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.int64]:
    array = _array(name, numbers, shape)
    if array.size and array.dtype.kind == "f":
        raise InputError(f"{name}: must be integers; make_problem quantises floats")
    result = array.astype(np.int64)
    result.flags.writeable = False
    return result


def _float_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64] | None:
    if numbers is None:
        return None
    result = _array(name, numbers, shape).astype(np.float64)
    if not np.isfinite(result).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        position = where[0] if len(where) == 1 else where
        raise InputError(f"{name}: is {result[where]} at {position}, must be finite")
    result.flags.writeable = False
    return result


def _pairs(name: str, pairs: Iterable[Iterable[int]], n: int) -> tuple[tuple[int, int], ...]:
    result = set()
    for pair in pairs:
        members = sorted(_integer(name, j, 0, n - 1) for j in pair)
        if len(members) != 2 or members[0] == members[1]:
            raise InputError(f"{name}: {members} must be two different features")
        result.add((members[0], members[1]))
    return tuple(sorted(result))


def _minizinc_json(data: Mapping[str, Any]) -> str:
    """Write JSON without exponents, which MiniZinc's reader does not know."""

    def text(item: Any) -> str:
        if isinstance(item, float):
            return np.format_float_positional(item, trim="0")
        if isinstance(item, list):
            return "[" + ", ".join(text(part) for part in item) + "]"
        return json.dumps(item, ensure_ascii=False)

    lines = [f"  {json.dumps(name)}: {text(item)}" for name, item in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
