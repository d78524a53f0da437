"""Files and options that cannot be meant, for all commands: one line, before anything costs time."""

import re
import sys
from itertools import combinations

import pytest
from running_commands import FAST, write_files

from pyfsel.cli.app import MODULES, commands_of
from pyfsel.cli.help import metavar_of
from pyfsel.cli.options import FILES
from pyfsel.cli.text_values import CHECKS, READERS
from pyfsel.problem.instance import Instance

COMMANDS = {command.name: command for name in MODULES for command in commands_of(name).values()}
PROBLEM = Instance([9, 8, 8, 7, 3, 1], 3, 2, 1)
ARGUMENTS = {
    "TABLE": "table.csv",
    "INSTANCE.json": "i.json",
    "FILE": "x.lp",
    "SUITE": "s.toml",
    "FAMILY": "partition",
    "MODEL.mzn": "m.mzn",
    "N": "7",
} | dict.fromkeys(("FOLDER", "OLD", "NEW"), "folder")
IMPOSSIBLE = {"": "is empty", "no/such": "does not exist", "x" * 300: "too long"}
"""Names of files, and what is wrong with them."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_files(tmp_path)
    for name, text in FILES_READ.items():
        (tmp_path / name).write_text(text, "utf-8")
    for name in ("folder", "folder.json", "folder.html"):
        (tmp_path / name).mkdir()
    PROBLEM.save(tmp_path / "i.json")
    monkeypatch.chdir(tmp_path)


def is_refused(run, words, *said):
    code, out, err = run(words)
    assert (code, out, err.count("\n")) == (2, "", 1), (words, err)
    for one in said:
        assert one in err, (words, err)
    assert "Traceback" not in err


def words_of(command, **changed):
    names = [name.rstrip("?+") for name in command.arguments]
    return [*command.name.split(), *(changed.get(name, ARGUMENTS[name]) for name in names)]


@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_cannot_be_read_and_empty_options(run, name):
    command = COMMANDS[name]
    names = [one.rstrip("?+") for one in command.arguments]
    for text, said in {**IMPOSSIBLE, "nowhere": "no such file"}.items():
        for argument in set(names) - set(command.words.split()):
            is_refused(run, words_of(command, **{argument: text}), said)
        for option in command.options:
            if option.kind in FILES:
                is_refused(run, [*words_of(command), option.flags[0], text], said)
    for option in command.options:
        if option.kind != "bool":
            words = [*words_of(command), option.flags[-1], " "]
            is_refused(run, words, f"{option.flags[0]}: is empty")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_each_option_what_it_means_on_the_command_line(name):
    for option in COMMANDS[name].options:
        assert re.fullmatch(r"(?!As for|.*(In Python|pyfsel\.|``))\S.{9,}", option.about), option
        assert (metavar_of(option) != "NAME") >= (type(option.default) is int), option


OF_TABLES = [name for name, command in COMMANDS.items() if "TABLE?" in command.arguments]


@pytest.mark.parametrize("name", OF_TABLES)
def test_values_are_checked_before_a_table_is_read(run, name, tmp_path):
    (tmp_path / "gaps.csv").write_text("a,b,ill\n1,,0\n2,3,1\n,4,0\n", "utf-8")
    words = [*words_of(COMMANDS[name], TABLE="gaps.csv"), "-t", "ill"]
    words += ["-o", "page.html"] if name == "report" else []
    for option in COMMANDS[name].options:
        is_read = option.kind in READERS or option.name in CHECKS or option.words
        if is_read and option.kind not in FILES:
            for text in ("?", "1e400", "5-3", "-7,"):
                is_refused(run, [*words, f"{option.flags[-1]}={text}"], option.flags[0])


WRITERS = [
    (name, option.flags[-1])
    for name, command in COMMANDS.items()
    for option in command.options
    if option.name in ("output", "certificate") and name not in ("generate", "bench run", "bench report")
]


@pytest.mark.parametrize(("name", "flag"), [*WRITERS, ("export", "")])
def test_files_that_cannot_be_written(run, name, flag):
    ending = ".html" if name == "report" else ".json"
    paths = {text and text + ending: said for text, said in IMPOSSIBLE.items()}
    paths |= {f"a\0b{ending}": "embedded null", f"folder{ending}": "is a folder"}
    if sys.platform == "linux":
        paths[f"/proc/x{ending}"] = "cannot be written"
    for path, said in paths.items():
        words = words_of(COMMANDS[name], **({} if flag else {"FILE": path}))
        is_refused(run, [*words, flag, path] if flag else words, said)


FILES_READ = {
    "s.toml": "",
    "m.mzn": "",
    "bad.csv": "feature,cost\nage,much\n",
    "twice.csv": "feature,cost\nage,3\nage,4\n",
    "-odd.csv": "",
    "x.xlsx": "",
    "genes.csv": "id,a\ns1,1\ns2,2\n",
    "few.csv": "feature,cost\nage,3\nlab_*,1\n",
    "bad.json": PROBLEM.to_json().replace("{", '{"budgt": 3,', 1),
    "text.json": "no JSON",
    "least.json": PROBLEM.replace(min_quality=9).to_json(),
    "pairs.json": "[1, 2]",
    "s.json": '{"format": "pyfsel-answer 1"}',
    "c.cert": '{"format": "pyfsel certificate 1"}',
}
ERRORS = {
    "select nofile.csv --tau 1": "nofile.csv: no such file.",
    "select tabel.csv -t ill": "tabel.csv: no such file. Did you mean 'table.csv'?",
    "select https://a.b/t.csv": "https://a.b/t.csv: is an address, not a file.",
    f"{FAST} --tau 0.5 -k x": "--tau: unknown option.",
    f"{FAST} -a 2": "-a: unknown option.",
    f"{FAST} --margin 0.1": "--margin: is not an option of select, but of evaluate",
    "look table.csv --missing drop": "--missing: is not an option of look, but of choose_k, evaluate, ",
    f"{FAST} -search sum": "-search: unknown option. Did you mean '--search'?",
    f"{FAST} --details=yes": "--details: takes no value",
    f"{FAST} --tim-limit 2": "--tim-limit: unknown option. Did you mean '--time-limit'?",
    f"{FAST} --k 2": "--k: unknown option. Did you mean '-k'?",
    f"{FAST} --xyzxyz": "--xyzxyz: unknown option. --help-all shows all.",
    f"{FAST} more": "more: is one argument too many",
    f"{FAST} -- --more": "--more: is one argument too many",
    f"{FAST} k=2": "-k: begins with a dash. Try: -k 2",
    f"{FAST} --time-limit 50%": "--time-limit 50%: is not a number",
    f"{FAST} --costs costs.csv --budget 10%": "--budget 10%: is not a number",
    f"{FAST} --forced=": "--forced: is empty. Try: --forced NAME",
    f"{FAST} --previous pairs.json": "pairs.json: has no sets.",
    f"{FAST} -d": "-d: has no value. Try: -d NUMBER|RULE",
    f"{FAST} --forced pulse -k x -t nowhere": "-t: is given 2 times",
    "select table.csv -t ill -k 7": "-k 7: ",
    f"{FAST} -d 1.5": "-d 1.5: out of range. Expected 0 (equal sets are allowed) to 1 (disjoint sets).",
    f"{FAST} --confirm rc3": "--confirm rc3: must be one of",
    f"{FAST} -o x.xml": "-o x.xml: unknown ending. Expected .json .csv .txt, or --format",
    "select": "TABLE: give either a file or --dataset NAME",
    "select table.csv -k 2": "-t: is not given. Columns: age, lab_iron, weight, kg, pulse, lab_sodium, … (7)",
    "evaluate table.csv -t 5 --cv 5": "-t 5: is not a column of table.csv.",
    "select table.csv -t il": "-t il: is not a column of table.csv. Did you mean 'ill'?",
    f"{FAST} --ignore irn": "--ignore irn: 'irn' is not a feature",
    f"{FAST} --forced puls": "--forced puls: 'puls' is not a feature. Did you mean 'pulse'?",
    f"{FAST} --forced pulse,age": "--forced pulse,age: 'pulse,age' is not a feature. Give each by itself",
    f"{FAST} --forced age --forbidden age": "--forbidden age: 'age' must not be forced as well",
    f"{FAST} --forbidden zzz*": "--forbidden 'zzz*': no feature matches",
    f"{FAST} --group age,pulse": "--group age,pulse: ",
    f"{FAST} --group age:most=1": "--group age:most=1: ",
    f"{FAST} --min-quality 101%": "--min-quality 101%: ",
    f"{FAST} --costs bad.csv": "bad.csv: line 2: 'much' is not a number, the cost of 'age'",
    f"{FAST} --costs twice.csv": "twice.csv: line 3: 'age' is repeated",
    f"{FAST} --costs few.csv": "--costs few.csv: lack ",
    f"{FAST} --previous few.csv": "few.csv: is not JSON (Expecting value: line 1 column 1 (char 0)). "
    "Expected the JSON of select or solve, or a list of lists",
    f"{FAST} --row-groups nobody": "--row-groups nobody: is not a column",
    f"{FAST} --sample-weight ill": "--sample-weight ill: is not a column",
    "explore": "pyfsel explore: which one? Expected atlas, ties, most_sets",
    "explore atlsa i.json": "pyfsel explore: atlsa: unknown word. Did you mean 'atlas'?",
    "explore most_sets i.json -k 3": "-k: is for a table; i.json is an instance file",
    "explore ties i.json": "ties: of one set, or of sets together. Try: -n 1, "
    "or --search sum or --search min",
    "explore cheapest i.json": "cheapest: no quality is given. Try: --min-quality 90%",
    "explore cheapest table.csv -t il": "cheapest: no quality is given. Try: --min-quality 90%",
    "explore sweep i.json -n 1,2": "-n 1,2: n_sets=1: must be an integer of at least 2",
    "select table.csv -t ill -k 5-3": "-k 5-3: is not a range. Expected (minimum, maximum)",
    "explore sweep table.csv -t il -n 1": "-n 1: ",
    "explore sweep i.json -k 3-2": "-k 3-2: the range is empty. Expected the minimum first, such as 3-5",
    "explore atlas i.json --loss -1%": "--loss -1%: must be a number from 0 to 1",
    "explore sweep i.json -k 20": "-k",
    "measure table.csv -t ill -k 2 --measure pearson -o x.xls": "-o x.xls: unknown ending.",
    "selekt": "selekt: unknown command. Did you mean 'select'?",
    "solve": "INSTANCE.json: is missing",
    "solve bad.json": "bad.json: budgt: unknown name.",
    "solve text.json": "text.json: is not JSON",
    "solve i.json --solver no.mzn": "--solver no.mzn: ",
    "solve i.json -o i.json": "-o i.json: is named twice. Expected a file of its own, as the other",
    "solve s.json": "s.json: is a saved answer or certificate, not a problem. Try: pyfsel check",
    "solve c.cert": "c.cert: is a saved answer or certificate, not a problem. Try: pyfsel check",
    "check i.json i.json": "i.json: is an instance, not a solution or a certificate.",
    "check i.json text.json": "text.json",
    "export i.json": "FILE: is missing.",
    "export i.json x.xls": "x.xls: the extension",
    "export i.json i.json": "FILE i.json: is named twice.",
    "solvers --try nobody": "--try nobody: no solver begins so.",
    "select table.csv -t ill --sample-id name": "--sample-id name: has no effect without --samples",
    "bench check folder --confirm-limit 3": "--confirm-limit 3: has no effect without --confirm-share",
    "select table.csv -t ill --budget 3": "--budget 3: has no effect without --costs",
    "evaluate table.csv -t ill --cv time:": "--cv time:: is not a number of folds.",
    "select -odd.csv -t ill": "-odd.csv: is a file whose name begins with a dash. Try: ./-odd.csv",
    "select . -t ill": ".: is a folder without Parquet files. Name the folder of the parts, or a pattern",
    "select /dev/stdin -t ill": "/dev/stdin: is not a file. Try: -, which is CSV from the standard input",
    "solve i.json --rules none": "--data, --rules: are for a MiniZinc model",
    "explore atlas least.json --loss 9%": "--loss 9%: has no effect next to the minimum quality of",
    "select table.csv -t ill --objective model --n-threads 2": "--n-threads 2: is for solvers",
    "select table.csv -t ill --objective model --confirm auto": "--confirm auto: is for solvers",
    "select genes.csv -t a --samples genes.csv": "--samples genes.csv: 'a' is a column of table and sheet",
    "select table.csv -t ill --order age=0<1 --order age=1<0": "--order: column 'age' has an order already",
    "select x.xlsx -t ill --encoding cp1252": "--encoding cp1252: is for CSV and ARFF files, not for .xlsx",
    "select table.csv -t ill --encoding cp125": "--encoding cp125: is unknown. Try: cp1252",
    "select table.csv -t age --task survival": "--task survival: needs times and events. Try: --event COLUMN",
    "look table.csv --task unsupervised": "--task unsupervised: must be one of auto, ",
    "papers masks table*.csv -t ill": "table*.csv: is read in parts. ",
    "select table.csv -t ill --missing-codes agee=1": "--missing-codes agee=1: 'agee' is not a column of the "
    "table. Did you mean 'age'?",
    "select table.csv -t ill --order agee=a<b": "--order 'agee=a<b': 'agee' is not a column",
    "stability table.csv -t ill --cv 2": "--cv 2: halves are made in time only. Expected time:COLUMN",
    "select table.csv -t ill --objective model -d price=0.1": "-d price=0.1: price=0.1: is for solvers",
    "solve i.json -o x --certificate x": "--certificate x: is named twice.",
    "solve i.json --certificate x.pbp": "veripb: takes proved optima of sums",
    "solve i.json --search min_then_sum --certificate x": "--search min_then_sum: has no certificates.",
    "select table.csv -t ill --costs costs.csv -o costs.csv": "-o costs.csv: is named twice.",
    "select table.csv -t ill -k 2 -d shared:9": "-d shared:9: shared=9: must be",
    "select table.csv -t ill --objective r2:ridge=-1": "--objective r2:ridge=-1: ridge=-1.0: must be",
    "select table.csv -t ill --group age:at_least=2": "--group age:at_least=2: at_least=2: must be",
    "choose_k table.csv -t ill -k 3": "-k 3: is one size",
    "solve i.json --solver cpsat/x": "--solver cpsat/x: formulation='x': cpsat has",
    "generate nobody": "FAMILY nobody: must be one of",
    "papers how_many -7": "N -7: must be an integer from 1",
    "compare i.json --solvers rc2,": "--solvers rc2,: a value is empty.",
    "bench report folder -o x.json": "-o x.json: has the ending of a file.",
    "bench run s.toml -o x.csv": "-o x.csv: has the ending of a file.",
    "generate partition -o x.JSON": "-o x.JSON: has the ending of a file.",
    "bench report folder -o x.md": "-o x.md: is Markdown. Expected .html, or a folder",
    "papers subset table.csv -t nobody --method lvf -k 3": "-k 3: is not for --method lvf",
    "papers subset table.csv -t nobody -k 0": "-k 0: ",
    "papers subset table.csv -t nobody --method lvf -k 3-5": "-k 3-5: ",
    "papers subset table.csv -t nobody -k 2 --threshold 1": "-k 2: excludes --threshold 1",
    "papers subset table.csv -t nobody --method relief -k 2 --cut knee": "--cut knee: excludes -k 2",
    "papers subset table.csv -t nobody --method abb --criterion model": "--method abb: needs a criterion",
    "papers subset table.csv -t nobody --method lvi --criterion conditional-entropy": "--method lvi: needs",
    "papers subset table.csv -t nobody --max-tries 3": "--max-tries 3: is not for --method floating",
    "papers subset table.csv -t nobody --method lvf --max-tries 0": "--max-tries 0: ",
    "papers subset table.csv -t nobody --method lvi --portion 10": "--portion 10: ",
    "papers subset table.csv -t nobody --max-evaluations 0": "--max-evaluations 0: ",
    "papers subset table.csv -t nobody --method graph-fs --decay 2": "--decay 2: ",
    "papers subset table.csv -t nobody --n-bins 1": "--n-bins 1: ",
    "papers subset table.csv -t nobody --criterion model --n-bins 3": "--n-bins 3: is for the criterion",
    "papers subset table.csv -t nobody --cv 3": "--cv 3: is for the criterion model only",
    "papers subset table.csv -t nobody --first best": "--first best: ",
    "papers subset table.csv -t nobody --first abb --criterion model": "--first abb: needs a criterion",
    "papers consistency table.csv -t nobody --rate 2": "--rate 2: ",
    "papers consistency table.csv -t nobody -d shared:1": "-d shared:1: sets of different sizes need a",
    "papers consistency table.csv -t nobody --n-bins 1": "--n-bins 1: ",
    "papers masks table.csv -t nobody -k 0": "-k 0: ",
    "papers masks table.csv -t nobody --max-evaluations 0": "--max-evaluations 0: ",
    "papers masks table.csv -t nobody --slack=-1": "--slack -1: ",
    f"select table.csv -t ill --group={'age,' * 99}": f"--group {'age,' * 99}: names or rules are missing",
    "generate partition -k 99999999999999999999": "-k 99999999999999999999: is not a whole",
}


NAMES_A_COLUMN = [
    "--cv time:age",
    *(f"{role} age" for role in ("-t", "--event", "--row-groups", "--sample-weight")),
]
ERRORS |= {
    f"evaluate table.csv {one} {other}": f"{other}: is not a column of its own: {one} is the same"
    for one, other in combinations(NAMES_A_COLUMN, 2)
} | {
    f"{name} table.csv -t ill --objective model {option}": f"{option}: is for solvers and scores."
    for name in ("select", "evaluate", "stability", "choose_k", "report -o page.html")
    for option in ("--solver rc2", "--chance off", "--measure pearson", "--min-quality 90%")
}


NO_EFFECT = {
    "select | --dataset iris": "table.csv | -t y | --encoding cp1252 | --missing-codes 9 | --order age | "
    "--samples few.csv | --target-gaps drop",
    "select table.csv | --task unsupervised": "-t y | --event pulse | --target-gaps drop",
    "evaluate table.csv -t ill | --cv time:age": "--repeats 2",
    "choose_k table.csv -t ill | -n 1": "-d 0.6",
    "choose_k table.csv -t ill | -d none": "-n 4",
    "stability table.csv -t ill | --cv time:age": "--pairs 9",
    "report table.csv -t ill -o x.html | --cv 0": "--model forest | --choose-k",
    "papers masks table.csv -t ill | -k 2": "--slack 1 | --first free",
    "generate | list": "-k 5 | -o folder",
    "export | --models there": "i.json",
    "solvers | --try rc2": "i.json | --all",
    "models | --support": "i.json | -o x.csv | -q",
    "explore atlas table.csv -t ill | --min-quality 9": "--loss 9%",
    "explore most_sets table.csv -t ill | --min-quality 9": "--loss 9%",
    "explore most_dissimilar table.csv -t ill | --min-quality 9": "--loss 9%",
}
"""Options that have no effect, by the line to which they are added; behind the bar is the reason."""
ERRORS |= {
    f"{line.replace('| ', '')} {option}": f"{option}: has no effect next to {line.split(' | ')[1]}, "
    for line, options in NO_EFFECT.items()
    for option in options.split(" | ")
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_come_before_anything_is_measured(run, monkeypatch, line):
    def measure(*args, **kwargs):
        raise AssertionError("the measure ran")

    monkeypatch.setattr("pyfsel.measures.from_table.pair_measures", measure)
    is_refused(run, line, f"pyfsel: error: {ERRORS[line]}")
