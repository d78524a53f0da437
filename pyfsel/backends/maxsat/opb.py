"""OPB files for pseudo-Boolean solvers: the 0/1 model, and back from their models."""

from __future__ import annotations

from collections.abc import Iterator

from pyfsel.backends.maxsat.wcnf import true_variables
from pyfsel.errors import InputError, UnsupportedError
from pyfsel.model.build import LITERAL as LITERAL_STYLE
from pyfsel.model.build import build, style_for, unsupported
from pyfsel.model.model import terms_of
from pyfsel.model.passes import in_bits, row_of, with_ends
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem, part_comments
from pyfsel.results.control import LITERAL, STRENGTHENED


class PseudoBoolean:
    """The 0/1 model of a problem, with its other integers in bits.

    Parameters
    ----------
    problem : Problem
    formulation : {None, "strengthened", "literal"}

    Attributes
    ----------
    membership : list of lists of int
        The variable of each set and feature, from 1.
    constant : int
        The value of sets is this minus what the solver minimises.

    Raises
    ------
    InputError
        If the formulation is unknown.
    UnsupportedError
        If the objective is a fraction or least squares (CFS, R²).
    """

    def __init__(self, problem: Problem, formulation: str | None = None) -> None:
        if formulation not in (None, STRENGTHENED, LITERAL):
            raise InputError(f"formulation={formulation!r}: opb has strengthened, literal")
        reason = unsupported(problem)
        if reason:
            raise UnsupportedError(reason)
        style = LITERAL_STYLE if formulation == LITERAL else style_for(problem, "cp")
        self.problem = problem
        self.model = in_bits(with_ends(build(problem, style)))
        self.n_variables = self.model.n
        self.membership, self.constant = self.model.member, self.model.constant
        self.cost = terms_of(self.model.weights, -1)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        rows = [f"{_sum(terms)} {sense} {limit} ;" for terms, sense, limit in self._rows()]
        yield f"* #variable= {self.n_variables} #constraint= {len(rows)}"
        yield from part_comments(self.problem, "*")
        yield f"* x1, x2, ... are the features of the first set, and so on; value = {self.constant} - cost"
        yield f"min: {_sum(self.cost)} ;"
        yield from rows

    def _rows(self) -> Iterator[tuple[list[tuple[int, int]], str, int]]:
        for row in (*self.model.rows, *map(row_of, self.model.clauses)):
            if row.low is not None and row.low == row.high:
                yield terms_of(row.terms), "=", row.low
                continue
            for sign, limit in row.sides:
                yield terms_of(row.terms, sign), ">=", limit

    def inequalities(self) -> Iterator[tuple[dict[int, int], int]]:
        """Yield terms and b of Σ terms[v] · x_v ≥ b, in the order of the file; an equation is two of them."""
        for terms, sense, limit in self._rows():
            yield {v: c for c, v in terms}, limit
            if sense == "=":
                yield {v: -c for c, v in terms}, -limit

    def decode(self, true: set[int]) -> tuple[FeatureSet, ...]:
        """Return the sets of a model, not verified."""
        return tuple(tuple(j for j, v in enumerate(row) if v in true) for row in self.membership)


def _sum(terms: list[tuple[int, int]]) -> str:
    return " ".join(f"{c:+d} x{v}" for c, v in terms) or "+0 x1"


def opb_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem in OPB format; parameters and errors as for `PseudoBoolean`.

    Examples
    --------
    >>> print(opb_text(Problem(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)).splitlines()[-1])
    +1 x1 +1 x2 = 1 ;
    """
    return "".join(f"{line}\n" for line in PseudoBoolean(problem, formulation).lines())


def decode_opb(problem: Problem, output: str, formulation: str | None = None) -> list[FeatureSet]:
    """Return the sets in the last model (``v`` lines of ``x1 -x2``) of a solver that read `opb_text`.

    Raises
    ------
    InputError
        If there is no model, or it says nothing about some feature.
    """
    model = PseudoBoolean(problem, formulation)
    return list(model.decode(true_variables(output, max(map(max, model.membership)))))
