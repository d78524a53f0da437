"""Weighted partial MaxSAT formulas: of a model, with the way back to its sets."""

from __future__ import annotations

from collections.abc import Iterable

from pysat.formula import WCNF

from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.objectives import Family


class Formula:
    """Hard clauses, and rewards for literals.

    Parameters
    ----------
    model : ZeroOneModel, optional
        Its variables have the same numbers here.

    Attributes
    ----------
    wcnf : WCNF
        The hard clauses, as PySAT has them.

    Examples
    --------
    >>> formula = Formula()
    >>> x, y = formula.variable(), formula.variable()
    >>> formula.add(x, y)
    >>> formula.reward(x, -3)
    >>> formula.reward(-y, 2)
    >>> formula.soft, formula.constant
    ([(-1, 3), (-2, 2)], 2)
    """

    def __init__(self, model: ZeroOneModel | None = None) -> None:
        self.model = model or ZeroOneModel()
        self.wcnf = WCNF()
        self.wcnf.nv = self.model.n
        self._rewards: dict[int, int] = {}
        self._base = 0
        self._false: int | None = None

    def variable(self) -> int:
        """Return a new variable."""
        self.wcnf.nv += 1
        return int(self.wcnf.nv)

    def false(self) -> int:
        """Return a literal that is always false."""
        if self._false is None:
            self._false = self.variable()
            self.add(-self._false)
        return self._false

    def add(self, *literals: int) -> None:
        """Add a hard clause of variables there are; the empty one is false."""
        self.wcnf.hard.append(list(literals or (self.false(),)))

    def add_constant(self, amount: int) -> None:
        """Add to the objective."""
        self._base += amount

    def reward(self, literal: int, amount: int) -> None:
        """Add ``amount`` to the objective if the literal is true; zero and negative amounts are fine."""
        if literal < 0:
            self._base += amount
            amount = -amount
        self._rewards[abs(literal)] = self._rewards.get(abs(literal), 0) + amount

    @property
    def soft(self) -> list[tuple[int, int]]:
        """Unit soft clauses: the literals that should be true, and their weights, none of them zero."""
        return [(v if r > 0 else -v, abs(r)) for v, r in self._rewards.items() if r]

    @property
    def constant(self) -> int:
        """The objective of an optimum is this minus its cost; other solutions have at least that."""
        return self._base + sum(max(0, r) for r in self._rewards.values())

    def decode(self, literals: Iterable[int]) -> Family:
        """Return the feature sets of a solution, given as the literals that are true."""
        return self.model.sets(set(literals).__contains__)

    def to_wcnf(self) -> WCNF:
        """Return the formula for PySAT with its soft clauses."""
        wcnf = WCNF()
        wcnf.nv, wcnf.hard = self.wcnf.nv, [*self.wcnf.hard]  # the clauses themselves stay as they are
        for literal, weight in self.soft:
            wcnf.append([literal], weight=weight)
        return wcnf
