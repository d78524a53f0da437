"""The same function of many arguments: in this process, in several, or on the machines of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from warnings import catch_warnings, filterwarnings


def finished(
    function: Callable[..., Any], jobs: Iterable[tuple[int, tuple[Any, ...]]], n_jobs: int | None
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each job when it is finished, in whatever order.

    Joblib chooses the processes that do the work: ``with joblib.parallel_config("dask"):`` uses those in a
    cluster. A job whose worker is lost is done by another one: its arguments go along with it, and are not
    laid down on one worker beforehand.

    Parameters
    ----------
    function : callable
    jobs : iterable of (number, arguments)
    n_jobs : int, optional
        Number of processes, as joblib takes it.

    Examples
    --------
    >>> sorted(finished(pow, [(0, (2, 3)), (1, (3, 2))], n_jobs=None))
    [(0, 8), (1, 9)]
    """
    if n_jobs in (None, 1) and "joblib" not in sys.modules:  # then nobody has chosen other workers
        yield from ((number, function(*arguments)) for number, arguments in jobs)
        return
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    as_they_come = get_active_backend()[0].supports_return_generator
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered" if as_they_come else "list")
    found = parallel(delayed(_numbered)((function, number, arguments)) for number, arguments in jobs)
    if not as_they_come:
        yield from found
        return
    try:
        for one in found:  # noqa: UP028 - "yield from" would close it without what follows
            yield one
    finally:
        with catch_warnings():
            filterwarnings("ignore", "[0-9]+ tasks ")  # cancelled, as whoever closes this knows
            found.close()


def _numbered(job: tuple[Callable[..., Any], int, tuple[Any, ...]]) -> tuple[int, Any]:
    """Do a job that comes as one argument: joblib lays larger ones down on one worker of a Dask cluster."""
    function, number, arguments = job
    with _alone():
        return number, function(*arguments)


def _alone() -> AbstractContextManager[Any]:
    """Return a context in which a worker of a Dask cluster does what a function does in parallel by itself.

    As a process of this machine does; joblib makes a task of the cluster of each tree of a forest otherwise,
    which takes far longer than the tree.
    """
    from joblib import parallel_config

    return parallel_config("threading", n_jobs=1) if _is_of_cluster() else nullcontext()


def _is_of_cluster() -> bool:
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__name__ in ("DaskDistributedBackend", "SparkDistributedBackend")
