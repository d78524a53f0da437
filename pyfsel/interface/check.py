"""Faults in sets, an answer, a certificate, or the output of another solver."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyfsel.backends.decode import read_sets
from pyfsel.checker import FORMAT as CERTIFICATE
from pyfsel.checker import MOST_BYTES, SECONDS, WORK_A_SECOND, RefusedError
from pyfsel.checker import Instance as Asked
from pyfsel.checker import check as check_certificate
from pyfsel.errors import InputError
from pyfsel.interface.answer import FORMAT, Answer, faults_of
from pyfsel.interface.problem import Problem
from pyfsel.interface.stated import members_of, wrong_statements
from pyfsel.problem.checks import is_a
from pyfsel.problem.instance import Instance
from pyfsel.problem.text_files import parsed_json, read_text
from pyfsel.results.verify import violations

VERIPB = "pseudo-Boolean proof"
"""How a proof in VeriPB's format begins, which only that program checks."""
FIRST_OF_INSTANCES = ("n_features", "quality")


@dataclass(frozen=True)
class Checked:
    """The kind of a solution, and the faults found in it.

    Parameters
    ----------
    kind : str
        "answer", "sets", "certificate" or "output of a solver".
    wrong : list of str
        One sentence for each fault; empty without faults.
    sets : tuple of tuple of int
        The sets that were read, 0-based.
    claims : tuple of (str, str)
        For a certificate: each claim and the rule that proves it, "" if no rule does.
    """

    kind: str
    wrong: list[str]
    sets: tuple[tuple[int, ...], ...] = ()
    claims: tuple[tuple[str, str], ...] = ()


def check(problem: Problem | str | Path, solution: Any) -> list[str]:
    """List the faults in a solution of a problem; an empty list means that there are none.

    Sets must obey the rules of the problem, and the statements about them (qualities, status, bounds) must
    agree with it. Only a certificate shows that nothing better exists.

    Parameters
    ----------
    problem : Problem, str or Path
        The problem, or the path of an instance file.
    solution : Answer, Path, str, sequence of sets, mapping, or minizinc.Result
        An answer; sets of features, by name or number; or a file, whose format is recognised: a saved answer,
        JSON or CSV from the command line, a list of sets, a certificate, or the output of a solver of MaxSAT,
        OPB, LP, MPS or MiniZinc. Text with a line break is read as such output, and a mapping contains the
        variables ``selected`` of a model.

    Returns
    -------
    list of str
        One sentence for each fault.

    Raises
    ------
    InputError
        If a file cannot be read, or the solution is none of these.

    Examples
    --------
    >>> problem = Problem([3, 2, 1], k=2, n_sets=2, dissimilarity="shared:1", names=["a", "b", "c"])
    >>> check(problem, [["a", "b"], ["a", "c"]])
    []
    >>> check(problem, [["a", "b"], [0, 1]])
    ['sets 0 and 1 share 2 features (a, b), at most 1 is allowed']
    """
    return checked(problem, solution).wrong


def checked(problem: Problem | str | Path, solution: Any, seconds: int = SECONDS) -> Checked:
    """Return what is wrong with a solution, and as what it was recognised; parameters as for `check`.

    Parameters
    ----------
    seconds : int
        The limit on the steps of the check of a certificate, in seconds.
    """
    if not isinstance(problem, Problem):
        problem = Problem.load(problem)
    instance = problem.instance
    if isinstance(solution, Answer):
        return _of_answer(instance, json.loads(json.dumps(solution.to_dict())))
    if isinstance(solution, str) and "\n" in solution:
        return _of_text(instance, "solution", solution, seconds)
    if isinstance(solution, str | Path):
        file = Path(solution)
        text = read_text(file, MOST_BYTES)
        if file.suffix.lower() == ".csv":
            return _of_sets(instance, sets_of_csv(str(file), text))
        return _of_text(instance, str(file), text, seconds)
    if isinstance(solution, Mapping) or hasattr(solution, "solution"):
        return _of_output(instance, "solution", solution)
    is_a("solution", solution, Iterable, "sets, an Answer, or a file")
    return _of_sets(instance, [list(one) if isinstance(one, Iterable) else one for one in solution])


def _of_text(instance: Instance, name: str, text: str, seconds: int) -> Checked:
    """Return what is wrong with text, which is recognised by how it begins.

    Examples
    --------
    >>> instance = Instance([2, 1], n_sets=1, k=1, max_shared=1)
    >>> _of_text(instance, "sum.pbp", "pseudo-Boolean proof version 1.2", SECONDS)
    Traceback (most recent call last):
    ...
    pyfsel.errors.InputError: sum.pbp: is a proof for VeriPB, not for pyfsel. Try: veripb MODEL.opb sum.pbp
    """
    start = text.lstrip()
    if start.startswith(VERIPB):
        raise InputError(f"{name}: is a proof for VeriPB, not for pyfsel. Try: veripb MODEL.opb {name}")
    if start[:1] not in ("{", "["):
        return _of_output(instance, name, text)
    first = start.partition("\n")[0]
    if CERTIFICATE in first:
        return _of_certificate(instance, text, seconds)
    if '"selected"' in text and FORMAT not in text:
        return _of_output(instance, name, text)
    data = parsed_json(name, text, "an answer, a list of sets, or a certificate")
    if isinstance(data, Mapping) and data.get("format") == FORMAT:
        return _of_answer(instance, data)
    if isinstance(data, Mapping) and all(field in data for field in FIRST_OF_INSTANCES):
        raise InputError(f"{name}: is an instance, not a solution or a certificate. Try: pyfsel solve {name}")
    try:
        return _of_sets(instance, data)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _of_output(instance: Instance, name: str, solution: Any) -> Checked:
    sets = tuple(read_sets(instance, solution, source=name))
    return Checked("output of a solver", violations(instance, sets), sets)


def _of_sets(instance: Instance, entries: Any) -> Checked:
    """Return what is wrong with a list of sets: features, or an object that also states names or quality."""
    if not isinstance(entries, list):
        raise InputError("solution: must be an answer, or a list of sets")
    sets = tuple(members_of(instance, entry) for entry in entries)
    return Checked("sets", violations(instance, sets) or wrong_statements(instance, sets, entries), sets)


def _of_certificate(instance: Instance, text: str, seconds: int) -> Checked:
    """Return what is wrong with a certificate, by a checker that reads the instance itself.

    Examples
    --------
    It takes neither truth values for integers nor integers for truth values:

    >>> one = {"format": "pyfsel-problem 2", "quality": [3, 2], "n_sets": 1, "k": 1, "max_shared": 1}
    >>> group = {"groups": [[0, 1]], "group_all_or_none": [True]}
    >>> Asked.of(one | group).rows["group_0_0_1"]
    ({0: 1, 1: -1}, 0)
    >>> for wrong in (
    ...     {"quality": [True, 2]}, {"conflicts": [[True, 0]]}, group | {"group_all_or_none": [1]},
    ...     {"n_features": 3},
    ... ):
    ...     try:
    ...         Asked.of(one | wrong)
    ...     except RefusedError as error:
    ...         print(f"{error!s:.40}")
    quality: True is not of type int, from -
    conflicts: True is not of type int, from
    group_all_or_none: 1 is not of type bool
    n_features: there are 2 qualities
    """
    try:
        asked = Asked.of(instance.to_dict())
        claims = check_certificate(text, asked, seconds * WORK_A_SECOND)
    except RefusedError as error:
        return Checked("certificate", [f"refused: {error}"])
    return Checked("certificate", [], claims=tuple(claims))


def _of_answer(instance: Instance, data: Mapping[str, Any]) -> Checked:
    """Return what is wrong with the fields of an answer; all follow from sets and claims."""
    wrong = faults_of(instance, data)
    return Checked("answer", wrong, () if wrong else tuple(members_of(instance, one) for one in data["sets"]))


def sets_of_csv(name: str, text: str) -> list[dict[str, Any]]:
    """Return the sets of a table with the columns ``feature_1``, ``feature_2``, …, and their qualities.

    Raises
    ------
    InputError
        If it has no such columns.
    """
    reader = csv.DictReader(io.StringIO(text))
    try:
        columns = [head for head in reader.fieldnames or () if head.startswith("feature_")]
        rows = list(reader)
        if not columns and (rows or "set" not in (reader.fieldnames or ())):
            raise InputError(f"{name}: has no column feature_1")
        return [
            {"features": [row[head] for head in columns if row[head]], "quality": _number(row.get("quality"))}
            for row in rows
        ]
    except csv.Error as error:
        raise InputError(f"{name}: is not CSV ({error})") from None


def _number(cell: str | None) -> float | str | None:
    """Return the number in a cell; None if it is empty, and the text if it is not a number."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell
