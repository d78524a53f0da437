"""A problem as a model of CPMpy, in Python or as its text, for adding your own constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyfsel.backends.base import is_installed
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.model.build import OPEN, build
from pyfsel.model.model import LinearRow
from pyfsel.model.passes import with_ends
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.verify import violations

LONGEST_SUM = 50
"""Terms that a program adds up with +; Python does not compile thousands of them."""


@dataclass
class CpmpyModel:
    """A model of CPMpy and its parts; see `to_cpmpy`.

    Attributes
    ----------
    problem : Instance
    model : cpmpy.Model
    x : array of Boolean variables, shape (n_sets, n_features)
        ``x[i, j]``: set i contains feature j.
    values : list of expressions
        The integer value of each set.
    objective : expression
        What the model maximises unless you say otherwise.
    """

    problem: Instance
    model: Any
    x: Any
    values: list[Any]
    objective: Any

    def sets(self) -> Family:
        """Return the sets of the last solution, after checking them and what the solver says they are worth.

        Your own constraints and that nothing better exists are for the solver to say.

        Raises
        ------
        FalseClaimError
            If the model has no solution, the sets break a constraint of the problem, or the solver states
            another objective than theirs.
        """
        if self.x[0, 0].value() is None:
            raise FalseClaimError(f"cpmpy: has no solution, its status is {self.model.status()}")
        sets = tuple(tuple(j for j, x in enumerate(row) if x.value()) for row in self.x)
        wrong = violations(self.problem, sets)
        if self.model.objective_ is self.objective and not wrong:
            stated, total = self.model.objective_value(), problem_values.total(self.problem, sets)
            if stated != total:
                wrong = [f"the solver states the objective {stated} for sets that have {total}"]
        if wrong:
            raise FalseClaimError(f"cpmpy: {'; '.join(wrong)}")
        return sets


def to_cpmpy(problem: Instance) -> CpmpyModel:
    """Return a problem as a model of CPMpy, for any of its solvers.

    The model has no symmetry breaking, dominance or other reduction, which your own constraints could
    contradict: sets keep their numbers.

    Parameters
    ----------
    problem : Instance
        With any objective but CFS and R².

    Raises
    ------
    InputError
        If CPMpy is not installed (``pip install cpmpy``).
    InputError
        If the objective has no 0/1 model.

    Examples
    --------
    Feature 0 is in one of the two sets only:

    >>> import cpmpy as cp  # doctest: +SKIP
    >>> problem = Instance(quality=[5, 4, 3], n_sets=2, k=2, max_shared=1)
    >>> made = to_cpmpy(problem)  # doctest: +SKIP
    >>> made.model += cp.sum(made.x[:, 0]) == 1  # doctest: +SKIP
    >>> made.model.solve(), sorted(made.sets())  # doctest: +SKIP
    (True, [(0, 1), (1, 2)])
    """
    if not is_installed("cpmpy"):
        raise InputError("cpmpy: is not installed. Install it with: pip install cpmpy")
    made: dict[str, Any] = {}
    exec("\n".join(_statements(problem)), made)  # our own program, with names of ours
    values = [made[f"value_{i}"] for i in range(problem.n_sets)]
    return CpmpyModel(problem, made["model"], made["x"], values, made["model"].objective_)


SOLVING = """\
if model.solve():
    print(model.objective_value(), x.value().astype(int).tolist())
else:
    print("no sets:", model.status())
"""


def cpmpy_text(problem: Instance) -> str:
    """Return the model of `to_cpmpy` as a program in Python, to be edited.

    Raises
    ------
    InputError
        If the objective has no 0/1 model.

    Examples
    --------
    >>> print(cpmpy_text(Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1)))
    import cpmpy as cp
    <BLANKLINE>
    x = cp.boolvar(shape=(1, 2), name="x")  # x[i, j]: set i contains feature j
    value_0 = 3*x[0, 0] + 2*x[0, 1]
    model = cp.Model()
    model += x[0, 0] + x[0, 1] == 1  # size
    model.maximize(3*x[0, 0] + 2*x[0, 1])
    <BLANKLINE>
    if model.solve():
        print(model.objective_value(), x.value().astype(int).tolist())
    else:
        print("no sets:", model.status())
    <BLANKLINE>

    An objective that is constant is an expression as well, since CPMpy maximises nothing else:

    >>> text = cpmpy_text(Instance(quality=[0, 0], n_sets=1, k=1, max_shared=1))
    >>> [line for line in text.splitlines() if "maximize" in line]
    ['model.maximize(0*x[0, 0])']
    """
    return "\n".join([*_statements(problem), SOLVING])


def _statements(problem: Instance) -> Iterator[str]:
    """Yield the program that makes `x`, `model`, and the values."""
    m = with_ends(build(problem, OPEN))
    names = {v: f"x[{i}, {j}]" for i, row in enumerate(m.member) for j, v in enumerate(row)}
    yield "import cpmpy as cp\n"
    yield (
        f'x = cp.boolvar(shape=({problem.n_sets}, {problem.n_features}), name="x")'
        "  # x[i, j]: set i contains feature j"
    )
    for v in range(len(names) + 1, m.n + 1):
        names[v] = name = m.names[v]
        low, high = m.bounds(v)
        kind = f"cp.intvar({low}, {high}, " if v in m.domain else "cp.boolvar("
        yield f'{name} = {kind}name="{name}")'
    for i, value in enumerate(m.values):
        yield f"value_{i} = {_sum(value.terms, names, value.constant)}"
    yield "model = cp.Model()"
    for clause in m.clauses:
        literals = ", ".join(names[a] if a > 0 else f"~{names[-a]}" for a in clause)
        yield f"model += cp.any([{literals}])"
    for row in m.rows:
        yield from (f"model += {each}  # {row.role}" for each in _comparisons(row, names))
    yield f"model.maximize({_sum(m.weights or {1: 0}, names, m.constant)})\n"


def _comparisons(row: LinearRow, names: dict[int, str]) -> Iterator[str]:
    ends = {"==": row.low} if row.low == row.high else {">=": row.low, "<=": row.high}
    for sign, end in ends.items():
        if end is not None:
            yield f"{_sum(row.terms, names)} {sign} {end}"


def _sum(terms: dict[int, int], names: dict[int, str], constant: int = 0) -> str:
    parts = [f"{'' if c == 1 else f'{c}*'}{names[v]}" for v, c in terms.items()]
    parts += [str(constant)] if constant or not parts else []
    return " + ".join(parts) if len(parts) <= LONGEST_SUM else f"cp.sum([{', '.join(parts)}])"
