"""Work on a Dask cluster, by `joblib.parallel_config("dask")`: the numbers of one process."""

import joblib
import pytest
from running import progress_told

from pyfsel.measures import load_dataset, prepare, redundancy


@pytest.fixture(scope="module")
def workers():
    """Return the processes of two workers, on which everything in this module runs."""
    from distributed import Client, LocalCluster

    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster), joblib.parallel_config("dask"):
        yield cluster


def test_what_a_killed_worker_had_is_done_by_the_other(workers):
    table = prepare(*load_dataset("iris"))

    def kill_one(text, done):
        if done == 2:
            workers.workers[0].process.process.kill()

    with progress_told(kill_one):
        found = redundancy(table, "mutual_info", random_state=0)
    with joblib.parallel_config("loky", n_jobs=1):
        assert (found == redundancy(table, "mutual_info", random_state=0)).all()
