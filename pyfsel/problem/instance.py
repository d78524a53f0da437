"""The neutral, integer description of a problem; every backend accepts it, its JSON is MiniZinc data."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.problem.checks import (
    finite_array,
    index_pairs,
    integer_array,
    integer_in,
    is_a,
    list_of,
    one_of,
    positive_number,
    shown,
)
from pyfsel.problem.copies import checked_copies
from pyfsel.problem.evidence import Evidence
from pyfsel.problem.json import (
    FORMAT,
    fields_from_dict,
    instance_text,
    json_object,
    upgraded,
)
from pyfsel.problem.least_squares import CRITERIA
from pyfsel.problem.objectives import (
    AGGREGATES,
    KNOWN_TO_MODELS,
    OBJECTIVES,
    SEARCHES,
    SET_TERMS,
    FeatureSet,
    require_taken,
)
from pyfsel.problem.redundancies import LazyRedundancy, LazyRedundancyFloats
from pyfsel.problem.side_constraints import (
    LARGEST_TOTAL,
    Group,
    checked_side_constraints,
    groups_to_dict,
    sizes_text,
)
from pyfsel.problem.text_files import read_text, reading, write_text
from pyfsel.problem.wording import number_of

NUMBERS = ("quality", "pairs", "lazy_pairs", "objective", "scale")
"""Fields of which the others depend, or that are checked together."""
OPTIONAL = (
    *("objective_ridge", "objective_criterion", "objective_rows", "shared_weight", "shared_constant"),
    *("shared_by_smaller", "measured_unit"),
)
"""Names that a file has where their values are not the usual ones, none of which is true."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance:
    """One alternative-feature-selection problem in integers.

    Find `n_sets` sets of `k` features each, any two sharing at most `max_shared` features (and none
    sharing more with a previous set), such that the aggregated quality is largest. Features are numbered
    from 0, here, in JSON and on the command line.

    Parameters
    ----------
    quality : array of int, shape (n_features,)
        Quantised quality of each feature: user's number × `scale`, rounded.
    n_sets : int
        Number of sets to find, a + 1.
    k : int
        Features per set, k.
    max_shared : int
        Largest number of features that two sets may share, 0 to `k`.
    objective : str
        Key of `pyfsel.problem.objectives.OBJECTIVES`.
    aggregate : {"sum", "min", "weighted", "difference"}
        How the qualities of the sets become one objective: their sum, the smallest one, both with the weights
        below, or the smallest one minus the largest one (paper 000, Eq. 17 to 19 and A.1).
    pairs : array of int, shape (n_features, n_features), optional
        Symmetric with zero diagonal, on the same scale as `quality`; for objectives that need it.
    lazy_pairs : LazyRedundancy, optional
        In place of `pairs`, for sums over pairs: redundancies that are computed when they are needed.
    conflicts : sequence of pairs of int
        Pairs of features that no set may contain together (FCBF).
    relatives : sequence of pairs of int
        Features that measure the same: one that is related to a feature of a previous set counts as shared
        with it. For sets that are found one after another, of one size.
    previous : sequence of sets of int
        Sets found earlier, each of `k` features; new sets are dissimilar to these too. Each is kept
        together with its relatives (`with_relatives`).
    scale : float
        The factor between the user's numbers and the integers.
    feature_names : sequence of str, optional
    k_min : int, optional
        Makes `k` the largest number of features per set, and this the smallest.
    shared_weight, size_weight : int, optional
        For sets that differ in size, in addition to `max_shared`:
        ``shared_weight · |A ∩ B| ≤ size_weight · (|A| + |B|) + shared_constant`` (paper 000, Eq. 4 and 7).
    shared_constant : int
    shared_by_smaller : bool
        Twice the smaller size counts in place of both sizes.
    forced, forbidden : sequences of int
        Features that every set holds, and that none holds.
    groups : sequence of Group
        Features of which every set contains a minimum and a maximum number, or all or none.
    costs : array of int, shape (n_features,), optional
        Cost of each feature, not negative: user's number × `cost_scale` (paper 001, Definition 1). Only
        where no quality is positive they may be: such are the problems that `pyfsel.explore.cheapest` solves,
        in which qualities and costs have changed places.
    budget : int, optional
        The most that the features of one set may cost together.
    cost_scale : float
    min_quality : int, optional
        The least value that every set must have, as `pyfsel.problem.values.value` computes it.
    shared_price : int
        What each feature that two sets share takes from the sum of the qualities, also one that a set shares
        with a previous one: user's price × `scale`. Overlap is paid for then, in addition to being bounded.
    sum_weight, min_weight : int
        With ``aggregate="weighted"``: so many times the sum and the smallest value count, at least once.
    objective_ridge : float
        What penalty on coefficients of least squares is in the numbers already (`pyfsel.make_instance`).
    objective_criterion, objective_rows : str and int, optional
        What sets of least squares that differ in size are compared by, a key of
        `pyfsel.problem.least_squares.CRITERIA`, and the rows that were measured.
    copies : sequence of pairs of int and str, optional
        Columns of the table that are not features, since one stands for them: the feature, and the name of
        the column (`pyfsel.problem.copies`).
    measured_unit : str
        What the qualities were measured in, in words, such as "nats of mutual information"; "" if unknown.
    search : {"sequential", "simultaneous"}, optional
        How the sets are to be found unless a call says otherwise: one after another, or all at once. An
        instance whose known optimum is the optimum of all sets together states it.
    exact_quality, exact_pairs : array of float, optional
        The user's numbers, kept where `quality / scale` does not give them back exactly.

    Raises
    ------
    InputError
        If a value is out of its range, or values do not fit together.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> problem.n_features
    6
    """

    quality: NDArray[np.int64]
    n_sets: int
    k: int
    max_shared: int
    objective: str = "univariate"
    aggregate: str = "sum"
    pairs: NDArray[np.int64] | None = None
    lazy_pairs: LazyRedundancy | None = None
    conflicts: Sequence[tuple[int, int]] = ()
    previous: tuple[FeatureSet, ...] = ()
    relatives: Sequence[tuple[int, int]] = ()
    scale: float = 1.0
    feature_names: tuple[str, ...] = ()
    k_min: int | None = None
    shared_weight: int | None = None
    size_weight: int | None = None
    shared_constant: int = 0
    shared_by_smaller: bool = False
    forced: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    groups: tuple[Group, ...] = ()
    costs: NDArray[np.int64] | None = None
    budget: int | None = None
    cost_scale: float = 1.0
    min_quality: int | None = None
    shared_price: int = 0
    sum_weight: int = 1
    min_weight: int = 1
    objective_ridge: float = 0.0
    objective_criterion: str | None = None
    objective_rows: int | None = None
    copies: tuple[tuple[int, str], ...] = ()
    measured_unit: str = ""
    search: str | None = None
    evidence: Evidence | None = None
    exact_quality: NDArray[np.float64] | None = None
    exact_pairs: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        self._check({each.name for each in fields(self)})

    def _check(self, changed: Set[str]) -> None:
        """Validate the fields, but not again large ones that, with all they depend on, have not changed."""

        def put(name: str, new: object) -> None:
            object.__setattr__(self, name, new)

        numbers = not changed.isdisjoint(NUMBERS)
        if numbers:
            put("quality", integer_array("quality", self.quality, (None,)))
        n = self.n_features
        if n == 0:
            raise InputError("quality: is empty, must hold at least one feature")
        for name, low, high in (
            ("n_sets", 1, None),
            ("k", 1, n),
            ("max_shared", 0, self.k),
        ):
            put(name, integer_in(name, getattr(self, name), low, high))
        if self.k_min is not None:
            put("k_min", integer_in("k_min", self.k_min, 1, self.k))
        one_of("objective", self.objective, OBJECTIVES)
        one_of("aggregate", self.aggregate, AGGREGATES)
        if self.search is not None:
            one_of("search", self.search, SEARCHES)
        if self.search == "sequential" and self.aggregate != "sum":
            raise InputError(
                f"aggregate={self.aggregate!r}: is for sets that are found together, not search='sequential'"
            )
        check_sizes(self.objective, self.sizes)
        for name, low in (("shared_price", 0), ("sum_weight", 1), ("min_weight", 1)):
            put(name, integer_in(name, getattr(self, name), low, LARGEST_TOTAL))
        if self.shared_price and self.aggregate != "sum":
            raise InputError(f"shared_price: is taken from a sum, not from aggregate={self.aggregate!r}")
        put("scale", positive_number("scale", self.scale))
        if self.objective_criterion is not None:
            self._check_criterion()
        for name, checked in checked_side_constraints(n, self.sizes, vars(self)).items():
            put(name, checked)
        if numbers:
            put("pairs", self._checked_redundancy())
        if numbers or "conflicts" in changed:
            put("conflicts", index_pairs("conflicts", self.conflicts, n))
        self._check_relatives()
        put("relatives", index_pairs("relatives", self.relatives, n))
        if numbers or "feature_names" in changed:
            put("feature_names", self._checked_names())
        put("previous", tuple(self._checked_set(s) for s in list_of("previous", self.previous)))
        is_a("measured_unit", self.measured_unit, str, "a text")
        put("copies", checked_copies(self.copies, self.feature_names))
        put("evidence", None if self.evidence is None else self.evidence.checked(n))
        for name, shape in (("exact_quality", (n,)), ("exact_pairs", (n, n))):
            given = getattr(self, name)
            if given is not None and (numbers or name in changed):
                put(name, finite_array(name, given, shape))
        if numbers:
            OBJECTIVES[self.objective].check(self.quality, self.pairs, self.scale)
            vars(self).pop("_largest_number", None)
        if self.largest_total > LARGEST_TOTAL:
            raise InputError(
                f"quality: the objective can reach {self.largest_total}, beyond 2**53; use a smaller scale"
            )

    def _check_criterion(self) -> None:
        require_taken(self.objective, criterion=self.objective_criterion)
        one_of("objective_criterion", self.objective_criterion, CRITERIA)
        if self.objective_ridge:
            raise InputError(
                f"objective_criterion={self.objective_criterion!r}: counts coefficients without a penalty"
            )
        if self.objective_rows is None:
            raise InputError(
                f"objective_rows: is missing; objective_criterion={self.objective_criterion!r} needs it"
            )
        integer_in("objective_rows", self.objective_rows, self.k + 2, None)

    def _checked_redundancy(self) -> NDArray[np.int64] | None:
        if self.lazy_pairs is not None:
            self._check_lazy_redundancy(self.lazy_pairs)
        if self.pairs is None or (isinstance(self.pairs, Sequence) and not self.pairs):
            if self.lazy_pairs is None and not OBJECTIVES[self.objective].is_sum:
                raise InputError(f"pairs: is missing; objective={self.objective!r} needs it")
            return None
        n = self.n_features
        matrix = integer_array("pairs", self.pairs, (n, n))
        if (matrix != matrix.T).any():
            raise InputError("pairs: must be symmetric")
        if np.diagonal(matrix).any():
            raise InputError("pairs: its diagonal must be zero")
        return matrix

    def _check_lazy_redundancy(self, redundancies: LazyRedundancy) -> None:
        is_a("lazy_pairs", redundancies, LazyRedundancy, "LazyRedundancy")
        if self.pairs is not None:
            raise InputError("lazy_pairs: must not be given together with pairs")
        if not OBJECTIVES[self.objective].has_pairs:
            raise InputError(f"lazy_pairs: objective={self.objective!r} is no sum over pairs")
        if redundancies.n_features != self.n_features:
            raise InputError(
                f"lazy_pairs: is for {redundancies.n_features} features, must be for {self.n_features}"
            )

    def _checked_set(self, members: Iterable[int]) -> FeatureSet:
        listed = list_of("previous", members)
        indices = [integer_in("previous", j, 0, self.n_features - 1) for j in listed]
        is_with_relatives = len(self.relatives) > 0 and len(indices) > self.k
        if len(set(indices)) != len(indices) or not (len(indices) in self.sizes or is_with_relatives):
            named = [self.feature_names[j] for j in indices]
            raise InputError(f"previous: {named} must be {self.sizes_text} different features")
        return tuple(sorted(indices)) if is_with_relatives else self.with_relatives(indices)

    def _check_relatives(self) -> None:
        """Refuse what the rule of relatives is not defined for: it bounds features of sets of one size."""
        if len(self.relatives) == 0:
            return
        for name, given in (("k_min", self.has_size_range), ("shared_price", self.shared_price)):
            if given:
                raise InputError(
                    f"relatives: are for sets of one size with a limit on what they share, without {name}"
                )

    def with_relatives(self, members: Iterable[int]) -> FeatureSet:
        """Return the features of a set and their relatives: what a later set may have few of.

        Examples
        --------
        >>> Instance([4, 3, 2, 1], 2, 1, 0, relatives=[(0, 2), (2, 3)]).with_relatives([0])
        (0, 2)
        """
        inside = [int(j) for j in members]
        if len(self.relatives) == 0:
            return tuple(sorted(inside))
        pairs = np.asarray(self.relatives)
        near = pairs[np.isin(pairs, inside).any(axis=1)]
        return tuple(np.union1d(inside, near).astype(int).tolist())

    def _checked_names(self) -> tuple[str, ...]:
        names = tuple(list_of("feature_names", self.feature_names))
        if not names:
            return default_names(self.n_features)
        if len(names) != self.n_features:
            raise InputError(f"feature_names: has {len(names)} names, must be {self.n_features}")
        for name in names:
            if not isinstance(name, str) or (not name.isascii() and _lacks_utf8(name)):
                raise InputError(f"feature_names: holds {shown(name)}, must hold texts (Unicode)")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"feature_names: {twice!r} stands more than once")
        return names

    @cached_property
    def _largest_number(self) -> int:
        """Return the largest absolute value of a quality or redundancy."""
        largest = int(np.abs(self.quality).max())
        if self.pairs is not None:
            largest = max(largest, int(np.abs(self.pairs).max()))
        return largest if self.lazy_pairs is None else max(largest, self.lazy_pairs.largest)

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute integer objective of any solution (solvers have number ranges)."""
        kind = OBJECTIVES[self.objective]
        sum_weight, min_weight, _ = self.aggregate_weights
        n, k = self.n_sets, self.k
        n_values: int = max(n, sum_weight * n + min_weight)
        n_shared = k * (n * (n - 1) // 2 + n * len(self.previous)) if self.shared_price else 0
        price = n_shared * self.shared_price * kind.factor(k)
        return int(self._largest_number * kind.magnitude(k, self.n_features) * n_values + price)

    @property
    def aggregate_weights(self) -> tuple[int, int, int]:
        """How often the sum and the smallest value count in the objective, and the largest against it."""
        weighted = (self.sum_weight, self.min_weight, 0)
        known = {"sum": (1, 0, 0), "min": (0, 1, 0), "weighted": weighted, "difference": (0, 1, 1)}
        return known[self.aggregate if self.n_sets > 1 else "sum"]

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.quality)

    @property
    def has_size_range(self) -> bool:
        """Whether sets may differ in size."""
        return self.k_min is not None and self.k_min < self.k

    @property
    def sizes(self) -> range:
        """The sizes that a set may have."""
        smallest = self.k if self.k_min is None else self.k_min
        return range(smallest, self.k + 1)

    @property
    def sizes_text(self) -> str:
        """The allowed sizes in words."""
        return sizes_text(self.sizes)

    @property
    def set_terms(self) -> dict[str, int]:
        """The numbers of what the objective has beyond the values of the sets, by their names in files."""
        weights = {"sum_weight": self.sum_weight, "min_weight": self.min_weight}
        price = {"shared_price": self.shared_price} if self.shared_price else {}
        return price | (weights if self.aggregate == "weighted" else {})

    @property
    def side_constraints(self) -> tuple[str, ...]:
        """Which of `pyfsel.problem.side_constraints.SIDE_CONSTRAINTS` the problem has, and of `SET_TERMS`."""
        present = {
            "size_range": self.has_size_range,
            "forced": bool(self.forced),
            "forbidden": bool(self.forbidden),
            "groups": bool(self.groups),
            "budget": self.budget is not None,
            "min_quality": self.min_quality is not None,
            "shared_price": bool(self.shared_price and (self.n_sets > 1 or self.previous)),
            "weighted": self.aggregate == "weighted" and self.n_sets > 1,
            "difference": self.aggregate == "difference" and self.n_sets > 1,
            "relatives": len(self.relatives) > 0 and self.n_sets > 1,
        }
        return tuple(name for name, is_there in present.items() if is_there)

    @property
    def is_exact(self) -> bool:
        """Whether the integers divided by `scale` are exactly the user's numbers."""
        return self.exact_quality is None and self.exact_pairs is None

    @property
    def quality_floats(self) -> NDArray[np.float64]:
        """The user's qualities, shape (n_features,)."""
        return self.quality / self.scale if self.exact_quality is None else self.exact_quality

    @property
    def pairs_floats(self) -> NDArray[np.float64] | LazyRedundancyFloats | None:
        """The user's redundancies, shape (n_features, n_features), or None."""
        if self.lazy_pairs is not None:
            return LazyRedundancyFloats(self.lazy_pairs, self.scale)
        if self.exact_pairs is not None or self.pairs is None:
            return self.exact_pairs
        return self.pairs / self.scale

    def replace(self, **changes: Any) -> Instance:
        """Return a copy with some fields changed, and these validated.

        Raises
        ------
        InputError
            If a new value is not allowed.
        TypeError
            If the field does not exist.
        """
        unknown = changes.keys() - {each.name for each in fields(self)}
        if unknown:
            raise TypeError(f"Instance has no field {min(unknown)!r}")
        changed = copy.copy(self)
        vars(changed).update(changes)
        changed._check(changes.keys())
        return changed

    def after(self, found: Iterable[Iterable[int]]) -> Instance:
        """Return the next step of a sequential search: one set, and `found` among the previous sets.

        Only the found sets are validated, so long searches stay fast.
        """
        step = copy.copy(self)
        more = tuple(self._checked_set(members) for members in found)
        for name, new in (
            ("n_sets", 1),
            ("aggregate", "sum"),
            ("previous", (*self.previous, *more)),
        ):
            object.__setattr__(step, name, new)
        return step

    def names_of(self, feature_set: FeatureSet) -> list[str]:
        """Return the names of the features of a set."""
        return [self.feature_names[j] for j in feature_set]

    def copies_of(self, feature: int) -> list[str]:
        """Return the names of the columns that a feature stands for in addition to itself."""
        return [name for j, name in self.copies if j == feature]

    def __repr__(self) -> str:
        sets = number_of(self.n_sets, "set")
        sets += f", {self.aggregate} of qualities," if self.n_sets > 1 else ""
        known = f", {number_of(len(self.previous), 'known set')}" if self.previous else ""
        return (
            f"<Instance: {sets} of {self.sizes_text} out of {self.n_features} features, {self.objective}, "
            f"at most {self.max_shared} shared{known}>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance) or self.lazy_pairs is not other.lazy_pairs:
            return False
        return self._to_dict() == other._to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python data: the content of the JSON file, which MiniZinc reads as it is.

        Raises
        ------
        InputError
            If redundancies are computed on demand.
        """
        require_in_memory(self)
        return self._to_dict()

    def _to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "format": FORMAT,
            "objective": self.objective,
            "n_features": self.n_features,
            "n_sets": self.n_sets,
            "k": self.k,
            "max_shared": self.max_shared,
            "forced": list(self.forced),
            "forbidden": list(self.forbidden),
            "conflicts": np.asarray(self.conflicts).tolist(),
            "previous": [{"set": list(members)} for members in self.previous],
            **groups_to_dict(self.groups),
            "costs": [] if self.costs is None else self.costs.tolist(),
            "scale": self.scale,
            "feature_names": list(self.feature_names),
            "quality": self.quality.tolist(),
            "pairs": [] if self.pairs is None else self.pairs.tolist(),
            **self.set_terms,
        }
        if self.objective not in KNOWN_TO_MODELS:
            data |= OBJECTIVES[self.objective].data(self.k)
        if self.search_word:
            data["search"] = self.search_word
        if self.has_size_range:
            data["k_min"] = self.k_min
        if len(self.relatives):
            data["relatives"] = np.asarray(self.relatives).tolist()
        if self.costs is not None:
            data["cost_scale"] = self.cost_scale
        if self.copies:
            data["measured_duplicate_of"] = [feature for feature, _ in self.copies]
            data["measured_duplicates"] = [name for _, name in self.copies]
        if self.evidence is not None:
            data |= self.evidence.to_dict()
        data |= {name: value for name in OPTIONAL if (value := getattr(self, name))}
        for name in ("size_weight", "budget", "min_quality"):
            if (value := getattr(self, name)) is not None:
                data[name] = value
        for name in ("exact_quality", "exact_pairs"):
            if (values := getattr(self, name)) is not None:
                data[name] = values.tolist()
        return data

    @property
    def search_word(self) -> str | None:
        """How the sets are found and what is best among several, in one word of files; None: not stated."""
        if self.search == "sequential":
            return "sequential"
        return None if self.search is None and self.aggregate == "sum" else self.aggregate

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Instance:
        """Build a problem from what `to_dict` returns; missing optional fields take their defaults.

        Raises
        ------
        InputError
            If a name is unknown and does not begin with an underscore, a required field is missing, or a
            value is not allowed.
        """
        is_a("problem", data, Mapping, "what Instance.to_dict returns")
        chosen = fields_from_dict(data)
        data = upgraded(data)
        problem = cls(**chosen, evidence=Evidence.from_dict(data))
        if data.get("n_features", problem.n_features) != problem.n_features:
            raise InputError(f"n_features={data['n_features']}: quality has {problem.n_features} values")
        for name, its in OBJECTIVES[problem.objective].data(problem.k).items():
            if data.get(name, its) != its:
                raise InputError(f"{name}={data[name]}: objective={problem.objective!r} has {its}")
        return problem

    def to_json(self) -> str:
        """Return the problem as JSON text that MiniZinc reads as data."""
        return instance_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Instance:
        """Read what `to_json` writes; raise `InputError` for anything else."""
        return cls.from_dict(json_object(text))

    def save(self, path: str | Path) -> None:
        """Write the JSON file."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Instance:
        """Read a JSON file; raise `InputError` if it is unreadable or not a problem."""
        text = read_text(path)
        with reading(path):
            return cls.from_json(text)


def require_problem(problem: object) -> None:
    """Raise `InputError` unless this is a problem."""
    is_a("problem", problem, Instance, "a Instance, such as make_instance returns")


def require_sum_or_min(problem: object) -> None:
    """Raise an error unless this is a problem whose objective is a sum or a minimum and nothing else."""
    require_problem(problem)
    assert isinstance(problem, Instance)
    more = [name for name in problem.side_constraints if name in SET_TERMS]
    if more:
        raise InputError(f"{more[0]}: is for solve; this knows the sum and the smallest of the qualities")


def require_in_memory(problem: Instance) -> None:
    """Raise `InputError` if redundancies are computed on demand, so the problem cannot be written."""
    if problem.lazy_pairs is not None:
        raise InputError(
            f"lazy_pairs: that of {problem.n_features} features is not in memory and cannot be written. "
            "Fewer features can be: --keep-best"
        )


def _lacks_utf8(name: str) -> bool:
    """Return whether a text holds half a character (a lone surrogate), which no file can."""
    return any("\ud800" <= letter <= "\udfff" for letter in name)


def default_names(n_features: int) -> tuple[str, ...]:
    """Return the names of features that have none of their own."""
    return tuple(f"x{j}" for j in range(n_features))


def check_sizes(objective: str, sizes: range) -> None:
    """Raise `InputError` if the sets of an objective that knows one size only may differ in size."""
    if len(sizes) > 1 and OBJECTIVES[objective].has_one_size:
        raise InputError(f"k_min={sizes[0]}: objective={objective!r} has one size; the smallest is best")
