"""The report: one page that needs nothing else, says what is so, and escapes what users write."""

import re

import numpy as np
import pandas as pd
import pytest
from pages import Page
from running import interrupted

from pyfsel import AlternativeFeatureSelector, Constraints, InputError, Status, report
from pyfsel.selectors.report import report_page

pytestmark = pytest.mark.filterwarnings("ignore")
PAIR = {"n_sets": 2, "dissimilarity": 0.5, "measure": "pearson", "near_duplicates": "note"}


def words_of(path):
    text = path.read_text("utf-8")
    page = Page(text)
    assert page.loaded == []
    assert not re.search(r"url\((?!#)|@import|<script", text)
    return " ".join(" ".join(page.texts).split())


def written(folder, X, y, selector, **options):
    """Return the answer, the words and the text of a report."""
    path = folder / "page.html"
    answer = report(path, X, y, selector, **options)
    return answer, words_of(path), path.read_text("utf-8")


def pair(**changes):
    return AlternativeFeatureSelector(**{"k": 2} | PAIR | changes)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 5)), columns=["a", "<b>&", "c", "d", "e"])
    X["a in EUR"] = 1.17 * X["a"]
    return X, pd.Series((2 * X["a"] + X["<b>&"] + X["c"] > 0).astype(int), name="y")


def test_the_whole_page(table, tmp_path):
    selector = pair(constraints=Constraints(min_quality="50%"))
    answer, words, text = written(tmp_path, *table, selector, cv=2, choose_k=True, name="<i>t")
    assert answer.status is Status.OPTIMAL
    assert answer.headline.endswith(" rows of <i>t")
    for said in (
        "2 feature sets for y",
        "<i>t: 90 rows, 6 features",
        "Set 0 scores",
        "No new feature of set 1 is related to set 0",
        *answer.claim.split(". "),
        *answer.cautions,
        "have the minimum quality, from 6 features",
        "8 folds of 90 rows, linear model",
        "enough: balanced accuracy",
        "Each set has a quality of at least",
    ):
        assert said in words
    headings = re.findall("<h2>(.*?)</h2>", text)
    assert headings == [
        "The sets",
        "Before you use these sets",
        "What is proved",
        "What each feature carries by itself",
        "What dissimilarity costs",
        "Nearly best sets",
        "Held-out scores",
        "How many features?",
    ]
    assert "<b>&" not in text
    assert "<i>t" not in text
    assert text.count("<svg") == 3
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


@pytest.mark.parametrize("solver", ["auto", "greedy-replacement"])
@pytest.mark.parametrize("search", ["sequential", "sum", "min"])
def test_the_page_claims_what_the_answer_claims(table, tmp_path, search, solver):
    answer, words, text = written(tmp_path, *table, pair(search=search, solver=solver), cv=0)
    proof = words.split("What is proved", 1)[1].split("What each feature", 1)[0]
    assert proof.startswith(f" {answer.status} {answer.claim}")
    assert ('<section class="good">' in text) == answer.proved
    assert "Held-out scores" not in words
    assert answer.headline in words
    if answer.scope == "each":
        assert "sum above" not in words


def test_the_page_says_nothing_of_numbers_that_a_model_lacks(table, tmp_path):
    _, words, _ = written(tmp_path, *table, pair(objective="model", measure=None, dissimilarity=0), cv=0)
    assert not re.search("What each feature|lose at most|Each new feature", words)


def test_merged_near_duplicates_are_named(table, tmp_path):
    _, words, _ = written(tmp_path, *table, pair(near_duplicates="merge"), cv=0)
    assert re.search("a or a in EUR|a in EUR or a", words)
    assert "among one representative of each group" in words
    assert "No new feature of set 1 is related to set 0" in words


def test_an_alternative_that_measures_the_same_is_a_caution(tmp_path):
    rng = np.random.default_rng(0)
    signal, noise = rng.normal(size=(2, 90))
    X = pd.DataFrame({"signal": signal, "again": signal + 0.3 * noise, "noise": noise})
    _, words, _ = written(tmp_path, X, signal + 0.1 * rng.normal(size=90), pair(k=1, dissimilarity=1), cv=0)
    lead, said = words.split("What is proved")[0].split("Before you use these sets")
    assert "Each new feature of the alternatives is related to set 0" in lead
    assert "related to set 0 (similarity at least 0.7): 1 of 1 in set 1, such as again to signal (0.9" in said


def test_groups_and_significance_reach_the_page(tmp_path):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "noise"])
    rows = {"groups": np.arange(60) // 2, "sample_weight": rng.random(60) + 0.5}
    y = X["a"] > 0
    _, words, _ = written(tmp_path, X, y, AlternativeFeatureSelector(2, n_sets=1), cv=2, **rows)
    assert re.search("a noise[*] 100%.* [*]: not significant.*noise[*] .* a 100% noise[*] 100%", words, re.S)
    assert "of 30 groups" in words


def test_the_column_of_times_is_not_a_feature(table, tmp_path):
    X, y = table
    # which gives the target away
    answer, words, _ = written(tmp_path, X.assign(day=y + np.arange(90) / 90), y, pair(), cv="time:day")
    assert "day" not in answer.problem.names
    assert "Training rows are earlier than held-out ones" in words


def test_what_was_not_found_is_said(table, tmp_path):
    answer, words, _ = written(tmp_path, *table, pair(constraints=Constraints(min_quality=1000)), cv=0)
    assert answer.status is Status.INFEASIBLE
    assert "No feature sets for y" in words
    assert "INFEASIBLE Proved: no such set exists" in words
    y = np.r_[0, 0, np.ones(88, int)]
    _, words, _ = written(tmp_path, table[0], y, pair(), cv=5)
    assert "Left out: held-out scores (cv=5: 2 rows only in the smallest class" in words.split("The sets")[0]


def test_ctrl_c_leaves_a_page_of_what_was_found(table, tmp_path, monkeypatch):
    monkeypatch.setattr(report_page, "atlas", interrupted)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path, *table, pair(), cv=2)
    words = words_of(tmp_path / "page.html")
    assert "What dissimilarity costs" in words
    assert "Interrupted: parts of this page are missing" in words.split("The sets")[0]
    assert "Held-out scores" not in words


def test_features_are_ordered_by_strength_whatever_their_sign(tmp_path):
    random = np.random.default_rng(0)
    y = random.normal(size=200)
    columns = {"weak": 0.3 * y, "strong": -2 * y, "middle": 0.7 * y}
    X = pd.DataFrame({name: column + random.normal(size=200) for name, column in columns.items()})
    _, _, text = written(tmp_path, X, y, AlternativeFeatureSelector(3, n_sets=1, objective="r2"), cv=0)
    rows = re.findall(r'<th scope="row">(\w+)\*? .*?--share:(\d+)%', text, re.DOTALL)
    assert [name for name, _ in rows] == ["strong", "middle", "weak"]
    assert [int(share) for _, share in rows] == sorted((int(share) for _, share in rows), reverse=True)
    assert rows[0][1] == "100"


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        *(("page.html", {"cv": cv}, "cv=") for cv in (1, -1, True, 2.5, "5", "time:x")),
        ("page.pdf", {}, r"path='.*page.pdf': does not end in .html. Try: page.html"),
        ("nowhere/page.html", {}, "the folder '.*nowhere' does not exist"),
        ("page.html", {"model": "oracle"}, "model='oracle': is not known"),
        ("page.html", {"selector": 3}, "selector=3: must be an AlternativeFeatureSelector"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_selected(tmp_path, path, options, message):
    with pytest.raises(InputError, match=message):
        report(tmp_path / path, "no table", None, **options)
