r"""CPU seconds and peak memory of greedy mRMR by other programs on a table of `benchmarks/large_tables.py`.

    python benchmarks/large_tables_peers.py /tmp/large/4000000x30_uint8.parquet --python PEERS/bin/python \
        --fast-mrmr fast-mrmr

PEERS is an environment with `mrmr_selection==0.2.8 polars==0.17.15 "pandas<3" pyarrow`: later versions of
Polars lack functions that it calls. fast-mrmr is the C++ program of github.com/sramirez/fast-mRMR (folder
`cpu`, `g++ -O3`; its one header of Boost is not used). It takes bytes in a format of its own; writing them is
not counted. Its columns are numbered from 1, as the target is the first one (0).
"""

import argparse
import os
import struct
import subprocess
from multiprocessing import Process
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from pyarrow.parquet import read_table

MRMR = """
import sys

path, engine = sys.argv[1:]
if engine == "polars":
    import polars
    from mrmr.polars import mrmr_classif
    print(mrmr_classif(polars.read_parquet(path), K=5, target_column="y", show_progress=False))
else:
    import pandas
    from mrmr import mrmr_classif
    X = pandas.read_parquet(path)
    print(mrmr_classif(X, X.pop("y"), K=5, show_progress=False, n_jobs=1))
"""


def write(path, file):
    table = read_table(path)
    columns = ["y", *(name for name in table.column_names if name != "y")]
    file.write(struct.pack("II", table.num_rows, len(columns)))
    file.write(np.column_stack([table[name].to_numpy().astype(np.uint8) for name in columns]))
    file.flush()


def measured(name, *command, limit):
    process = subprocess.Popen(["prlimit", f"--cpu={limit}", *command], stdout=subprocess.PIPE, text=True)
    found = process.stdout.read().strip()
    _, status, used = os.wait4(process.pid, 0)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
    print(f"{name}: {seconds:.1f} CPU s, {megabytes:.0f} MB, {'failed' if status else found}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--python", help="of the environment with mrmr_selection")
    parser.add_argument("--fast-mrmr", help="the program; for tables of bytes")
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds of each")
    given = parser.parse_args()
    if given.fast_mrmr:
        with NamedTemporaryFile() as file:
            writer = Process(
                target=write, args=(given.table, file)
            )  # the peak of this one would be the program's
            writer.start()
            writer.join()
            command = (given.fast_mrmr, "-f", file.name, "-c", "1", "-a", "6")
            measured("fast-mrmr", *command, limit=given.limit)
    for engine in ("polars", "pandas") if given.python else ():
        measured(engine, given.python, "-c", MRMR, str(given.table), engine, limit=given.limit)


if __name__ == "__main__":
    main()
