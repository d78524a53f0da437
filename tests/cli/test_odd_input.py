"""Files and options that cannot be meant, for all commands: one line, before anything costs time."""

import sys

import pytest
from running_commands import run, write_files

from pyfsel.cli.app import MODULES, commands_of
from pyfsel.cli.options import FILES
from pyfsel.cli.text_values import CHECKS, READERS
from pyfsel.problem.instance import Instance

COMMANDS = {command.name: command for name in MODULES for command in commands_of(name).values()}
ARGUMENTS = {
    "TABLE": "table.csv",
    "INSTANCE.json": "i.json",
    "FILE": "x.lp",
    "SUITE": "s.toml",
    "FAMILY": "partition",
    "MODEL.mzn": "m.mzn",
    "N": "7",
} | dict.fromkeys(("FOLDER", "OLD", "NEW"), "folder")
IMPOSSIBLE = {
    "": "is empty",
    "no/such": "does not exist",
    "x" * 300: "too long",
}
"""Names of files, and what is wrong with them."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_files(tmp_path)
    for name in ("s.toml", "m.mzn"):
        (tmp_path / name).write_text("", encoding="utf-8")
    for name in ("folder", "folder.json", "folder.html"):
        (tmp_path / name).mkdir()
    Instance([9, 8, 7], 1, 2, 2).save(tmp_path / "i.json")
    monkeypatch.chdir(tmp_path)


def is_refused(capsys, words, *said):
    code, out, err = run(capsys, words)
    assert (code, out, err.count("\n")) == (2, "", 1), (words, err)
    for one in said:
        assert one in err, (words, err)
    assert "Traceback" not in err


def words_of(command, **changed):
    names = [name.rstrip("?+") for name in command.arguments]
    return [*command.name.split(), *(changed.get(name, ARGUMENTS[name]) for name in names)]


@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_cannot_be_read(capsys, name):
    command = COMMANDS[name]
    arguments = [
        one.rstrip("?+") for one in command.arguments if one.rstrip("?+") not in command.words.split()
    ]
    options = [one.flags[0] for one in command.options if one.kind in FILES]
    for text, said in {**IMPOSSIBLE, "nowhere": "no such file"}.items():
        for argument in arguments:
            is_refused(capsys, words_of(command, **{argument: text}), said)
        for flag in options:
            is_refused(capsys, [*words_of(command), flag, text], said)


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_never_empty(capsys, name):
    for option in COMMANDS[name].options:
        if option.kind != "bool":
            is_refused(
                capsys, [*words_of(COMMANDS[name]), option.flags[-1], " "], f"{option.flags[0]}: is empty"
            )


OF_TABLES = [name for name, command in COMMANDS.items() if "TABLE?" in command.arguments]


@pytest.mark.parametrize("name", OF_TABLES)
def test_values_are_checked_before_a_table_is_read(capsys, name, tmp_path):
    (tmp_path / "gaps.csv").write_text("a,b,ill\n1,,0\n2,3,1\n,4,0\n", encoding="utf-8")
    words = [*words_of(COMMANDS[name], **{"TABLE": "gaps.csv"}), "-t", "ill"]
    words += ["-o", "page.html"] if name == "report" else []
    for option in COMMANDS[name].options:
        is_read = option.kind in READERS or option.name in CHECKS or option.words
        if is_read and option.kind not in FILES:
            for text in ("?", "1e400", "5-3", "-7,"):
                is_refused(capsys, [*words, f"{option.flags[-1]}={text}"], option.flags[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("subset --method lvf -k 3", "-k 3: is not for --method lvf"),
        ("subset -k 0", "-k 0: "),
        ("subset --method lvf -k 3-5", "-k 3-5: "),
        ("subset -k 2 --threshold 1", "-k 2: excludes --threshold 1"),
        ("subset --method relief -k 2 --cut knee", "--cut knee: excludes -k 2"),
        ("subset --method abb --criterion model", "--method abb: needs a criterion that never falls"),
        (
            "subset --method lvi --criterion conditional-entropy",
            "--method lvi: needs a criterion that counts",
        ),
        ("subset --max-tries 3", "--max-tries 3: is not for --method floating-forward, but for lvf"),
        ("subset --method lvf --max-tries 0", "--max-tries 0: "),
        ("subset --method lvi --portion 10", "--portion 10: "),
        ("subset --max-evaluations 0", "--max-evaluations 0: "),
        ("subset --method graph-fs --decay 2", "--decay 2: "),
        ("subset --n-bins 1", "--n-bins 1: "),
        ("subset --criterion model --n-bins 3", "--n-bins 3: is for the criterion consistency or"),
        ("subset --cv 3", "--cv 3: is for the criterion model only"),
        ("subset --first best", "--first best: "),
        ("subset --first abb --criterion model", "--first abb: needs a criterion that never falls"),
        ("consistency --rate 2", "--rate 2: "),
        ("consistency -d shared:1", "sets of different sizes need a threshold"),
        ("consistency --n-bins 1", "--n-bins 1: "),
        ("masks -k 0", "-k 0: "),
        ("masks --slack=-1", "--slack -1: "),
        ("masks --max-evaluations 0", "--max-evaluations 0: "),
    ],
)
def test_experiments_are_refused_before_a_table_is_read(capsys, line, said):
    command, *options = line.split()
    is_refused(capsys, ["papers", command, "table.csv", "-t", "no such column", *options], said)


WRITERS = [
    (name, option.flags[-1])
    for name, command in COMMANDS.items()
    for option in command.options
    if option.name in ("output", "certificate") and name not in ("generate", "bench run", "bench report")
]


@pytest.mark.parametrize(("name", "flag"), [*WRITERS, ("export", "")])
def test_files_that_cannot_be_written(capsys, name, flag):
    ending = ".html" if name == "report" else ".json"
    paths = {text and text + ending: said for text, said in IMPOSSIBLE.items()}
    paths |= {f"a\0b{ending}": "null byte", f"folder{ending}": "is a folder"}
    if sys.platform == "linux":
        paths[f"/proc/x{ending}"] = "cannot be written"
    for path, said in paths.items():
        words = words_of(COMMANDS[name], **({} if flag else {"FILE": path}))
        is_refused(capsys, [*words, flag, path] if flag else words, said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("select table.csv -t ill --sample-id name", "--sample-id: is for --samples, which is not given"),
        ("look table.csv -t ill --sample-id name", "--sample-id: is for --samples"),
        ("generate partition --time-limit 3", "--time-limit: is for --pack"),
        ("bench check folder --confirm-limit 3", "--confirm-limit: is for --confirm-share"),
        ("select table.csv -t ill --budget 3", "--budget 3: has no costs"),
        ("solve i.json --rules none", "--data, --rules: are for a MiniZinc model"),
        ("select table.csv -t ill --objective model --n-threads 2", "--n-threads 2: is for solvers"),
        ("select table.csv -t ill --objective model --confirm auto", "--confirm auto: is for solvers"),
        ("export i.json x.lp --models there", "--models there: copies all models"),
        ("solve i.json -o x --certificate x", "--certificate x: is the file"),
        ("select table.csv -t ill --costs costs.csv -o costs.csv", "-o costs.csv: is the file that is read"),
        ("select table.csv -t ill -k 2 -d shared:9", "-d shared:9: shared=9: must be"),
        ("select table.csv -t ill --objective r2:ridge=-1", "--objective r2:ridge=-1: ridge=-1.0: must be"),
        ("select table.csv -t ill --group age:at_least=2", "--group age:at_least=2: at_least=2: must be"),
        ("choose_k table.csv -t ill -k 3", "-k 3: is one size"),
        ("solve i.json --solver cpsat/x", "--solver cpsat/x: formulation='x': cpsat has"),
        ("generate partition -k 99999999999999999999", "-k 99999999999999999999: is not a whole"),
        ("solve i.json --n-threads 99999999999999999999", "--n-threads 99999999999999999999: is not a whole"),
    ],
)
def test_options_that_contradict(capsys, line, said):
    is_refused(capsys, line, said)
