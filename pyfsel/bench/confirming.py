"""Proving again a random share of what the runs of a benchmark claim to be proved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from random import Random

from pyfsel.bench.compare import Run
from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError
from pyfsel.results.answer import PROVED, StopReason
from pyfsel.results.confirmation import Confirmation, Verdict
from pyfsel.results.result import Result
from pyfsel.solving.confirm import confirm

OnConfirmed = Callable[[RunSpec, Confirmation], None]


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
