"""Benchmarks on a real Slurm, of one machine, which is started here from Debian's packages."""

import getpass
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from pyfsel.bench import check_folder
from pyfsel.bench.store import read_records
from pyfsel.problem.instance import Instance

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
WAIT_SECONDS = 60
JOB_ARRAY = Path(__file__).parents[2] / "benchmarks" / "job_array.sh"
SUITE = """
time_limits = [30]
seeds = [0, 1]
backends = ["brute-force", "packing"]
files = ["example.json"]
searches = ["simultaneous", "sequential"]
"""
CONFIGURATION = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=3 RealMemory=20000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, PROGRAMS)), reason="apt-get install slurmctld slurmd slurm-client munge"
)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Start the key daemon, the controller and the node; commands of Slurm in this process find them."""
    folder = tmp_path_factory.mktemp("slurm")
    keys = folder / "munge"
    keys.mkdir(mode=0o700)
    (keys / "key").write_bytes(os.urandom(1024))
    (keys / "key").chmod(0o400)
    files = [f"--{name}-file={keys / name}" for name in ("key", "pid", "log", "seed")]
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            user=getpass.getuser(),
            folder=folder,
            controller=free_port(),
            node=free_port(),
        )
    )
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("SLURM_CONF", str(configuration))
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        socket_file = keys / "socket"
        stack.enter_context(
            program("munged", folder, "--foreground", "--force", f"--socket={socket_file}", *files)
        )
        wait_until(socket_file.exists, folder)
        stack.enter_context(program("slurmctld", folder, "-D"))
        stack.enter_context(program("slurmd", folder, "-D"))
        wait_until(lambda: asked("sinfo", "--noheader", "--format=%t") == "idle", folder)
        yield folder


def free_port():
    with closing(socket.socket()) as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


@contextmanager
def program(name, folder, *arguments):
    with (folder / f"{name}.out").open("w") as log:
        process = subprocess.Popen([name, *arguments], stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def asked(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def wait_until(holds, folder):
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        logs = "\n".join(path.read_text() for path in folder.glob("*.out"))
        assert time.monotonic() < end, f"too long:\n{logs}"
        time.sleep(0.1)


@pytest.fixture
def suite(tmp_path):
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=2, k=2, max_shared=1)
    problem.save(tmp_path / "example.json")
    path = tmp_path / "suite.toml"
    path.write_text(SUITE)
    return path


def assert_all_proved(folder):
    """Hold the eight runs of the suite against what is known of them."""
    report = check_folder(folder)
    assert (report.n_runs, report.missing, report.is_clean, report.errors) == (8, 0, True, ())
    assert {record["result"]["integer_objective"] for record in read_records(folder)} == {33}


def test_parts_of_a_job_array_share_a_folder(slurm, suite, tmp_path):
    subprocess.run(["sbatch", "--array=1-2", JOB_ARRAY, suite, tmp_path / "results"], cwd=slurm, check=True)
    wait_until(lambda: not asked("squeue", "--noheader"), slurm)
    assert len(list((tmp_path / "results").glob("results-?-of-2.jsonl"))) == 2
    assert_all_proved(tmp_path / "results")
