"""Tables that tasks of Spark read: the numbers of one process, also after an executor was killed."""

import os
import shutil
import signal
import sys
from pathlib import Path

import joblib
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyfsel.drivers.processes.family import lives
from pyfsel.measures.streams.counting import read_moments, read_stream
from pyfsel.measures.streams.sampling import draw
from pyfsel.measures.streams.sources import is_stream, open_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore"),
]

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # half of its time Java would compile for later


@pytest.fixture(scope="module")
def spark():
    """Return a session with an executor: a process of Java, which starts two of Python."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        settings = {"ui.enabled": "false", "executor.memory": "512m", "ui.showConsoleProgress": "false"}
        settings |= {"sql.files.maxPartitionBytes": "16k", "sql.files.openCostInBytes": "0"}  # a row group
        settings |= dict.fromkeys(("driver.extraJavaOptions", "executor.extraJavaOptions"), SHORT_LIVED)
        builder = SparkSession.builder.master("local-cluster[1,2,512]")
        for name, value in settings.items():
            builder = builder.config(f"spark.{name}", value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 2))
    columns = {"a.b": x[:, 0], "c`d": x[:, 1].astype(np.float32), "byte": rng.integers(0, 9, 3000)}
    columns |= {"text": np.array(["b", "a", "ü"])[rng.integers(0, 3, 3000)], "y": x.sum(axis=1) > 0}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=750)
    return tmp_path / "t.parquet"


def measured(data):
    """Return counts and products of numbers."""
    table = read_stream(open_source(data), "y")
    pairs = table.paired(range(4)).pairs
    table.close()
    return pairs, read_moments(open_source(data), "y").statistics.products


def test_tasks_that_read_row_groups_find_the_numbers_of_one_process(spark, path):
    from joblibspark import register_spark

    register_spark()
    wanted = measured(path)
    with joblib.parallel_config("spark", n_jobs=2):
        found = measured(path)
    assert all(map(np.array_equal, found, wanted))


def test_a_frame_of_which_an_executor_is_killed_has_the_numbers_of_one_process(spark, path):
    from pyspark import TaskContext

    killed = path.with_name("killed")

    def deadly(batches):
        if TaskContext.get().partitionId() == 1 and not killed.exists():
            executor = next(one for one in psutil.Process().parents() if one.name() == "java")
            killed.write_text(str(executor.pid))
            os.kill(executor.pid, signal.SIGKILL)
        yield from batches

    frame = spark.read.parquet(str(path))
    numbered = frame.toDF(*"abcde")
    frame = numbered.mapInArrow(deadly, numbered.schema).toDF(*frame.columns)
    assert is_stream(frame)
    assert all(map(np.array_equal, measured(frame), measured(path)))
    assert not lives(int(killed.read_text()))
    X, y = draw(open_source(frame), "y", 100, ignored=["text"])
    assert (X.shape, y.dtype.kind) == ((100, 3), "b")
