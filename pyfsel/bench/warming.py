"""Compiling before seconds are measured: no run of a benchmark waits for the machine code of its backend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyfsel.algorithms.machine_code import is_compiled
from pyfsel.backends.base import Backend
from pyfsel.backends.choose import choose_backend
from pyfsel.bench.compare import Contender
from pyfsel.bench.suite import RunSpec, Suite
from pyfsel.errors import UnsupportedError
from pyfsel.problem.problem import Problem
from pyfsel.solving.sequential import typical_step


def not_compiled(suite: Suite, specs: Iterable[RunSpec]) -> list[str]:
    """Return the backends whose machine code some runs need and that is not on disk yet."""
    needed = {name for backend in _backends(suite, specs) for name in (backend.name, *backend.compiled_aside)}
    return sorted(name for name in needed if _has_loops(name) and not is_compiled(name))


def _has_loops(name: str) -> bool:
    backend = Contender.named(name).backend
    return backend.missing() is None and any(True for _ in backend.warm_up_problems())


def _backends(suite: Suite, specs: Iterable[RunSpec]) -> Iterator[Backend]:
    """Yield the backend of each named one once, and those that "auto" chooses."""
    named = {spec.backend for spec in specs} - {"auto"}
    yield from (Contender.named(name).backend for name in named)
    asked = {(spec.problem_name, spec.search): spec for spec in specs if spec.backend == "auto"}
    for spec in asked.values():
        problem = spec.problem(Problem.load(suite.instances[spec.instance]))
        try:
            yield choose_backend(problem if spec.search == "simultaneous" else typical_step(problem))[0]
        except UnsupportedError:
            continue
