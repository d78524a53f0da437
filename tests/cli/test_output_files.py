"""Output files are written as a whole: on a full disk the old file stays, if any, and answers are printed."""

import json
import os
import subprocess
import sys

import pytest
from running import ended, python

from pyfsel.errors import InputError
from pyfsel.problem.text_files import replacing, write_text

resource = pytest.importorskip("resource")
INSTANCE = {
    "format": "pyfsel-problem 2",
    "quality": list(range(60, 0, -1)),
    "n_sets": 2,
    "k": 3,
    "max_shared": 1,
}
COMMANDS = {
    "solve i.json --format json -o {file}": "r.json",
    "solve i.json --format text -o {file}": "r.txt",
    "export i.json {file}": "r.lp",
    "solve i.json -q --certificate {file}": "r.cert",
    "select --dataset wine -k 3 -n 2 -o {file}": "r.json",
}
MOST_BYTES = 100
FULL = "No space left on device" if sys.platform == "linux" else ""


def full_disk():
    """Have no file grow beyond some bytes, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))


def on_a_full_disk(folder, command):
    return python(
        "-m",
        "pyfsel",
        *command.split(),
        cwd=folder,
        preexec_fn=full_disk,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(folder)},
    )


@pytest.mark.parametrize("before", ["nothing", "an old file"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch, run, command, before):
    (tmp_path / "i.json").write_text(json.dumps(INSTANCE))
    output = tmp_path / COMMANDS[command]
    if before == "an old file":
        output.write_text("kept")
    there, command = sorted(tmp_path.iterdir()), command.format(file=output.name)
    done = on_a_full_disk(tmp_path, command)
    assert done.returncode == 2
    assert done.stdout or "export" in command
    assert f"{output.name}: cannot be written" in done.stderr
    assert sorted(tmp_path.iterdir()) == there
    assert before == "nothing" or output.read_text() == "kept"
    monkeypatch.chdir(tmp_path)
    assert run(command).code in (0, 4)
    assert output.stat().st_size > MOST_BYTES


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("way", ["--format json -o /dev/full", "--format json >/dev/full", ">/dev/full"])
def test_a_device_that_is_full_is_bad_input(tmp_path, way):
    (tmp_path / "i.json").write_text(json.dumps(INSTANCE))
    done = ended("sh", "-c", f"exec {sys.executable} -m pyfsel solve i.json {way}", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert FULL in done.stderr


def test_an_interruption_leaves_what_was_there(tmp_path):
    def write_half():
        with replacing(tmp_path / "a.txt") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert not list(tmp_path.iterdir())


def test_links_modes_and_pipes_stay_what_they_are(tmp_path):
    there, link, pipe = (tmp_path / name for name in ("there", "link", "pipe"))
    there.write_text("old")
    there.chmod(0o640)
    link.symlink_to(there)
    write_text(link, "new")
    assert (link.is_symlink(), there.read_text(), there.stat().st_mode & 0o777) == (True, "new", 0o640)
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        write_text(pipe, "through")
        assert reader.communicate()[0] == "through"
    assert pipe.is_fifo()
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "no/folder", "")
