"""The neutral, integer description of a problem; every backend accepts it, its JSON is MiniZinc data."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np

from pyfsel.core.arrays import Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import is_a
from pyfsel.problem.contradictions import contradictions
from pyfsel.problem.fields import (
    LARGEST_FACTOR,
    LARGEST_TOTAL,
    Copies,
    Costs,
    FeaturePairs,
    Features,
    FieldKind,
    Finite,
    Flag,
    FloatPairs,
    Floats,
    Groups,
    LazyPairs,
    Line,
    Names,
    Pairs,
    Positive,
    Quality,
    Sets,
    Trust,
    checked_set,
    whole,
    word,
)
from pyfsel.problem.json import (
    FORMAT,
    in_words_of_file,
    instance_text,
    json_object,
    search_from_word,
    upgraded,
)
from pyfsel.problem.known_objectives import KNOWN_TO_MODELS, OBJECTIVES
from pyfsel.problem.least_squares import CRITERIA
from pyfsel.problem.objectives import AGGREGATES, MIN_THEN_SUM, SEARCHES, SET_TERMS, FeatureSet, Numbers
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.text_files import read_text, reading, write_text

NUMBERS = frozenset(("quality", "pairs", "lazy_pairs", "objective", "scale"))
"""Fields on which the large ones depend, or that are checked together."""
LARGE = NUMBERS - {"objective", "scale"} | {"conflicts", "feature_names", "exact_quality", "exact_pairs"}
"""Fields that are checked again only if they, or `NUMBERS`, change."""


ALWAYS_WRITTEN = (
    "n_sets k max_shared objective forced forbidden conflicts previous groups costs scale feature_names "
    "quality pairs"
)
"""Fields that files have, whatever their value: models of MiniZinc declare them without a default."""
NOT_WRITTEN = "aggregate search lazy_pairs sum_weight min_weight cost_scale"
"""Fields that files do not have, or with others only."""
Total = Annotated[int | None, whole(-LARGEST_TOTAL, LARGEST_TOTAL)]
Weight = Annotated[int, whole(1, LARGEST_TOTAL)]


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
        Key of `pyfsel.problem.known_objectives.OBJECTIVES`.
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
        With ``aggregate="weighted"``: how many times the sum and the minimum count, at least once.
    objective_ridge : float
        What penalty on coefficients of least squares is in the numbers already (`make_instance`).
    objective_criterion, objective_rows : str and int, optional
        What sets of least squares that differ in size are compared by, a key of
        `pyfsel.problem.least_squares.CRITERIA`, and the rows that were measured.
    copies : sequence of pairs of int and str, optional
        Columns of the table that are not features, since one stands for them: the feature, and the name of
        the column (`pyfsel.problem.among`).
    measured_unit : str
        What the qualities were measured in, in words, such as "nats of mutual information"; "" if unknown.
    search : {"sequential", "simultaneous", "min_then_sum"}, optional
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

    quality: Quality
    n_sets: Annotated[int, whole(1)]
    k: Annotated[int, whole(1, "n_features")]
    max_shared: Annotated[int, whole(0, "k")]
    objective: Annotated[str, word(OBJECTIVES)] = "univariate"
    aggregate: Annotated[str, word(AGGREGATES)] = "sum"
    pairs: Pairs = None
    lazy_pairs: LazyPairs = None
    k_min: Annotated[int | None, whole(1, "k")] = None
    feature_names: Names = ()
    conflicts: FeaturePairs = ()
    relatives: FeaturePairs = ()
    previous: Sets = ()
    scale: Positive = 1.0
    shared_weight: Annotated[int | None, whole(1, LARGEST_FACTOR)] = None
    size_weight: Annotated[int | None, whole(0, LARGEST_FACTOR)] = None
    shared_constant: Annotated[int, whole(-LARGEST_TOTAL, 0)] = 0
    shared_by_smaller: Flag = False
    forced: Features = ()
    forbidden: Features = ()
    groups: Groups = ()
    costs: Costs = None
    budget: Total = None
    cost_scale: Positive = 1.0
    min_quality: Total = None
    shared_price: Annotated[int, whole(0, LARGEST_TOTAL)] = 0
    sum_weight: Weight = 1
    min_weight: Weight = 1
    objective_ridge: Finite = 0.0
    objective_criterion: Annotated[str | None, word(CRITERIA)] = None
    objective_rows: Annotated[int | None, whole(1)] = None
    copies: Copies = ()
    measured_unit: Line = ""
    search: Annotated[str | None, word((*SEARCHES, MIN_THEN_SUM))] = None
    evidence: Trust = None
    exact_quality: Floats = None
    exact_pairs: FloatPairs = None

    def __post_init__(self) -> None:
        self._check(NUMBERS)

    def _check(self, changed: Set[str]) -> None:
        """Validate the fields, but not again large ones that, with all they depend on, have not changed."""
        again = not changed.isdisjoint(NUMBERS)
        for name, kind in kinds().items():
            given = getattr(self, name)
            is_missing = given is None or (isinstance(given, Sequence) and not given)
            if getattr(type(self), name, ()) is None and is_missing:  # a file has [] for None
                vars(self)[name] = None
            elif again or name in changed or name not in LARGE:
                vars(self)[name] = kind.check(name, given, self)
        if self.k_min == self.k:
            vars(self)["k_min"] = None
        if self.shared_weight is None and self.size_weight is None:
            vars(self).update(shared_constant=0, shared_by_smaller=False)
        for is_wrong, message in contradictions(self):
            if is_wrong:
                raise InputError(message)
        if again:
            OBJECTIVES[self.objective].check(Numbers(self.quality, self.pairs, self.scale))
        # in the unit of the scores it is a float, with room for the order in which floats are added up
        if self.largest_total > min(LARGEST_TOTAL, 2.0**1023 * self.scale):
            raise InputError(
                f"quality: the objective can reach {self.largest_total}, beyond 2**53, or beyond the floats "
                f"if divided by the scale {self.scale:g}; use a smaller scale, or a larger unit"
            )

    def with_relatives(self, members: Iterable[int]) -> FeatureSet:
        """Return the features of a set and their relatives: what a later set may have few of.

        Examples
        --------
        >>> Instance([4, 3, 2, 1], 2, 1, 0, relatives=[(0, 2), (2, 3)]).with_relatives([0])
        (0, 2)
        """
        inside = [int(j) for j in members]
        near = self.relatives[np.isin(self.relatives, inside).any(axis=1)]
        return tuple(np.union1d(inside, near).astype(int).tolist())

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute integer objective of any solution (solvers have number ranges).

        Examples
        --------
        >>> Instance(quality=[3, 2], n_sets=2, k=1, max_shared=1).largest_total
        6
        >>> try:
        ...     Instance(quality=[3, 2], n_sets=2, k=1, max_shared=1, scale=1e-308)
        ... except InputError as error:
        ...     print(str(error).partition(" or ")[2])
        beyond the floats if divided by the scale 1e-308; use a smaller scale, or a larger unit
        """
        kind = OBJECTIVES[self.objective]
        sum_weight, min_weight, _ = self.aggregate_weights
        n, k = self.n_sets, self.k
        n_values = max(n, sum_weight * n + min_weight)
        n_shared = k * (n * (n - 1) // 2 + n * len(self.previous)) if self.shared_price else 0
        price = n_shared * self.shared_price * kind.factor(k)
        known = (self.quality, self.pairs)
        largest = max(int(np.abs(numbers).max()) for numbers in known if numbers is not None)
        if self.lazy_pairs is not None:
            largest = max(largest, self.lazy_pairs.largest)
        return int(largest * kind.magnitude(k, self.n_features) * n_values + price)

    @property
    def aggregate_weights(self) -> tuple[int, int, int]:
        """How often the sum and the smallest value count in the objective, and the largest against it."""
        return {
            "sum": (1, 0, 0),
            "min": (0, 1, 0),
            "weighted": (self.sum_weight, self.min_weight, 0),
            "difference": (0, 1, 1),
        }[self.aggregate if self.n_sets > 1 else "sum"]

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return len(self.quality)

    @property
    def has_size_range(self) -> bool:
        """Whether sets may differ in size."""
        return self.k_min is not None  # equal sizes are none

    @property
    def has_conflicts(self) -> bool:
        """Whether some pairs of features exclude each other."""
        return len(self.conflicts) > 0

    @property
    def sizes(self) -> range:
        """The sizes that a set may have."""
        return range(self.k_min or self.k, self.k + 1)

    @property
    def sizes_text(self) -> str:
        """The allowed sizes in words."""
        sizes = self.sizes
        return f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])

    @property
    def side_constraints(self) -> tuple[str, ...]:
        """Which of `pyfsel.problem.fields.SIDE_CONSTRAINTS` the problem has, and of `SET_TERMS`."""
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
    def quality_floats(self) -> Reals:
        """The user's qualities, shape (n_features,)."""
        return self.quality / self.scale if self.exact_quality is None else self.exact_quality

    @property
    def pairs_floats(self) -> Reals | LazyRedundancy | None:
        """The user's redundancies, shape (n_features, n_features), or None."""
        if self.lazy_pairs is not None:
            return self.lazy_pairs.floats(self.scale)
        known = self.exact_pairs is not None or self.pairs is None
        return self.exact_pairs if known else self.pairs / self.scale

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
        previous = (*self.previous, *(checked_set(self, members) for members in found))
        vars(step).update(previous=previous, n_sets=1, aggregate="sum")
        return step

    def without_values(self) -> Instance:
        """Return the problem in which every set is worth 0: its other rules allow the same sets.

        Examples
        --------
        >>> bic = {"objective": "r2", "objective_criterion": "bic", "objective_rows": 9, "scale": 9}
        >>> problem = Instance([3, 2], 1, 1, 1, pairs=[[0, 1], [1, 0]], min_quality=3, **bic)
        >>> problem.without_values()
        <Instance: 1 sets of 1 of 2 features, univariate, sum>
        """
        values = "pairs lazy_pairs exact_quality exact_pairs min_quality objective_criterion"
        return self.replace(
            quality=0 * self.quality,
            objective="univariate",
            aggregate="sum",
            shared_price=0,
            **dict.fromkeys(values.split()),
        )

    def require_sum_or_min(self) -> None:
        """Raise `InputError` unless the objective is a sum or a minimum and nothing else."""
        for name in self.side_constraints:
            if name in SET_TERMS:
                said = "dissimilarity: a price" if name == "shared_price" else f"{name}:"
                raise InputError(f"{said} is for solve; this knows the sum and the smallest of the qualities")

    def require_in_memory(self) -> None:
        """Raise `InputError` if redundancies are computed on demand, so the problem cannot be written."""
        if self.lazy_pairs is not None:
            raise InputError(
                f"lazy_pairs: the matrix of {self.n_features} features is not in memory and cannot be "
                "written. Fewer features can be written. Try: --keep-best"
            )

    def names_of(self, feature_set: FeatureSet) -> list[str]:
        """Return the names of the features of a set."""
        return [self.feature_names[j] for j in feature_set]

    def copies_of(self, feature: int) -> list[str]:
        """Return the names of the columns that a feature stands for in addition to itself."""
        return [name for j, name in self.copies if j == feature]

    def __repr__(self) -> str:
        return (
            f"<Instance: {self.n_sets} sets of {self.sizes_text} of {self.n_features} features, "
            f"{self.objective}, {self.aggregate}>"
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
        self.require_in_memory()
        return self._to_dict()

    def _to_dict(self) -> dict[str, Any]:
        data = {"format": FORMAT, "n_features": self.n_features}
        for name, kind in kinds().items():
            value, usual = getattr(self, name), getattr(type(self), name, ())
            is_usual = not len(value) if hasattr(value, "__len__") else value == usual
            if name in ALWAYS_WRITTEN.split() or not (is_usual or name in NOT_WRITTEN.split()):
                data |= kind.write(name, value)
        if self.costs is not None:
            data["cost_scale"] = self.cost_scale
        if self.objective not in KNOWN_TO_MODELS:
            data |= OBJECTIVES[self.objective].data(self.k)
        if self.aggregate == "weighted":
            data |= {"sum_weight": self.sum_weight, "min_weight": self.min_weight}
        is_stated = self.search is not None or self.aggregate != "sum"
        return data | ({"search": self.search_word} if is_stated else {})

    @property
    def search_word(self) -> str:
        """How the sets are found and what is best among several, in one word of files."""
        if self.search == MIN_THEN_SUM:
            return MIN_THEN_SUM
        return self.aggregate if self.search == "simultaneous" or self.aggregate != "sum" else "sequential"

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
        data = upgraded(data)
        chosen = search_from_word(data.get("search"))
        for name, kind in kinds().items():
            if name not in chosen:
                chosen |= kind.from_file(name, data)
        try:
            problem = cls(**chosen)
        except InputError as error:
            raise InputError(in_words_of_file(str(error))) from None
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


@cache
def kinds() -> dict[str, FieldKind]:
    """Return what kind each field is of, as its annotation says."""
    hints = get_type_hints(Instance, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}
