"""CPU seconds and peak memory of `pyfsel select` on Parquet files that are read in parts.

    python benchmarks/large_tables.py 1000000x300 4000000x30:uint8 --folder /tmp/large
    python benchmarks/large_tables.py 1000x30:uint8 1000000x300 --folder /tmp/large --on local dask spark

Each table is written once: numbers of six hidden factors and noise in single precision, or rounded to ten
levels of one byte, row groups of 100,000 rows, and a target of two classes. Asked for is the best mRMR set of
five features with all pairs counted, `--memory 1`. The seconds are processor time of all processes that the
question takes, from their start to their end: with Dask a scheduler and two workers (`--no-nanny`, one thread
each, with few of Dask's own ticks and samples), with Spark its process of Java and those of Python
(`local[2]`), which read row groups ("spark") or get the rows of a DataFrame ("spark-frame"). The memory is
that of the largest process at its peak, of which the imports alone take about 195 MB.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

ROWS_OF_A_GROUP, FACTORS = 100_000, 6
ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of Linux: processes whose parent ended are counted as well."""
QUIET_DASK = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""What Dask does many times a second counts the more, the less of the machine is free."""
ON_SPARK = """
import sys

import joblib
from joblibspark import register_spark
from pyspark.sql import SparkSession

from pyfsel.measures.from_table import problem_from_table
from pyfsel.solving.solve import solve

where, path, measure = sys.argv[1:]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
with builder.config("spark.ui.showConsoleProgress", "false").getOrCreate() as spark:
    register_spark()
    data = spark.read.parquet(path) if where == "spark-frame" else [path]
    with joblib.parallel_config("spark", n_jobs=2):
        problem = problem_from_table(data, "y", k=5, objective="mrmr", measure=measure)
solve(problem)
"""


def write(path, shape):
    size, _, kind = shape.partition(":")
    n_rows, n_columns = map(int, size.split("x"))
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(FACTORS, n_columns)).astype(np.float32)
    fields = [(f"x{j}", pa.uint8() if kind else pa.float32()) for j in range(n_columns)]
    schema = pa.schema([*fields, ("y", pa.int8())])
    with ParquetWriter(path, schema, use_dictionary=False) as writer:
        for first in range(0, n_rows, ROWS_OF_A_GROUP):
            m = min(ROWS_OF_A_GROUP, n_rows - first)
            hidden = rng.standard_normal((FACTORS, m), dtype=np.float32)
            x = weights.T @ hidden + rng.standard_normal((n_columns, m), dtype=np.float32)
            y = (x[0] + x[7] - x[min(20, n_columns - 1)] + 3 * rng.standard_normal(m, dtype=np.float32)) > 0
            if kind:
                x = np.clip(np.rint(2 * x) + 5, 0, 9).astype(np.uint8)
            writer.write_table(pa.table([*map(pa.array, x), pa.array(y.astype(np.int8))], schema=schema))


@contextmanager
def dask_cluster(n_workers=2):
    """Give the address of a scheduler with workers; they are killed in the end, and left to be waited for."""
    with TemporaryDirectory() as folder, ExitStack() as stack:

        def started(name, *arguments):
            log = Path(folder, name)
            command = [sys.executable, "-m", f"distributed.cli.dask_{name.partition('-')[0]}", *arguments]
            command += ["--host", "127.0.0.1", "--no-dashboard"]
            process = subprocess.Popen(command, stdout=log.open("w"), stderr=subprocess.STDOUT, cwd=folder)
            stack.callback(process.kill)
            return log

        address = waited_for(started("scheduler", "--port", "0"), r"Scheduler at:\s+(tcp://\S+)")[1]
        options = (address, "--nthreads", "1", "--no-nanny", "--local-directory", folder)
        for log in [started(f"worker-{number}", *options) for number in range(n_workers)]:
            waited_for(log, "Registered to")
        yield address


def waited_for(log, pattern):
    while not (found := re.search(pattern, log.read_text())):
        time.sleep(0.1)
    return found


def asked(where, path, measure):
    """Ask for a set, and return the processor time of all processes and the peak of the largest one."""
    question = ["-t", "y", "-k", "5", "-n", "1", "--objective", "mrmr", "--quiet"]
    command = [sys.executable, "-m", "pyfsel", "select", path, *question, "--measure", measure]
    with ExitStack() as stack:
        if where == "dask":
            command += ["--executor", "dask", "--scheduler", stack.enter_context(dask_cluster())]
        if where.startswith("spark"):
            command = [sys.executable, "-c", ON_SPARK, where, path, measure]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, first = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{where}, {path.name}: failed")
    used = [first, *ended()]
    return sum(one.ru_utime + one.ru_stime for one in used), max(one.ru_maxrss for one in used)


def ended():
    """Wait until all other processes have ended, and yield what each used."""
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shapes", nargs="+", help="ROWSxCOLUMNS or ROWSxCOLUMNS:uint8")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--measure", default="information", help="information or pearson")
    places = ["local", "dask", "spark", "spark-frame"]
    parser.add_argument("--on", nargs="+", choices=places, default=places[:1], help="who reads")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    os.environ.update(QUIET_DASK)
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1)
    for shape in given.shapes:
        path = given.folder / f"{shape.replace(':', '_')}.parquet"
        if not path.exists():
            writer = Process(
                target=write, args=(path, shape)
            )  # the peak of this one would be that of its children
            writer.start()
            writer.join()
        for where in given.on:
            seconds, kilobytes = asked(where, path, given.measure)
            print(f"{shape}, {where}: {seconds:.1f} CPU s, {kilobytes / 1000:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
