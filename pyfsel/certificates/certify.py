"""From a result to a file that others can check without this package."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

from pyfsel.certificates.tree import GivenUpError, TreeMaker
from pyfsel.checker import FORMAT, WORK_A_SECOND, RefusedError, Work, count_rows, parsed, verdict
from pyfsel.checker import Instance as Asked
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import Status
from pyfsel.results.confirmation import Certificate
from pyfsel.results.control import Limits
from pyfsel.results.result import Result, unless_interrupted
from pyfsel.solving.confirm import part_of
from pyfsel.solving.sequential import statements
from pyfsel.solving.solve import solve

UNPROVED, NOTHING = ("feasible", "open"), "nothing is claimed to be proved"
LONGEST = 10**6  # seconds of a replay without a time limit


Part = tuple[dict[str, Any], tuple[str, ...]]
"""What stands in the line of a claim, and the lines that its rule takes."""


def certify(result: Result, time_limit: float | None = 60.0, *, interrupted: bool = False) -> Certificate:
    """Return a file by which others can check what a result claims, without this package.

    Optima, bounds and infeasibility, of all sets or of the steps of a sequential search, are *certified* if a
    certificate is found and `pyfsel.checker` accepts it. Sets without a bound, and a search that ended before
    it had all sets, are in the file as not certified. The instance is the JSON of the problem.

    Parameters
    ----------
    result : Result
    time_limit : float, optional
        Seconds for making all certificates together, and of steps for the replay of each; by default a
        minute. What takes longer to replay is named as not certified: allow more seconds here, and to
        `pyfsel check` too.
    interrupted : bool
        Whether the file has the sets of the result and no proofs, as after an interruption.

    Returns
    -------
    Certificate
        Claims without a certificate are named in its message.

    Raises
    ------
    InputError
        If redundancies are computed on demand, or the limit is not positive.
    KeyboardInterrupt
        If it is interrupted.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> certify(solve(problem, "brute-force")).rules
    ('tree',)
    """
    limits = Limits.starting_now(time_limit, None)
    begin = time.monotonic()
    claims = list(_claims(result))
    total = sum(claim["claim"] not in UNPROVED for _, claim in claims)
    try:
        asked = Asked.of(result.problem.to_dict())
    except RefusedError as error:
        return Certificate(total, 0, (), 0, 0.0, str(error))
    head = {"format": FORMAT, "instance": asked.hash, "search": result.search}
    parts, rules, missing = [json.dumps(head)], list[str](), list[str]()
    for number, (problem, claim) in enumerate(claims):
        try:
            if interrupted:
                raise GivenUpError("interrupted")
            share = part_of(limits, 1 / (len(claims) - number))
            told, lines = _certified(problem, claim, share, limits.again().remaining())
            rules.append(told["rule"])
        except GivenUpError as why_not:
            missing.append(f"{f'step {number}: ' if result.search == 'sequential' else ''}{why_not}")
            told, lines = _unproved(problem, tuple(map(tuple, claim.get("sets", ())))), ()
        parts += [_line(told), *lines]
    text = "".join(f"{part}\n" for part in parts)
    message = "; ".join(missing) if total else NOTHING
    runtime = time.monotonic() - begin
    return Certificate(total, len(rules), tuple(dict.fromkeys(rules)), len(text), runtime, message, text)


def _claims(result: Result) -> Iterator[tuple[Instance, dict[str, Any]]]:
    """Yield the claims, each with the problem that it is about.

    Of a sequential search also its sets if it has no steps, and the step that was not finished.
    """
    said, problem = list(statements(result)), result.problem
    yield from ((one.problem, _claim(one)) for one in said)
    if result.search == "simultaneous" or (said and not said[-1].sets):
        return
    for number, members in enumerate(() if said else result.sets):
        asked = problem.after(result.sets[:number])
        yield asked, _unproved(asked, (members,))
    if len(result.sets) < problem.n_sets:
        yield problem.after(result.sets), _unproved(problem, ())


def _claim(one: Result) -> dict[str, Any]:
    if one.status is Status.INFEASIBLE:
        return {"claim": "infeasible"}
    claim, bound = _unproved(one.problem, one.sets), one.integer_bound
    if one.status is Status.OPTIMAL:
        return {**claim, "claim": "optimum"}
    return claim if bound is None or not one.sets else {**claim, "claim": "bound", "value": bound}


def _unproved(problem: Instance, sets: Sequence[FeatureSet]) -> dict[str, Any]:
    """Return what the file says where nothing is proved."""
    if not sets:
        return {"claim": "open"}
    return {"claim": "feasible", "sets": list(map(list, sets)), "value": values.total(problem, sets)}


def _certified(problem: Instance, claim: dict[str, Any], limits: Limits, seconds: float) -> Part:
    """Return the claim with the first of its rules that works; raise `GivenUpError` with why none does.

    Whether it works does not depend on how busy the machine is: a replay may take the steps of all seconds.
    """
    steps = int(WORK_A_SECOND * min(LONGEST, max(1.0, seconds)))
    if claim["claim"] in UNPROVED:
        raise GivenUpError(NOTHING)
    asked, why_not = Asked.of(problem.to_dict()), list[str]()
    for rule in _rules(problem, claim):
        try:
            told, lines = _made(rule, problem, asked, claim, limits)
            verdict(told, asked, map(parsed, lines), Work(steps))
        except (GivenUpError, RefusedError, RecursionError) as error:
            why_not.append(f"{rule}: {error}")
        else:
            return told, lines
    raise GivenUpError("; ".join(why_not))


def _rules(problem: Instance, claim: dict[str, Any]) -> list[str]:
    """Return the rules that are worth trying, the best first."""
    by_sum = values.objective_of(problem).is_sum
    listing = "chain" if problem.n_sets == 1 else "packing"
    return ["tree", listing] if claim["claim"] == "infeasible" or by_sum else [listing]


def _made(rule: str, problem: Instance, asked: Asked, claim: dict[str, Any], limits: Limits) -> Part:
    """Return a claim with what a rule takes; raise `GivenUpError` if there is none."""
    named = {**claim, "rule": rule}
    goal = None if claim["claim"] == "infeasible" else claim["value"] + 1
    if rule == "tree":
        return _tree(named, asked, goal, limits)
    if rule == "packing" and problem.aggregate == "sum" and goal is not None:
        named["sums"] = [_largest_sum(problem, count, limits) for count in range(1, problem.n_sets)]
    return named, ()


def _tree(named: dict[str, Any], asked: Asked, goal: int | None, limits: Limits) -> Part:
    """Return the claim with a tree; for what is infeasible, of one set if that is impossible already."""
    if goal is None and asked.n_sets > 1:
        one = replace(asked, n_sets=1)
        with suppress(GivenUpError):
            nodes = TreeMaker(one, count_rows(one, None), limits).nodes()
            return {**named, "of": 1}, tuple(map(_line, nodes))
    found = list(TreeMaker(asked, count_rows(asked, goal), limits).nodes())
    rule = "counts" if "impossible" in found else "tree"
    return {**named, "rule": rule}, tuple(map(_line, found))


def _line(node: Any) -> str:
    return json.dumps(node, separators=(",", ":"))


def _largest_sum(problem: Instance, count: int, limits: Limits) -> int:
    """Return an upper bound on the sum of the values of `count` compatible sets."""
    left = limits.remaining()
    if left == 0:
        raise GivenUpError("the time is up")
    within = left if left < inf else None
    found = unless_interrupted(solve(problem.replace(n_sets=count), search="simultaneous", time_limit=within))
    if found.integer_bound is None:
        raise GivenUpError(f"no bound for {count} sets was found in time")
    return found.integer_bound
