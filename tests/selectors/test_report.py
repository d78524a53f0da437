"""The report: one page that needs nothing else, says what is so, and escapes what users write."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from pyfsel import Status
from pyfsel.cli.app import main
from pyfsel.problem.make import make_instance
from pyfsel.selectors.report.figures import Dot, line_of_dots, ticks
from pyfsel.selectors.report.findings import Findings, Relative, copy_groups_of
from pyfsel.selectors.report.page import page
from pyfsel.solving.solve import solve

VOID = {"meta", "circle", "path"}


class Balanced(HTMLParser):
    """Fails for tags that are not closed in order; collects what a browser would load, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.loaded, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.loaded += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(text):
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert parser.loaded == []
    assert not re.search(r"url\(|@import|<script", text)
    return " ".join(" ".join(parser.words).split())


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 5)), columns=["a", "<b>&", "c", "d", "e"])
    X["a in EUR"] = 1.17 * X["a"]
    y = (2 * X["a"] + X["<b>&"] + X["c"] > 0).astype(int)
    path = tmp_path_factory.mktemp("report") / "t.csv"
    X.assign(y=y).to_csv(path, index=False)
    return path


def report(table, *more):
    output = table.with_name("page.html")
    command = ["report", str(table), "-t", "y", "-k", "2", "-a", "1", "--tau", "0.5", "--measure", "pearson"]
    code = main([*command, "-o", str(output), *more])
    return code, output.read_text(encoding="utf-8")


def test_the_whole_page(table, capsys):
    code, text = report(table, "--folds", "2", "--min-quality", "50%", "--choose", "1,2")
    words = read(text)
    assert code == 0
    assert "wrote" in capsys.readouterr().err
    assert "Two feature sets for y" in words
    assert "Proved each set, given the earlier ones, for these numbers and rules" in words
    assert "OPTIMAL. Proved for each set: no allowed set of 2 features that differs enough" in words
    assert "is impossible" not in words
    for title in (
        "side by side",
        "Copies and close",
        "being different costs",
        "How many sets are nearly as good? 1 single set loses at most 5 %",
        "Do they predict?",
        "come out again",
        "feature is enough: balanced accuracy",
        "compared with set 0",
    ):
        assert title in words
    assert "copies A a" in words
    assert "Each set has a quality of at least" in words
    assert "proved among all columns" in words
    assert "<b>&" in words
    assert "<b>&<" not in text
    assert text.count("<svg") == 3
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_merged_copies_and_no_folds(table, capsys):
    code, text = report(table, "--folds", "0", "--copies", "merge", "-q")
    words = read(text)
    assert code == 0
    assert capsys.readouterr().err == ""
    assert re.search("a or a in EUR|a in EUR or a", words)
    assert "among one representative of each group" in words
    assert "Error: ± covers the true quality in 95% of samples of rows" in words
    assert "Do they predict?" not in words
    code, text = report(table, "--folds", "0", "-q", "--measure", "f_statistic")
    assert "Error: not measured; it is for a table in memory, of one target, by measures such as" in read(
        text
    )


def test_weights_groups_and_marks_reach_the_page_and_notes_come_once(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "noise", "w"]).assign(g=np.arange(60) // 2)
    X["w"] = X["w"].abs()
    path = tmp_path / "t.csv"
    X.assign(time=X["a"].abs(), y=(X["a"] > 0).astype(int)).to_csv(path, index=False)
    code, text = report(
        path, "--folds", "2", "--groups-of", "g", "--weights-of", "w", "--measure", "information"
    )
    assert code == 0
    words, err = read(text), capsys.readouterr().err
    assert "Do they predict?" in words
    assert "noise no more than chance?" in words
    assert err.count("may be the time") == 1
    code, text = report(path, "--folds", "2", "--keep-best", "2", "-q")
    assert "held-out scores (--keep-best: is not repeated in the folds)" in read(text)


def test_what_was_not_found_is_said(table):
    code, text = report(table, "--folds", "0", "--min-quality", "1000 raw")
    assert code == 3
    assert "None no sets were found" in read(text)
    assert "INFEASIBLE. Proved: no such set exists." in read(text)


def test_features_are_ordered_by_strength_whatever_their_sign(tmp_path):
    random = np.random.default_rng(0)
    y = random.normal(size=200)
    columns = {"weak": 0.3 * y, "strong": -2 * y, "middle": 0.7 * y}
    noisy = {name: column + random.normal(size=200) for name, column in columns.items()}
    pd.DataFrame({**noisy, "y": y}).to_csv(tmp_path / "t.csv", index=False)
    _, text = report(tmp_path / "t.csv", "--folds", "0", "-q", "--objective", "r2")
    rows = re.findall(r'<th scope="row">(\w+) .*?--share:(\d+)%', text, re.DOTALL)
    assert [name for name, _ in rows] == ["strong", "middle", "weak"]
    assert [int(share) for _, share in rows] == sorted((int(share) for _, share in rows), reverse=True)
    assert rows[0][1] == "100"


def test_unproved_sets_are_not_called_proved():
    problem = make_instance([3.0, 2.0, 1.0], k=1, n_alternatives=1, tau=1)
    result = solve(problem, "greedy-replacement", "simultaneous")
    assert result.status is Status.FEASIBLE
    words = read(page(Findings("t", "y", "t: 3 features", result, "")))
    assert "Not proved" in words
    assert "Optimal" not in words
    assert "It is proved" not in words


def test_groups_of_copies_hang_together():
    pairs = [("b", "c", 0.96), ("d", "e", 0.99), ("a", "b", 0.97), ("a", "d", 0.9)]
    groups = copy_groups_of([Relative(one, two, alike, (0,), (1,)) for one, two, alike in pairs])
    assert [(g.letter, [name for name, _ in g.members]) for g in groups] == [
        ("A", ["a", "b", "c"]),
        ("B", ["d", "e"]),
    ]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.93, 1.0), (-3, 250), (5, 5), (1e-6, 2e-6)])
def test_ticks_are_few_round_and_inside(low, high):
    found = ticks(low, high)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)


def test_equal_qualities_can_be_drawn():
    assert line_of_dots([Dot(0, 1, "x", True), Dot(1, 1, "x", False)], "x", "y", "t").count("<circle") == 2


def test_what_is_left_out_names_the_options(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("a,b,y\n" + "".join(f"{j},{j * j % 7},{int(j < 3)}\n" for j in range(9)))
    asked = ["report", str(table), "-t", "y", "-k", "1", "-a", "0", "-o", str(tmp_path / "page.html")]
    assert main([*asked, "--folds", "5"]) == 0
    assert "left out: held-out scores (--cv=5: 3 rows only in the smallest class" in capsys.readouterr().err
    table.write_text("a,b,g,y\n" + "".join(f"{j},{j * j % 7},{j // 2},{j % 2}\n" for j in range(12)))
    assert main([*asked, "--groups-of", "g", "--folds", "7"]) == 0
    assert "left out: held-out scores (--cv=7: there are only 6 groups)" in capsys.readouterr().err
