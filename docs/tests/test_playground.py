"""The playground in a real browser: it solves to known optima, shows where a model is broken, and stops."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from course import EXERCISES  # noqa: E402

PATIENCE = 120  # seconds: not a measurement, only an end
SMALL = "models/data/example.json"


def find(browser, name):
    return browser.find_element(By.ID, name)


def choose(browser, name, value):
    Select(find(browser, name)).select_by_value(value)


def chosen(browser, name):
    return Select(find(browser, name)).first_selected_option.get_attribute("value")


def open_page(browser, address, fragment=""):
    """Open the page afresh, as a person does who follows a link."""
    browser.get("about:blank")
    browser.get(f"{address}/playground/index.html{fragment}")
    wait = WebDriverWait(browser, PATIENCE)
    wait.until(lambda _: browser.execute_script("return document.documentElement.dataset.ready"))


@pytest.fixture
def page(browser, address):
    open_page(browser, address)
    return browser


def wait_for_state(page, *states):
    WebDriverWait(page, PATIENCE).until(lambda _: find(page, "status").get_attribute("data-state") in states)
    return find(page, "status").text


def run(page):
    find(page, "run").click()
    return wait_for_state(page, "proved", "open", "error")


def set_source(page, text):
    page.execute_script(
        "const area = document.getElementById('source'); area.value = arguments[0];"
        "area.dispatchEvent(new Event('input', {bubbles: true}));",
        text,
    )


def no_complaints(page):
    return [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"]


def test_page_loads_without_the_engine(page):
    assert not no_complaints(page)
    assert chosen(page, "model") == "simultaneous_sum.mzn"
    assert "30 features" in find(page, "instance-facts").text
    requested = page.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    assert not [name for name in requested if "/minizinc/" in name]


@pytest.mark.parametrize("solver", ["gecode", "highs"])
def test_example_is_solved_and_checked_and_drawn(page, solver):
    choose(page, "instance", SMALL)
    choose(page, "solver", solver)
    text = run(page)
    assert "Optimal, proved" in text
    assert "objective 48" in text
    assert "checked: CORRECT" in text
    rows = page.find_elements(By.CSS_SELECTOR, "#matrix tbody tr")
    assert [row.find_element(By.TAG_NAME, "th").text for row in rows] == ["height", "width", "weight"]
    assert len(page.find_elements(By.CSS_SELECTOR, "#matrix td.in")) == 6
    shared = [cell.text for cell in page.find_elements(By.CSS_SELECTOR, "#overlaps td.both")]
    assert shared == ["1", "1", "1"]
    assert not no_complaints(page)


def test_infeasible_is_said(page):
    choose(page, "instance", SMALL)
    overlap = find(page, "max_shared")
    overlap.clear()
    overlap.send_keys("0", Keys.TAB)
    number = find(page, "n_sets")
    number.clear()
    number.send_keys("4", Keys.TAB)
    assert json.loads(find(page, "data").get_attribute("value"))["n_sets"] == 4
    assert "Infeasible" in run(page)


def test_broken_model_shows_its_line(page):
    choose(page, "instance", SMALL)
    broken = find(page, "source").get_attribute("value").replace("total_quality;", "nothing_such;")
    line = next(at for at, text in enumerate(broken.split("\n"), 1) if "nothing_such" in text)
    set_source(page, broken)
    assert "Error" in run(page)
    problem = find(page, "problem").text
    assert f"simultaneous_sum.mzn, line {line}" in problem
    assert "nothing_such" in problem
    assert page.find_element(By.CSS_SELECTOR, ".gutter .bad").text == str(line)


def test_data_that_are_no_json_are_refused(page):
    page.execute_script("document.getElementById('data-details').open = true")
    find(page, "data").send_keys("x")
    assert "no valid JSON" in find(page, "data-error").text


def test_long_run_is_stopped_and_keeps_its_sets(page):
    choose(page, "model", "simultaneous_sum_literal.mzn")
    choose(page, "instance", "models/data/breast_cancer.json")
    choose(page, "solver", "gecode")
    find(page, "run").click()
    WebDriverWait(page, PATIENCE).until(lambda _: page.find_elements(By.CSS_SELECTOR, "#matrix td.in"))
    assert find(page, "status").get_attribute("data-state") == "running"
    find(page, "stop").click()
    text = wait_for_state(page, "open")
    assert "Stopped: the best so far" in text
    assert len(page.find_elements(By.CSS_SELECTOR, "#matrix td.in")) == 20
    assert find(page, "run").is_enabled()


def test_link_brings_back_data_model_and_choices(page, address):
    choose(page, "instance", SMALL)
    number = find(page, "n_sets")
    number.clear()
    number.send_keys("2", Keys.TAB)
    choose(page, "solver", "chuffed")
    set_source(page, find(page, "source").get_attribute("value") + "\n% ünlike before\n")
    find(page, "share").click()
    WebDriverWait(page, PATIENCE).until(lambda _: "#" in page.current_url)
    fragment = "#" + page.current_url.partition("#")[2]
    open_page(page, address, fragment)
    assert json.loads(find(page, "data").get_attribute("value"))["n_sets"] == 2
    assert chosen(page, "solver") == "chuffed"
    assert "% ünlike before" in find(page, "source").get_attribute("value")
    assert find(page, "reset").is_enabled()


def test_keyboard_alone_runs_it(page):
    choose(page, "instance", SMALL)
    find(page, "source").send_keys(Keys.CONTROL, Keys.ENTER)
    assert "Optimal, proved" in wait_for_state(page, "proved", "open", "error")


def test_phone_needs_no_sideways_scrolling(page):
    page.set_window_size(500, 800)
    try:
        run(page)
        width, seen = page.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert width <= seen
    finally:
        page.set_window_size(1280, 900)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_of_the_course_says_what_the_page_about_it_tells(page, address, name):
    exercise = EXERCISES[name]
    open_page(page, address, exercise.link)
    assert chosen(page, "model") == exercise.model
    text = run(page)
    assert exercise.says in text
    assert ("checked: CORRECT" in text) == ("broken" not in name)


def last_line(printed):
    """Return the last line of the last solution that MiniZinc printed."""
    return printed.rpartition("----------")[0].split("----------")[-1].strip().splitlines()[-1]


def native_objective(model, example):
    """Return how the last solution of Debian's MiniZinc ends, where lns.mzn would search for ever."""
    some = ["--fzn-flags", "-fail 500"] if model == "search/lns.mzn" else []
    command = ["minizinc", "--solver", "gecode", *some, ROOT / "models" / model, ROOT / example]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return last_line(done.stdout)


def test_all_models_run_here_as_on_debians_minizinc(browser, address, site):
    page = browser
    models = json.loads((site / "playground" / "content.json").read_text())["models"]
    assert {path.relative_to(ROOT / "models").as_posix() for path in (ROOT / "models").rglob("*.mzn")} == {
        model["file"] for model in models
    } | {f"lib/{path.name}" for path in (ROOT / "models" / "lib").glob("*.mzn")} | {
        "solution.mzc.mzn",
    }
    for model in models:
        open_page(page, address)
        choose(page, "instance", model["example"])
        choose(page, "model", model["file"])
        text = run(page)
        assert find(page, "status").get_attribute("data-state") == "proved", f"{model['file']}: {text}"
        printed = find(page, "text").get_attribute("textContent")
        if model["file"] != "questions/ties.mzn":
            assert last_line(printed) == native_objective(model["file"], model["example"]), model["file"]
