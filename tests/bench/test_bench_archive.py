"""Benchmarks that travel: tables, parts put together, archives that are replayed, changes between two."""

import json
import shutil
import zipfile
from importlib.metadata import version

import pandas as pd
import pytest

from pyfsel import InputError
from pyfsel.bench import check_folder, run_suite
from pyfsel.bench.archive import merge, pack, packages_that_differ, records_table, replay, unpack
from pyfsel.bench.report.changes import changes
from pyfsel.bench.store import RESULTS, read_records
from pyfsel.cli.app import main
from pyfsel.problem.problem import Problem

SUITE = """
time_limits = [30]
[[group]]
backends = ["brute-force"]
searches = ["simultaneous"]
files = ["*.json"]
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    for number in range(7):
        problem = Problem(quality=[9, 8, 7 + number, 3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
        problem.save(folder / f"p{number}.json")
    (folder / "suite.toml").write_text(SUITE)
    return folder / "suite.toml"


@pytest.fixture(scope="module")
def made_once(suite, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "out"
    run_suite(suite, folder)
    assert check_folder(folder).is_clean
    return folder


@pytest.fixture
def made(made_once, tmp_path):
    return shutil.copytree(made_once, tmp_path / "made")


def changed(folder, change):
    """Change all records of a folder, and check it again."""
    records = read_records(folder)
    for number, record in enumerate(records):
        change(number, record)
    (folder / RESULTS).write_text("".join(json.dumps(record) + "\n" for record in records))
    check_folder(folder)
    return folder


def test_parts_put_together_are_the_whole(suite, made, tmp_path, capsys):
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        assert main(["bench", "run", str(suite), "--part", f"{number}/2", "-o", str(part), "-q"]) == 0
    assert [len(read_records(part)) for part in parts] == [4, 3]
    merged = tmp_path / "merged"
    assert main(["bench", "merge", *map(str, parts), "-o", str(merged)]) == 0
    assert merge(parts, merged) == 0
    assert {r["id"] for r in read_records(merged)} == {r["id"] for r in read_records(made)}
    assert len(read_records(merged)) == 7
    report = check_folder(merged)
    assert (report.is_clean, report.missing) == (True, 0)
    shutil.rmtree(parts[1] / "instances")
    (parts[1] / "suite.json").write_text("[]")
    with pytest.raises(InputError, match="another suite"):
        merge(parts, merged)
    assert main(["bench", "run", str(suite), "--part", "3/2", "-o", str(parts[0])]) == 2
    assert "part=3/2: must be N/M with N from 1 to M" in " ".join(capsys.readouterr().err.split())


def test_tables_hold_each_run_in_a_row(made, tmp_path):
    table = records_table(made)
    assert table["outcome"].tolist() == ["OPTIMAL"] * 7
    assert set(table["versions.numpy"]) == {version("numpy")}
    for ending, read in ((".csv", pd.read_csv), (".parquet", pd.read_parquet)):
        assert main(["bench", "export", str(made), "-o", str(tmp_path / f"t{ending}")]) == 0
        again = read(tmp_path / f"t{ending}")
        assert again["result.integer_objective"].tolist() == table["result.integer_objective"].tolist()
    assert main(["bench", "export", str(made), "-o", str(tmp_path / "t.xlsx")]) == 2
    with pytest.raises(InputError, match="is not the folder of a benchmark"):
        records_table(tmp_path)


def test_an_archive_is_replayed_with_the_same_answers(made, tmp_path, capsys):
    archives = [tmp_path / name for name in ("a.zip", "b.zip")]
    for archive in archives:
        assert main(["bench", "pack", str(made), "-o", str(archive)]) == 0
    assert archives[0].read_bytes() == archives[1].read_bytes()
    names = zipfile.ZipFile(archives[0]).namelist()
    assert {"suite.json", "requirements.txt", "SHA256SUMS", "instances/p0.json"} < set(names)
    assert "models/simultaneous_sum.mzn" in names
    (change,) = replay(archives[0], tmp_path / "replayed")
    assert (change.n_tasks, change.n_proved, change.answers) == (7, (7, 7), ())
    assert main(["bench", "replay", str(archives[0]), "-o", str(tmp_path / "replayed"), "-q"]) == 0
    assert "| brute-force | 7 | 7 | 7 |" in capsys.readouterr().out
    assert packages_that_differ(tmp_path / "replayed" / "packed") == []
    lock = tmp_path / "replayed" / "packed" / "requirements.txt"
    lock.write_text(lock.read_text().replace(f"numpy=={version('numpy')}", "numpy==1.0"))
    assert packages_that_differ(lock.parent) == [f"numpy 1.0, here {version('numpy')}"]


@pytest.mark.parametrize("name", ["instances/p0.json", "results.jsonl", "new", "../outside"])
def test_an_archive_that_was_changed_is_refused(made, tmp_path, name):
    pack(made, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        content = {n: archive.read(n) for n in archive.namelist()}
    content[name] = b"{}"
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for n, data in content.items():
            archive.writestr(n, data)
    with pytest.raises(InputError, match=f"{name} is not what was packed"):
        unpack(tmp_path / "b.zip", tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    (tmp_path / "no.zip").write_bytes(b"PK")
    with pytest.raises(InputError, match="is no archive of a benchmark"):
        unpack(tmp_path / "no.zip", tmp_path / "folder")


def test_changes_are_shown_with_their_interval(made_once, made, capsys):
    def twice(number, record):
        record["cpu_seconds"] = 2 * (record["cpu_seconds"] + 0.1) - 0.1

    changed(made, twice)
    (slower,) = changes(made_once, made)
    assert slower.ratio == pytest.approx((2, 2, 2))
    assert slower.cells[-1] == "slower by 100% to 100%"
    assert (slower.is_worse(1.9), slower.is_worse(2.1)) == (True, False)
    (faster,) = changes(made, made_once)
    assert faster.cells[-1] == "faster by 50% to 50%"
    assert changes(made, made)[0].cells[-2:] == ["1.00 [1.00, 1.00]", "no difference shown"]
    for factor, code in (("1.9", 1), ("2.1", 0)):
        assert main(["bench", "compare", str(made_once), str(made), "--fail-above", factor]) == code
    assert "slower by 100% to 100%" in capsys.readouterr().out


def test_a_lost_proof_is_worse_however_fast(made_once, made):
    def lose(number, record):
        if number == 0:
            record["outcome"] = "FEASIBLE"
            record["result"]["status"] = "FEASIBLE"
            record["result"]["integer_bound"] = None

    changed(made, lose)
    (change,) = changes(made_once, made)
    assert change.n_proved == (7, 6)
    assert change.is_worse(10.0)


def test_benchmarks_without_a_common_run_are_not_compared(made, tmp_path):
    Problem(quality=[3, 2, 1], n_sets=1, set_size=1, max_overlap=0).save(tmp_path / "other.json")
    (tmp_path / "suite.toml").write_text(SUITE.replace("*", "other"))
    run_suite(tmp_path / "suite.toml", tmp_path / "out")
    check_folder(tmp_path / "out")
    with pytest.raises(InputError, match="has no run in common"):
        changes(made, tmp_path / "out")
