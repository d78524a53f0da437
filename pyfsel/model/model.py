"""A model: 0/1 variables and integers, clauses, linear rows, and an objective to maximise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pyfsel.problem.objectives import Family

Terms = Iterable[tuple[int, int]]
"""Coefficients and variables."""
IMPLIED = ("mean", "pairs")
"""Roles of rows that follow from clauses and other rows for 0/1 values: they are for linear relaxations, and
a writer of clauses may leave them out."""


@dataclass(eq=False)
class LinearRow:
    """The constraint ``low <= sum <= high``; None means unlimited.

    Parameters
    ----------
    terms : dict of int to int
        Coefficients by variable, none of them 0.
    low, high : int or None
    role : str
        What it is for, by which a writer may leave it out or name it: "size", "overlap", "sizes" (overlap in
        proportion to sizes), "side", "least" (the minimum quality), "pairs", "stands" (facility
        location), "count" (a chain in unary: the only variables with a negative coefficient), "capacity",
        "uses", "end", "mean", "goal", "better", "domain", "clause".
    """

    terms: dict[int, int]
    low: int | None
    high: int | None
    role: str

    @property
    def sides(self) -> list[tuple[int, int]]:
        """Signs and limits for which ``sign * sum >= limit`` are the row; an equation has both."""
        ends = ((1, self.low), (-1, self.high))
        return [(sign, sign * end) for sign, end in ends if end is not None]


@dataclass
class SetValue:
    """The value of a set, ``constant + sum``: exact where the objective does not pull it, else from below."""

    terms: dict[int, int]
    constant: int = 0


@dataclass
class ZeroOneModel:
    """Maximise ``weights · x + constant + of_min · min(values) − of_max · max(values)``.

    Attributes
    ----------
    n : int
        Number of variables, which are numbered from 1: the negative number is the negated literal.
    names : dict of int to str
    domain : dict of int to (int, int)
        Smallest and largest value of the variables that are not 0/1.
    clauses : list of tuples of literals
        One literal of each is true. The empty clause says that no solution exists.
    rows : list of LinearRow
    weights : dict of int to int
        Coefficients of the objective by variable, none of them 0.
    constant, of_min, of_max : int
    values : list of SetValue
        Of each set, for `of_min` and `of_max`.
    chains : list of lists of variables
        Unary numbers: each variable implies the one before.
    member : list of lists of variables
        ``member[i][j]``: set i contains feature j. Hints and solutions go by them.
    reals : set of variables
        Integers in every solution, which a MIP solver may take as real numbers.
    total : SetValue or None
        Of all values together, as short as possible: ``len(values) · min(values) <= total``.
    mean : bool
        Whether `pyfsel.model.passes.with_ends` states that as a row.
    value_limits, limits : (int, int)
        Between which the value of one set, and the objective, must lie.
    read : callable or None
        Reads the sets of a solution without `member`.

    Examples
    --------
    >>> model = ZeroOneModel()
    >>> x, y = model.new("x", 0), model.new("x", 1)
    >>> model.row([(1, x), (1, y)], high=1, role="size").terms
    {1: 1, 2: 1}
    >>> model.reward([(3, x), (2, y)])
    >>> model.weights, model.reach(model.weights)
    ({1: 3, 2: 2}, (0, 5))
    """

    n: int = 0
    names: dict[int, str] = field(default_factory=dict)
    domain: dict[int, tuple[int, int]] = field(default_factory=dict)
    clauses: list[tuple[int, ...]] = field(default_factory=list)
    rows: list[LinearRow] = field(default_factory=list)
    weights: dict[int, int] = field(default_factory=dict)
    constant: int = 0
    values: list[SetValue] = field(default_factory=list)
    of_min: int = 0
    of_max: int = 0
    chains: list[list[int]] = field(default_factory=list)
    member: list[list[int]] = field(default_factory=list)
    reals: set[int] = field(default_factory=set)
    total: SetValue | None = None
    mean: bool = False
    value_limits: tuple[int, int] = (-(2**53), 2**53)
    limits: tuple[int, int] = (-(2**53), 2**53)
    read: Callable[[Callable[[int], int]], Family] | None = None

    def copy(self) -> ZeroOneModel:
        """Return a model to which a pass may add without changing this one; rows are shared."""
        return replace(
            self,
            names=dict(self.names),
            domain=dict(self.domain),
            clauses=list(self.clauses),
            rows=list(self.rows),
            weights=dict(self.weights),
            reals=set(self.reals),
        )

    def new(self, *name: object) -> int:
        """Add a 0/1 variable."""
        self.n += 1
        self.names[self.n] = "_".join(map(str, name))
        return self.n

    def integer(self, low: int, high: int, *name: object) -> int:
        """Add an integer variable."""
        number = self.new(*name)
        self.domain[number] = low, high
        return number

    def bounds(self, variable: int) -> tuple[int, int]:
        """Return the smallest and the largest value of a variable."""
        return self.domain.get(variable, (0, 1))

    def clause(self, *literals: int) -> None:
        """State that one of these literals is true."""
        self.clauses.append(literals)

    def row(self, terms: Terms, low: int | None = None, high: int | None = None, role: str = "") -> LinearRow:
        """Add a row, equal variables added up."""
        row = LinearRow(added(terms), low, high, role)
        self.rows.append(row)
        return row

    def product(self, one: int, other: int, sign: int = 0) -> int:
        """Return a variable that is 1 if and only if both are.

        With a sign it is bounded on one side only: with -1, for what costs, it may be 1 without being the
        product; with 1, for what is rewarded, it may be 0.
        """
        both = self.new("and", one, other)
        if sign <= 0:
            self.clause(both, -one, -other)
        if sign >= 0:
            self.clause(-both, one)
            self.clause(-both, other)
        return both

    def reward(self, terms: Terms) -> None:
        """Add to the objective."""
        self.weights = added(terms_of(self.weights), terms)

    def dependent(self) -> set[int]:
        """Return the 0/1 variables that may be taken as real numbers if memberships are integers.

        For given memberships, the rows and the objective are satisfied best where these variables are
        integers. Products, pairs in sets of one size, and the "equal" of sets in order are bounded by
        memberships, from both sides or on the one where the objective and all rows do not want them. Of
        the features that may stand for a column one is best. Counts in unary have a sum that is known, and
        what is limited of them (capacity, order) is smallest or true if the first ones are 1.
        """
        return self.names.keys() - self.domain.keys() - {x for row in self.member for x in row}

    def sets(self, value_of: Callable[[int], int]) -> Family:
        """Return the feature sets of a solution, given by the values of variables."""
        if self.read is not None:
            return self.read(value_of)
        return tuple(tuple(j for j, x in enumerate(row) if value_of(x)) for row in self.member)

    def memberships(self, sets: Family | None) -> list[tuple[int, bool]]:
        """Return the variables that say which features known sets hold, none without `member`."""
        rows = zip(self.member, sets or (), strict=False)
        return [(x, j in members) for row, members in rows for j, x in enumerate(row)]

    def reach(self, terms: dict[int, int]) -> tuple[int, int]:
        """Return the smallest and the largest sum that the domains allow."""
        low = high = 0
        for x, c in terms.items():
            ends = [c * end for end in self.bounds(x)]
            low, high = low + min(ends), high + max(ends)
        return low, high


def terms_of(weights: dict[int, int], times: int = 1) -> list[tuple[int, int]]:
    """Return weights by variable as terms, multiplied.

    Examples
    --------
    >>> terms_of({1: 3}, -1)
    [(-3, 1)]
    """
    return [(times * c, x) for x, c in weights.items()]


def added(*parts: Terms) -> dict[int, int]:
    """Return the sum of linear terms, without zeros.

    Examples
    --------
    >>> added([(3, 1), (1, 2)], [(-1, 2)])
    {1: 3}
    """
    total: dict[int, int] = {}
    for terms in parts:
        for c, x in terms:
            total[x] = total.get(x, 0) + int(c)
    return {x: c for x, c in total.items() if c}
