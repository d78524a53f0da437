"""Work on a Dask cluster, by `joblib.parallel_config("dask")`: the numbers of one process."""

import joblib
import psutil
from running import progress_told

from pyfsel.measures import load_dataset, prepare, redundancy


def test_what_a_killed_worker_had_is_done_by_the_other():
    from distributed import Client, LocalCluster

    table = prepare(*load_dataset("iris"))

    def kill_one(text, done):
        if done == 2:
            psutil.Process(cluster.workers[0].pid).kill()

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
        progress_told(kill_one),
    ):
        found = redundancy(table, "mutual_info", random_state=0)
    assert (found == redundancy(table, "mutual_info", random_state=0)).all()
