"""Parts of a benchmark, and changes between two."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from running import ended
from test_bench import PROBLEM, changed, record_all

from pyfsel import InputError
from pyfsel.bench import check_folder
from pyfsel.bench.report import changes
from pyfsel.bench.store import read_records
from pyfsel.problem.instance import Instance

JOB_ARRAY = Path(__file__).parents[2] / "benchmarks" / "job_array.sh"
SUITE = """
time_limit = 30
solver = "brute-force"
search = "sum"
files = "*.json"
"""


def suite_of(folder, n_problems):
    for number in range(n_problems):
        PROBLEM.replace(quality=[9, 8, 7 + number, 3, 2, 1]).save(folder / f"p{number}.json")
    (folder / "suite.toml").write_text(SUITE)
    return folder / "suite.toml"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    folder = record_all(suite_of(folder, 7), folder / "out")
    assert check_folder(folder).is_clean
    return folder


@pytest.fixture
def made(made_once, tmp_path):
    return shutil.copytree(made_once, tmp_path / "made")


def test_parts_share_a_folder(tmp_path, run):
    suite, whole = suite_of(tmp_path, 3), tmp_path / "whole"
    variables = {"SLURM_ARRAY_TASK_COUNT": "2", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    times = set()
    for number in "12":
        variables["SLURM_ARRAY_TASK_ID"] = number
        ended("bash", JOB_ARRAY, suite, whole, env=os.environ | variables, check=True)
        times.add((whole / "instances" / "p0.json").stat().st_mtime_ns)
    assert len(times) == 1  # what other parts may read is not written again
    assert len(list(whole.glob("results-?-of-2.jsonl"))) == 2
    made = record_all(suite, tmp_path / "made")
    assert {r["id"] for r in read_records(whole)} == {r["id"] for r in read_records(made)}
    run(f"bench run {suite} -o {whole} -q", 0)
    assert len(read_records(whole)) == 3
    told = run(f"bench run {suite} --part 3/2 -o {whole}", 2).words
    assert "--part 3/2: must be N/M with N from 1 to M" in told


def test_changes_are_shown_with_their_interval(made_once, made, run):
    def twice(record):
        record["cpu_seconds"] = 2 * (record["cpu_seconds"] + 0.1) - 0.1

    check_folder(changed(made, twice))
    (slower,) = changes(made_once, made).to_frame().to_dict("records")
    assert [slower[name] for name in ("ratio", "low", "high")] == pytest.approx([2, 2, 2])
    assert slower["difference"] == "slower by 100% to 100%"
    assert changes(made, made_once).to_frame()["difference"].tolist() == ["faster by 50% to 50%"]
    assert changes(made, made).to_frame()["difference"].tolist() == ["no difference shown"]
    for factor, code in (("1.9", 1), ("2.1", 0)):
        told = run(f"bench compare {made_once} {made} --fail-above {factor}", code).out
        assert "slower by 100% to 100%" in told


def test_a_lost_proof_is_worse_however_fast(made_once, made):
    def lose(record):
        record["outcome"] = "FEASIBLE"
        record["result"] |= {"status": "FEASIBLE", "integer_bound": None}

    check_folder(changed(made, lose, 0))
    found = changes(made_once, made, fail_above=10.0)
    assert found.to_frame()[["proved_before", "proved_now"]].values.tolist() == [[7, 6]]
    assert (found.status, found.details["worse"]) == ("CHECK", ["brute-force"])


def test_benchmarks_without_a_common_run_are_not_compared(made, tmp_path):
    Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=0).save(tmp_path / "other.json")
    (tmp_path / "suite.toml").write_text(SUITE.replace("*", "other"))
    check_folder(record_all(tmp_path / "suite.toml", tmp_path / "out"))
    with pytest.raises(InputError, match="has no run in common"):
        changes(made, tmp_path / "out")
