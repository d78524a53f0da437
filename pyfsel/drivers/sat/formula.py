"""Weighted partial MaxSAT formulas: `Formula` grows, `Encoding` is finished and knows the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pysat.formula import WCNF, IDPool

from pyfsel.model import strengthening
from pyfsel.model.model import Model
from pyfsel.problem.objectives import FeatureSet

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Losses:
    """What it costs to make a literal false: ``factor·objective ≤ limit − loss`` for such models.

    Attributes
    ----------
    limit, factor : int
    literals : sequence of (literal, loss)
    """

    limit: int
    factor: int
    literals: tuple[tuple[int, int], ...]

    def certain(self, objective: int) -> list[int]:
        """Return the literals that are true in all models with at least this objective."""
        spare = self.limit - self.factor * objective
        return [literal for literal, loss in self.literals if loss > spare]


@dataclass(frozen=True)
class Encoding:
    """A model as weighted partial MaxSAT.

    Parameters
    ----------
    model : Model
        Whose variables have the same numbers here.
    hard : sequence of clauses
        Literals are non-zero integers as in DIMACS.
    soft : sequence of (literal, weight)
        Unit soft clauses with positive integer weights, one per variable at most.
    constant : int
        ``constant − cost`` is the objective of an optimum, where cost is the weight of the soft clauses that
        are false. Of other solutions it is at most the objective.
    names : mapping from variable to str
        Variables with a meaning; those inside of cardinality encodings have none.
    n_variables : int
    losses : Losses
        For fixing literals once a solution is known.
    """

    model: Model
    hard: tuple[Clause, ...]
    soft: tuple[tuple[int, int], ...]
    constant: int
    names: Mapping[int, str]
    n_variables: int
    losses: Losses

    @property
    def n_clauses(self) -> int:
        """Number of hard and soft clauses."""
        return len(self.hard) + len(self.soft)

    @property
    def size(self) -> dict[str, int]:
        """Numbers of variables and clauses."""
        return {"variables": self.n_variables, "clauses": self.n_clauses}

    def decode(self, literals: Iterable[int]) -> tuple[FeatureSet, ...]:
        """Return the feature sets of a solution, given as the literals that are true."""
        true = set(literals)
        return self.model.sets(lambda x: int(x in true))

    def cost(self, literals: Iterable[int]) -> int:
        """Return the weight of the soft clauses that a complete solution makes false."""
        true = set(literals)
        return sum(weight for literal, weight in self.soft if literal not in true)

    def to_wcnf(self) -> WCNF:
        """Return the formula for PySAT."""
        wcnf = WCNF()
        wcnf.extend([list(clause) for clause in self.hard])
        for literal, weight in self.soft:
            wcnf.append([literal], weight=weight)
        wcnf.nv = max(wcnf.nv, self.n_variables)
        return wcnf


class Formula:
    """Collects named variables, hard clauses and rewards.

    Parameters
    ----------
    names : mapping from int to str, optional
        Of variables 1, 2, … that there are already.

    Examples
    --------
    >>> formula = Formula()
    >>> x, y = formula.variable("x", 0), formula.variable("x", 1)
    >>> formula.add(x, y)
    >>> formula.reward(x, -3)
    >>> formula.reward(-y, 2)
    >>> formula.soft(), formula.constant
    (((-1, 3), (-2, 2)), 2)
    """

    def __init__(self, names: Mapping[int, str] = MappingProxyType({})) -> None:
        self.pool = IDPool(start_from=len(names) + 1)
        self.hard: list[Clause] = []
        self.constant = 0
        self.names = dict(names)
        self._rewards: dict[int, int] = {}
        self._false: int | None = None

    def variable(self, name: str, *indices: int) -> int:
        """Return a new variable, called for example ``x[0,3]``."""
        full = f"{name}[{','.join(map(str, indices))}]"
        number: int = self.pool.id(full)
        self.names[number] = full
        return number

    def false(self) -> int:
        """Return a literal that is always false."""
        if self._false is None:
            self._false = self.variable("false")
            self.add(-self._false)
        return self._false

    def add(self, *literals: int) -> None:
        """Add a hard clause; the empty one is false."""
        self.hard.append(literals or (self.false(),))

    def add_all(self, clauses: Iterable[strengthening.Clause[int]]) -> None:
        """Add hard clauses that are stated for all solvers; what stands for a variable may be any literal."""
        for clause in clauses:
            self.add(*(literal if value else -literal for literal, value in clause))

    def reward(self, literal: int, amount: int) -> None:
        """Add ``amount`` to the objective if the literal is true; zero and negative amounts are fine."""
        variable = abs(literal)
        if literal < 0:
            self.constant += amount
            amount = -amount
        self._rewards[variable] = self._rewards.get(variable, 0) + amount

    def soft(self) -> tuple[tuple[int, int], ...]:
        """Return the soft clauses: the literals that should be true, and their weights, none of them zero."""
        return tuple((v if r > 0 else -v, abs(r)) for v, r in self._rewards.items() if r)
