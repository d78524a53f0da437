"""WCNF files for MaxSAT solvers, OPB files for pseudo-Boolean solvers, and back from what these print."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyfsel.backends.maxsat.encoding import check_formulation, encode, pseudo_boolean
from pyfsel.drivers.sat.opb import PseudoBoolean
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.reductions import reduce
from pyfsel.reductions.restriction import Restriction

if TYPE_CHECKING:
    from pyfsel.drivers.sat.formula import Encoding

OPB_MODEL = re.compile(r"^v\s.*x\d", re.MULTILINE)
LEGEND = {
    "and": "and_a_b: variables a and b are both true, as far as the objective pulls it",
    "u": "u_j_v: feature j is in at least v sets",
    "equal": "equal_s_p: sets s and s + 1 agree on the p + 1 best features (symmetry breaking)",
    "stands": "stands_c_a: the feature of variable a represents column c",
    "value": "value[s]: bits of the value of set s (full adders)",
    "minimum": "minimum[b]: bit b of the smallest value",
    "maximum": "maximum[b]: bit b of the largest value",
    "worst": "worst_bit_b: bit b of the smallest value",
    "best": "best_bit_b: bit b of the largest value",
}


def wcnf_text(problem: Instance, formulation: str | None = None, cardinality: str = "seqcounter") -> str:
    """Return the problem as weighted partial MaxSAT, in the format of the MaxSAT Evaluations since 2022.

    Hard clauses begin with ``h``, soft ones with their weight; comments explain the variables and how the
    cost gives the objective. A solver's output is read by `decode_model`.

    Parameters
    ----------
    problem : Instance
    formulation : {None, "strengthened", "literal"}
        None means strengthened: without features that no optimum needs, and with what follows or breaks ties.
    cardinality : str
        Key of `pyfsel.drivers.sat.counters.CARDINALITIES`.

    Raises
    ------
    InputError
        If a name is unknown.
    InputError
        If the objective has no 0/1 model.

    Examples
    --------
    >>> text = wcnf_text(Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1), "literal")
    >>> text.splitlines()[-4:]
    ['h 1 2 0', 'h -1 -2 0', '3 1 0', '2 2 0']
    """
    formulation = check_formulation(formulation)
    reduction = reduce(problem, formulation)
    encoding = encode(reduction.problem, formulation, cardinality)
    lines = [f"c {line}" for line in _header(problem, reduction, encoding)]
    lines.append(f"c {formulation} formulation, cardinality encoding {cardinality}")
    return "\n".join([*lines, *clause_lines(encoding)]) + "\n"


def opb_text(problem: Instance, formulation: str | None = None) -> str:
    """Return the problem with all its features in OPB format; parameters and errors as for `wcnf_text`.

    Examples
    --------
    >>> text = opb_text(Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1))
    >>> "+1 x1 +1 x2 = 1 ;" in text.splitlines()
    True
    """
    model = pseudo_boolean(problem, check_formulation(formulation))
    comments = _header(problem, Restriction.none(problem), model)
    return "".join(f"{line}\n" for line in model.lines(comments))


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


def _header(problem: Instance, reduction: Restriction, written: Encoding | PseudoBoolean) -> Iterator[str]:
    """Yield comments: what is asked, what the cost says, and what the variables are."""
    yield (
        f"{problem.n_sets} sets of {problem.sizes_text} out of {problem.n_features} features, "
        f"at most {problem.max_shared} shared, objective {problem.objective}, aggregate {problem.aggregate}"
    )
    yield f"largest integer objective = {written.constant} - least cost"
    for s, row in enumerate(written.model.member):
        for feature, variable in zip(reduction.kept, row, strict=True):
            name = json.dumps(problem.feature_names[feature])
            yield f"variable {variable}: set {s} contains feature {feature}, {name}"
    names = written.model.names if isinstance(written, PseudoBoolean) else written.names
    numbers: dict[str, list[int]] = {}
    for variable, name in names.items():
        numbers.setdefault(name.partition("[")[0].partition("_")[0], []).append(variable)
    for family, meaning in LEGEND.items():
        if family in numbers:
            first, *_, last = 2 * numbers[family]
            yield f"{meaning}; {len(numbers[family])} variables from {first} to {last}"
    yield "other variables count the terms of a constraint"


def decode_model(problem: Instance, output: str, formulation: str | None = None) -> list[FeatureSet]:
    """Return the feature sets in the output of a solver that read `wcnf_text` or `opb_text`.

    Parameters
    ----------
    problem : Instance
        The problem that was exported.
    output : str
        What the solver printed; its lines that begin with ``v`` contain the model, as a string of 0 and 1, as
        literals that end with 0, or, of an OPB file, as ``x1 -x2``. Of several models the last one counts.
    formulation : {None, "strengthened", "literal"}
        As for the export of a WCNF file; OPB files have the same variables in both.

    Returns
    -------
    list of sets
        Not verified: see `pyfsel.verify`.

    Raises
    ------
    InputError
        If the output contains no model, or one that is too short, or there is no such formulation.
    """
    formulation = check_formulation(formulation)
    reduction = Restriction.none(problem) if OPB_MODEL.search(output) else reduce(problem, formulation)
    n = reduction.problem.n_features
    true = true_variables(output, problem.n_sets * n)
    sets = [[j for j in range(n) if 1 + s * n + j in true] for s in range(problem.n_sets)]
    return [tuple(sorted(members)) for members in reduction.invert(sets)]


def true_variables(output: str, n_needed: int) -> set[int]:
    """Return the variables that the last model in a solver's output makes true.

    Raises
    ------
    InputError
        If there is none, or it says nothing about some variable up to `n_needed`.
    """
    lines = _last_model(output)
    words = [word.replace("x", "").replace("~", "-") for line in lines for word in line]
    if not words:
        raise InputError(f"output: has no line with a model (v ...){_statement(output)}")
    bits = "".join(words)
    if set(bits) <= {"0", "1"} and len(bits) >= n_needed:
        last = "".join(lines[-1])
        if len(last) >= n_needed and {len("".join(line)) for line in lines} == {len(last)}:
            bits = (
                last  # each line is a whole model, as lines of a broken one are shorter, or its last one is
            )
        return {i + 1 for i, bit in enumerate(bits) if bit == "1"}
    try:
        literals = [int(word) for word in words]
    except ValueError:
        raise InputError("output: its model (v ...) is neither 0/1 digits nor literals") from None
    if 0 in literals[:-1]:
        before_last = len(literals) - 2 - literals[-2::-1].index(0)
        literals = literals[before_last + 1 :]
    said = {abs(literal): literal for literal in literals}  # of several models without a 0 the last one
    missing = set(range(1, n_needed + 1)) - said.keys()
    if missing:
        raise InputError(f"output: its model says nothing about variable {min(missing)}")
    return {literal for literal in said.values() if literal > 0}


def _last_model(output: str) -> list[list[str]]:
    """Return the words of the v lines after the last better cost (o line), if there are any."""
    lines: list[list[str]] = []
    is_new = True
    for line in output.splitlines():
        kind, *words = line.split() or [""]
        if kind == "o":
            is_new = True
        elif kind == "v":
            lines = [*([] if is_new else lines), words]
            is_new = False
    return lines


def _statement(output: str) -> str:
    """Return what a solver says about the end of its run, for a message."""
    said = [line[1:].strip() for line in output.splitlines() if line.startswith("s ")]
    return f"; the solver says {said[-1]}" if said else ""
