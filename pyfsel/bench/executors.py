"""Where the runs of a suite are made."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event, local
from types import TracebackType
from typing import Any, Protocol, Self

from pyfsel.bench.processes import Worker
from pyfsel.bench.suite import RunSpec


class Executor(Protocol):
    """Makes runs, `n_jobs` of them at the same time."""

    @property
    def n_jobs(self) -> int:
        """Number of runs at the same time."""

    def submit(self, spec: RunSpec, instance: Path) -> Future[dict[str, Any]]:
        """Begin a run; the future gets its record."""

    def __enter__(self) -> Self:
        """Return the executor."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all runs."""


class LocalExecutor:
    """Makes runs on this machine, each in a process of its own; when it ends, so do they.

    Parameters
    ----------
    n_jobs : int
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._pool = ThreadPoolExecutor(n_jobs)
        self._cancelled = Event()
        self._here = local()
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cancelled.set()
        self._pool.shutdown()
        for worker in self._workers:
            worker.close()

    def submit(self, spec: RunSpec, instance: Path) -> Future[dict[str, Any]]:
        """Begin a run; the future gets its record."""
        return self._pool.submit(self._run, spec, instance)

    def _run(self, spec: RunSpec, instance: Path) -> dict[str, Any]:
        worker: Worker | None = getattr(self._here, "worker", None)
        if worker is None:
            worker = self._here.worker = Worker()
            self._workers.append(worker)
        return worker.run(spec, instance, self._cancelled.is_set)
