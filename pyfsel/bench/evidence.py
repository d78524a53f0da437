"""Evidence for and against claims of runs, beyond what they say themselves.

Cheap, without a solver, and able only to refute: greedy sets, and claimed sets made better. Costly, and able
to confirm: proofs made again, for a random share of the claims of proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from random import Random

import numpy as np

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.bench.compare import Run
from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import PROVED, Status, StopReason
from pyfsel.results.confirmation import Confirmation, Verdict
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.confirm import confirm

GREEDY = "a greedy search"
MOST_TRIED = 200

OnConfirmed = Callable[[RunSpec, Confirmation], None]


def greedy_run(name: str, problem: Instance) -> Run | None:
    """Return the sets of the greedy heuristics as a run to compare with, None if they find none."""
    sets = start_solution(problem)
    if sets is None:
        return None
    result = Result(problem, sets, Status.FEASIBLE, None, GREEDY, "simultaneous", 0.0, StopReason.FINISHED)
    return Run(name, GREEDY, exact=False, result=result)


def improvements(result: Result) -> Iterator[str]:
    """Yield each claim that sets are best which an exchange of one feature refutes.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    >>> claimed = Result(problem, ((1,),), Status.OPTIMAL, 2, "x", "simultaneous", 0.0, StopReason.FINISHED)
    >>> list(improvements(claimed))
    ['OPTIMAL was claimed for [[1]] with 2, but [[0]], verified, have 3']
    """
    if result.search == "simultaneous":
        claims = [(result.problem, result.sets, "")] if result.status is Status.OPTIMAL else []
    else:
        claims = [
            (result.problem.after(result.sets[:number]), (step.features,), f" in step {number}")
            for number, step in enumerate(result.steps)
            if step.status is Status.OPTIMAL and step.features is not None
        ]
    for problem, sets, where in claims:
        better = better_by_exchange(problem, sets)
        if better is not None:
            value, known = problem_values.total(problem, sets), problem_values.total(problem, better)
            yield (
                f"OPTIMAL was claimed{where} for {_listed(sets)} with {value}, but {_listed(better)}, "
                f"verified, have {known}"
            )


def _listed(sets: Sequence[FeatureSet]) -> list[list[int]]:
    return [list(members) for members in sets]


def better_by_exchange(problem: Instance, sets: Sequence[FeatureSet]) -> tuple[FeatureSet, ...] | None:
    """Return better sets in which one feature of one set is another, or None: not all are tried."""
    known = problem_values.total(problem, sets)
    values = [int(v) for v in problem_values.values(problem, sets)]
    for number, members in enumerate(sets):
        others = np.setdiff1d(np.arange(problem.n_features), members)
        if not len(others):
            continue
        variants = np.tile(np.array(members), (len(members) * len(others), 1))
        variants[np.arange(len(variants)), np.repeat(np.arange(len(members)), len(others))] = np.tile(
            others, len(members)
        )
        found = problem_values.values(problem, variants)
        for row in np.argsort(-found, kind="stable")[:MOST_TRIED]:
            mine = [*values[:number], int(found[row]), *values[number + 1 :]]
            if problem_values.aggregate_values(problem, mine) <= known:
                break
            changed = (*sets[:number], tuple(sorted(variants[row].tolist())), *sets[number + 1 :])
            if not violations(problem, changed) and problem_values.total(problem, changed) > known:
                return changed
    return None


def confirmed_share(
    runs: Sequence[tuple[RunSpec, Run]], share: float, seconds: float, seed: int, on_confirmed: OnConfirmed
) -> tuple[int, list[tuple[RunSpec, Run, Confirmation]]]:
    """Return how many runs claim a proof, and what came of proving some of them again.

    Which ones are chosen depends on the seed and the ids of the runs only; a share above 0 is at least one.
    """
    claims = {spec.id: (spec, run) for spec, run in runs if run.result is not None and _is_claim(run.result)}
    chosen = Random(seed).sample(sorted(claims), ceil(share * len(claims)))
    found = []
    for spec, run in (claims[number] for number in chosen):
        assert run.result is not None
        confirmation = _confirmed(run.result, spec, seconds, seed)
        on_confirmed(spec, confirmation)
        if StopReason.INTERRUPTED in confirmation.message:
            raise KeyboardInterrupt
        found.append((spec, run, confirmation))
    return len(claims), found


def _is_claim(result: Result) -> bool:
    steps = result.steps if result.search == "sequential" else ()
    return result.status in PROVED or any(step.status in PROVED for step in steps)


def _confirmed(result: Result, spec: RunSpec, seconds: float, seed: int) -> Confirmation:
    try:
        confirmation = confirm(result, time_limit=seconds, random_state=seed, memory_limit=spec.memory_limit)
    except InputError as error:
        return Confirmation(Verdict.NOT_CONFIRMED, 1, 0, (), 0.0, str(error))
    assert confirmation is not None
    return confirmation
