"""WCNF files, the input of MaxSAT solvers, in the format of the MaxSAT Evaluations since 2022, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyfsel.errors import InputError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.reductions import reduce
from pyfsel.results.control import STRENGTHENED

if TYPE_CHECKING:
    from pyfsel.solvers.sat.formula import Encoding

LEGEND = {
    "t": "t[s,r,j]: sets s and r both hold feature j",
    "y": "y[s,i,j]: set s holds features i and j",
    "prefix": "prefix[i,c]: at least c of the i + 1 best features are selected",
    "count": "count[j][s,c]: at least c of the first s + 1 sets hold feature j",
    "members": "members[i,c]: the i + 1 best features are in the sets at least c times together",
    "pairs": "pairs[i,c]: pairs of sets share the i + 1 best features at least c times together",
    "equal": "equal[s],p: sets s and s + 1 agree on the p + 1 best features (symmetry breaking)",
    "only": "only[s,i,j]: set s holds the better feature i and not the worse j (symmetry breaking)",
    "sum": "sum[s][b,..]: bits b of the quality of set s (full adders)",
    "shared": "shared[p][i,c]: the set shares at least c of the first i + 1 features of previous set p",
    "left": "left[..][b,..]: bits b of what a set spends of its budget (full adders)",
    "enough": "enough[s][b,..]: bits b of how far set s is from its best value (full adders)",
    "z": "z[b]: bit b of the smallest quality",
    "least": "least[s],p: z agrees with the quality of set s on the p + 1 highest bits",
    "false": "false[]: always false",
}


def wcnf_text(problem: Problem, formulation: str | None = None, cardinality: str = "seqcounter") -> str:
    """Return the problem as weighted partial MaxSAT.

    Hard clauses begin with ``h``, soft ones with their weight; comments explain the variables and how the
    cost gives the objective. A solver's output is read by `decode_wcnf`.

    Parameters
    ----------
    problem : Problem
    formulation : {None, "strengthened", "literal"}
        None means strengthened.
    cardinality : str
        Key of `pyfsel.solvers.sat.counters.CARDINALITIES`.

    Raises
    ------
    InputError
        If a name is unknown or the objective has no encoding.

    Examples
    --------
    >>> text = wcnf_text(Problem(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1), "literal")
    >>> text.splitlines()[-4:]
    ['h 1 2 0', 'h -1 -2 0', '3 1 0', '2 2 0']
    """
    from pyfsel.backends.maxsat.encoding import encode

    formulation = formulation or STRENGTHENED
    reduction = reduce(problem, formulation)
    encoding = encode(reduction.problem, formulation, cardinality)
    lines = [f"c {line}".rstrip() for line in _header(problem, reduction.kept, encoding, cardinality)]
    lines += clause_lines(encoding)
    return "\n".join(lines) + "\n"


def clause_lines(encoding: Encoding, classic: bool = False) -> Iterator[str]:
    """Yield the clauses of a WCNF file.

    Parameters
    ----------
    encoding : Encoding
    classic : bool
        The format before 2022: a line ``p wcnf`` with the weight that marks hard clauses.
    """
    hard = "h"
    if classic:
        hard = str(1 + sum(weight for _, weight in encoding.soft))
        yield f"p wcnf {encoding.n_variables} {encoding.n_clauses} {hard}"
    yield from (f"{hard} {' '.join(map(str, clause))} 0" for clause in encoding.hard)
    yield from (f"{weight} {literal} 0" for literal, weight in encoding.soft)


def _header(problem: Problem, kept: Sequence[int], encoding: Encoding, cardinality: str) -> Iterator[str]:
    yield "alternative feature selection as weighted partial MaxSAT"
    yield (
        f"{problem.n_sets} sets of {problem.set_size} out of {problem.n_features} features, "
        f"at most {problem.max_overlap} shared, objective {problem.objective}, aggregate {problem.aggregate}"
    )
    yield from problem.part_of.splitlines()
    yield f"{encoding.formulation} formulation, cardinality encoding {cardinality}"
    yield (
        f"{encoding.n_variables} variables, {len(encoding.hard)} hard and {len(encoding.soft)} soft clauses"
    )
    yield f"largest integer objective = {encoding.constant} - least cost"
    yield ""
    yield "variable = x[set,feature]: the set holds the feature"
    for s, row in enumerate(encoding.membership):
        for position, variable in enumerate(row):
            name = json.dumps(problem.feature_names[kept[position]])
            yield f"{variable} = x[{s},{position}] (feature {kept[position]}, {name})"
    yield ""
    numbers: dict[str, list[int]] = {}
    for variable, name in encoding.names.items():
        numbers.setdefault(name.partition("[")[0], []).append(variable)
    for family in sorted(numbers.keys() - {"x"}):
        variables = numbers[family]
        yield f"{LEGEND[family]}; {len(variables)} variables from {variables[0]} to {variables[-1]}"
    yield "other variables belong to cardinality encodings"


def decode_wcnf(problem: Problem, output: str, formulation: str | None = None) -> list[FeatureSet]:
    """Return the feature sets in the output of a MaxSAT solver that read `wcnf_text`.

    Parameters
    ----------
    problem : Problem
        The problem that was exported.
    output : str
        What the solver printed; its lines that begin with ``v`` hold the model, as a string of 0 and 1 or as
        literals that end with 0. Of several models the last one counts.
    formulation : {None, "strengthened", "literal"}
        As for the export.

    Returns
    -------
    list of sets
        Not verified: see `pyfsel.verify`.

    Raises
    ------
    InputError
        If the output holds no model, or one that is too short, or there is no such formulation.
    """
    from pyfsel.backends.maxsat.encoding import check_formulation

    formulation = formulation or STRENGTHENED
    check_formulation(formulation)
    reduction = reduce(problem, formulation)
    n = reduction.problem.n_features
    n_needed = problem.n_sets * n
    true = true_variables(output, n_needed)
    sets = [[j for j in range(n) if 1 + s * n + j in true] for s in range(problem.n_sets)]
    return [tuple(sorted(members)) for members in reduction.invert(sets)]


def true_variables(output: str, n_needed: int) -> set[int]:
    """Return the variables that the last model in a solver's output makes true.

    Raises
    ------
    InputError
        If there is none, or it says nothing about some variable up to `n_needed`.
    """
    words = [word.replace("x", "").replace("~", "-") for word in _words_of_last_model(output)]
    if not words:
        raise InputError(f"output: has no line with a model (v ...){_statement(output)}")
    bits = "".join(words)
    if set(bits) <= {"0", "1"} and len(bits) >= n_needed:
        return {i + 1 for i, bit in enumerate(bits) if bit == "1"}
    try:
        literals = [int(word) for word in words]
    except ValueError:
        raise InputError("output: its model (v ...) is neither 0/1 digits nor literals") from None
    if 0 in literals[:-1]:
        before_last = len(literals) - 2 - literals[-2::-1].index(0)
        literals = literals[before_last + 1 :]
    missing = set(range(1, n_needed + 1)) - {abs(literal) for literal in literals}
    if missing:
        raise InputError(f"output: its model says nothing about variable {min(missing)}")
    return {literal for literal in literals if literal > 0}


def _words_of_last_model(output: str) -> list[str]:
    """Return what the v lines after the last better cost (o line) hold, if there are any."""
    words: list[str] = []
    is_new = True
    for line in output.splitlines():
        if line.startswith("o "):
            is_new = True
        elif line.startswith("v"):
            words = [*([] if is_new else words), *line[1:].split()]
            is_new = False
    return words


def _statement(output: str) -> str:
    """Return what a solver says about the end of its run, for a message."""
    said = [line[1:].strip() for line in output.splitlines() if line.startswith("s ")]
    return f"; the solver says {said[-1]}" if said else ""
