"""Runs on the machines of a Dask cluster: order and instance go out, a record comes back."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local
from typing import Any, Self

from pyfsel.bench.processes import Worker
from pyfsel.bench.suite import RunSpec
from pyfsel.drivers.versions import installed_version
from pyfsel.errors import InputError

VERSION = installed_version("pyfsel")
CONNECT_SECONDS = 10.0
WAIT_SECONDS = 10.0
POLL_SECONDS = 0.2
_here = local()


class DaskExecutor:
    """Makes runs on the workers of a Dask scheduler, one per thread of a worker, each in its own process.

    When this process ends, in whatever way, the scheduler drops its runs and the workers kill them. A run
    whose worker is lost is made again by another one. The workers need this version of the package, and no
    files in common.

    Parameters
    ----------
    scheduler : str
        Its address, such as ``tcp://10.0.0.1:8786``.
    n_jobs : int, optional
        Most runs at the same time; all threads of the workers if not given.

    Raises
    ------
    InputError
        If Dask is not installed.
    InputError
        If the scheduler cannot be reached, has no workers, or a worker has another version of this package.
    """

    def __init__(self, scheduler: str, n_jobs: int | None = None) -> None:
        self._client = _connected(scheduler)
        self._most_jobs = n_jobs
        self._futures = self._client.get_executor(pure=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._futures.shutdown(wait=False)
        self._client.close()

    @property
    def n_jobs(self) -> int:
        """Number of runs at the same time, by the workers that there are now."""
        threads: int = sum(worker["nthreads"] for worker in _workers(self._client).values())
        return max(1, threads if self._most_jobs is None else min(threads, self._most_jobs))

    def submit(self, spec: RunSpec, instance: Path) -> Future[dict[str, Any]]:
        """Begin a run; the future gets its record."""
        names = (instance.name, *spec.files)
        files = {name: instance.with_name(name).read_bytes() for name in names}
        future: Future[dict[str, Any]] = self._futures.submit(
            make_run, spec.to_dict(), instance.name, files, VERSION
        )
        return future


@contextmanager
def on_cluster(scheduler: str) -> Iterator[None]:
    """Let the workers of a Dask scheduler do what joblib would do in processes here: measure, fit, score.

    The work of a worker that is lost is done by another one.

    Parameters
    ----------
    scheduler : str
        As for `DaskExecutor`, and with the same errors.
    """
    import joblib

    client = _connected(scheduler)
    try:
        with joblib.parallel_config("dask", client=client):
            yield
    finally:
        client.close()


def _connected(scheduler: str) -> Any:
    """Return a client of a scheduler all of whose workers have this version of the package."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("executor='dask': pip install 'pyfsel[dask]'") from None
    if not scheduler.strip():
        raise InputError("scheduler='': must be an address, such as tcp://10.0.0.1:8786")
    try:
        with _without_garbage_collection():
            client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False, name="pyfsel")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"scheduler={scheduler!r}: cannot be reached ({error})") from None
    except AssertionError:
        raise InputError(f"scheduler={scheduler!r}: Dask's client did not start in time") from None
    try:
        _require_workers(client, scheduler)
    except BaseException:
        client.close()
        raise
    return client


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keep clients that could not connect from being collected while another starts.

    They would wait for a lock that the starting client holds, and it for them.
    """
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def make_run(data: dict[str, Any], name: str, files: dict[str, bytes], version: str) -> dict[str, Any]:
    """Make a run on this machine, a worker of a cluster, and return its record."""
    from distributed import get_worker

    if version != VERSION:
        raise InputError(f"worker {get_worker().address}: has pyfsel {VERSION}, the runner {version}")
    if not hasattr(_here, "worker"):
        _here.worker = Worker()
    with TemporaryDirectory(prefix="pyfsel-bench-") as folder:
        for file, content in files.items():
            Path(folder, file).write_bytes(content)
        instance = Path(folder, name)
        record: dict[str, Any] = _here.worker.run(RunSpec.from_dict(data), instance, _released())
    return record


def _released() -> Callable[[], bool]:
    """Return a function that tells whether the task that runs here is wanted no more."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_released() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return is_released


def _workers(client: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    return found


def _require_workers(client: Any, scheduler: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not _workers(client):
        if time.monotonic() > deadline:
            raise InputError(f"scheduler={scheduler!r}: has no workers")
        time.sleep(POLL_SECONDS)
    for address, version in client.run(_version_here, on_error="return").items():
        if version != VERSION:
            what = "cannot import pyfsel" if isinstance(version, BaseException) else f"has pyfsel {version}"
            raise InputError(f"worker {address}: {what}; install pyfsel {VERSION} there")


def _version_here() -> str | None:
    return VERSION
