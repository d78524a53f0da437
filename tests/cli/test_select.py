"""`pyfsel select`: options reach the sets; what is printed, written and returned; errors."""

import io
import shlex

import pandas as pd
import pytest
from running_commands import FAST, same_as_stored, write_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "expected"),
    {
        "": {"age", "lab_iron"},
        "--forced pulse": {"age", "pulse"},
        "--forced pulse --forced 'ratio a:b'": {"pulse", "ratio a:b"},
        "--forbidden age": {"lab_iron", "weight, kg"},
        "--forbidden 'lab_*'": {"age", "weight, kg"},
        "--ignore age --ignore 'lab_*'": {"weight, kg", "pulse"},
        "--group age,lab_iron:at_most=1": {"age", "weight, kg"},
        """--group 'age, "weight, kg" ,pulse:at_least=2' --forbidden age""": {"weight, kg", "pulse"},
        "--group 'ratio a:b:at_least=1,at_most=1'": {"age", "ratio a:b"},
        "--group 'lab_*:all_or_none' --forced lab_iron": {"lab_iron", "lab_sodium"},
        "-k 1-2 --group '*:at_most=1'": {"age"},
        "-k2 --costs costs.csv --budget 1.9": {"lab_iron", "weight, kg"},
        "--previous sets.json -d 1": {"weight, kg", "pulse"},
        "--min-quality 90%": {"age", "lab_iron"},
        "--search sum --solver cpsat/literal --n-threads 1 --random-state 3": {"age", "lab_iron"},
        "--search=min --solver brute-force --confirm auto": {"age", "lab_iron"},
        "--objective mrmr:beta=0.5,pairs=spearman --chance mark": {"age", "lab_iron"},
    }.items(),
)
def test_options_reach_the_sets(run, folder, options, expected):
    (folder / "sets.json").write_text('[["age", "lab_iron"]]')
    line = FAST.replace("-k 2", "") if options.startswith("-k") else FAST
    found = run(shlex.split(f"{line} {options} --format json"), 0).data
    assert set(found["sets"][0]["names"]) == expected


def test_json_and_csv_are_those_stored(run):
    asked = f"{FAST.replace('-n 1', '-n 3 -d 0.5')} --costs costs.csv --format"
    for form in ("json", "csv"):
        same_as_stored(f"select.{form}", run(f"{asked} {form}", 0).out)


def test_the_text_has_one_layout(run):
    out = run("select --dataset breast_cancer", 0).out
    lines = out.splitlines()
    assert lines[0] == "3 feature sets of 5, from 30 features and 569 rows of breast_cancer"
    assert max(map(len, lines)) <= 80
    labels = [line.split()[0] for line in lines if line[:1].isupper()]
    assert labels == ["OPTIMAL", "CHECK", "CHECK", "CHECK", "ERROR", "Next"]
    assert all(line[9] != " " and line[8] == " " for line in lines if line[:1].isupper())
    assert "pyfsel evaluate --dataset breast_cancer" in out
    assert "--near-duplicates note" in out
    assert "Details" in run("select --dataset breast_cancer --details")[1]


@pytest.mark.parametrize("name", ["sets.json", "sets.csv", "sets.txt", "sets"])
def test_the_output_file_decides_the_format(run, folder, name):
    assert run(f"{FAST} -o {name}") == (0, "", "")
    begin = {"sets.json": "{", "sets.csv": "set,"}.get(name, "1 feature set of 2")
    assert (folder / name).read_text().startswith(begin)
    assert "\x1b" not in (folder / name).read_text()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ("-k 2 -n 4 -d 1", 4, "FEWER Proved for each set"),
        ("-k 2 -n 4 -d 1 --search sum", 3, "One of these is enough: -n 2, or -d 0.5, or -k 1"),
        ("-k 2 -n 2 -d 1 --search sum --min-quality 99%", 3, "or -d 0, or without --min-quality"),
        ("-k 2 -n 2 --search sum --solver greedy-balancing", 0, "FEASIBLE"),
        ("-k 2 -n 2 --search sum --solver greedy-balancing --require-proof", 4, "FEASIBLE"),
        ("-k 2 -n 2 -d 0.5 --require-proof", 0, "OPTIMAL"),
    ],
)
def test_exit_codes(run, options, code, words):
    assert words in run(f"select --dataset iris --measure pearson {options}", code).words


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv", "t.parquet", "-"])
def test_other_files_give_the_same_sets(run, folder, monkeypatch, name):
    frame = pd.read_csv("table.csv")
    if name == "t.parquet":
        frame.to_parquet(name)
    elif name == "-":
        stdin = io.TextIOWrapper(io.BytesIO((folder / "table.csv").read_bytes()))
        monkeypatch.setattr("sys.stdin", stdin)
    else:
        frame.to_csv(name, index=False, sep="\t" if name == "t.tsv" else ",")
    again = run(FAST.replace("table.csv", name) + " --format csv")
    assert again == run(f"{FAST} --format csv")


def test_help_shows_the_usual_options_or_all(run):
    short = run("select --help", 0).out
    assert 15 <= sum(line.startswith("  -") for line in short.splitlines()) <= 20
    full = run("select --help-all").words
    assert "--solver" in full
    assert "--solver" not in short.split("more with")[0]
    words = "-k K|K-K [5] repeatable --order COLUMN=A<B<C --time-limit SECONDS --memory-limit MB merge:0.7"
    for text in (
        *words.split(),
        "sequential, sum, min, min_then_sum",
        "--confirm NAME|auto",
        "'lab_*:at_most=1'",
    ):
        assert text.lower() in full.lower()
    for words, form in (("stability", "time:"), ("papers subset", "N|time:"), ("evaluate", "N|time:")):
        assert f"--cv {form}COLUMN" in run(f"{words} --help-all")[1]


@pytest.mark.parametrize("target", ["ill", "age"])
def test_sets_are_compared_with_selectors_of_scikit_learn(run, target):
    peers = ["select_k_best", "rfe", "lasso"]
    words = f"evaluate table.csv -t {target} --task {'regression' if target == 'age' else 'auto'} -k 2 -n 1"
    line = f"{words} --cv 2 --repeats 1 --format json --compare-with {' --compare-with '.join(peers)}"
    found = run(line, 0).data
    assert [row["set"] for row in found["rows"]] == ["set 0", *peers, "all"]
    assert found["headline"].startswith("Set 0 scores ")
    told = "--compare-with best: must be one of select_k_best, rfe, lasso"
    assert told in run(f"{words} --compare-with best")[2]
