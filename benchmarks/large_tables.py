"""CPU seconds and peak memory of `pyfsel select` on Parquet files that are read in parts.

    python benchmarks/large_tables.py 1000000x300 4000000x30:uint8 --folder /tmp/large

Each table is written once: numbers of six hidden factors and noise in single precision, or rounded to ten
levels of one byte, row groups of 100,000 rows, and a target of two classes. The question is the best mRMR set
of five features with all pairs counted; no option says that the file is large. The seconds are processor time
of all processes, the memory is that of the largest process at its peak, of which the imports alone take about
170 MB.
"""

import argparse
import os
import subprocess
import sys
from multiprocessing import Process
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

ROWS_OF_A_GROUP, FACTORS = 100_000, 6


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


def asked(path, question):
    """Ask for a set, and return the processor time of all processes and the peak of the largest one."""
    command = [sys.executable, "-m", "pyfsel", "select", path, "-t", "y", "-k", "5", "-n", "1", "--quiet"]
    process = subprocess.Popen([*command, *question], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{path.name}: failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shapes", nargs="+", help="ROWSxCOLUMNS or ROWSxCOLUMNS:uint8")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--measure", default="information", help="information, pearson, …")
    parser.add_argument("--objective", default="mrmr")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for shape in given.shapes:
        path = given.folder / f"{shape.replace(':', '_')}.parquet"
        if not path.exists():
            # a process of its own, whose peak of memory is not that of the question
            writer = Process(target=write, args=(path, shape))
            writer.start()
            writer.join()
        seconds, kilobytes = asked(path, ["--objective", given.objective, "--measure", given.measure])
        print(f"{shape}, {given.measure}: {seconds:.1f} CPU s, {kilobytes / 1000:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
