"""Every page of the built site: its links lead somewhere, and a browser shows it whole, on a phone too."""

import json
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from conftest import served
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).parents[1]))
from versions import LIST, write_lists

HELP = ("glossary.html", "faq.html", "troubleshooting.html")
MADE = ("_static", "_downloads", "_sources", "_modules", "playground")  # not by Sphinx, or no pages
GENERATED = "api/generated"
WAIT_SECONDS = 30
FIRST_VISIT = "Got invalid theme mode"  # what the theme says when no one has chosen between light and dark


def pages(site):
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return [page for page in found if page.split("/")[0] not in MADE]


@cache
def anchors(path):
    return set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8")))


def test_links_lead_somewhere_and_every_page_leads_to_help(site):
    broken = []
    for page in pages(site):
        path = site / page
        links = set(re.findall(r'<a\b[^>]*?\shref="([^"]+)"', path.read_text(encoding="utf-8")))
        here = [link for link in links if not re.match(r"\w+:", link)]
        for link in here:
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            is_state = target.parent == site / "playground"  # what stands there behind the # is no place
            is_place = anchor and target.suffix == ".html" and not is_state
            if not target.exists() or (is_place and anchor not in anchors(target)):
                broken.append(f"{page}: {link}")
        missing = {(site / name).resolve() for name in HELP} - {
            (path.parent / link.partition("#")[0]).resolve() if link.partition("#")[0] else path
            for link in here
        }
        broken += [f"{page}: does not link {name.name}" for name in missing]
    assert not broken, "\n".join(broken)


def test_pages_are_whole_and_fit_a_phone(site, address, browser):
    shown = [page for page in pages(site) if not page.startswith(GENERATED)]
    shown += [page for page in pages(site) if page.startswith(GENERATED)][::10]
    assert len(shown) > 60
    faults = []
    browser.get_log("browser")
    browser.set_window_size(500, 800)
    try:
        for page in shown:
            browser.get(f"{address}/{page}")
            width, seen, images = browser.execute_script(
                "return [document.documentElement.scrollWidth, document.documentElement.clientWidth,"
                " [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)]"
            )
            said = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
            said = [message for message in said if FIRST_VISIT not in message]
            faults += [f"{page}: {width - seen} pixels too wide"] if width > seen else []
            faults += [f"{page}: {fault}" for fault in (*said, *images)]
    finally:
        browser.set_window_size(1280, 900)
    assert not faults, "\n".join(faults)


def test_each_page_leads_to_itself_in_other_versions(site, browser, tmp_path):
    for name in ("dev", "0.1.0"):
        shutil.copytree(site, tmp_path / name, copy_function=os.link, ignore=shutil.ignore_patterns("*.wasm"))
    with served(tmp_path) as address:
        write_lists(tmp_path, address, ["dev", "0.1.0"])
        assert json.loads((site / LIST).read_text()) == [{"version": "dev", "url": "/"}]
        browser.get(f"{address}/dev/guide/proofs.html")
        button = browser.find_element(By.CLASS_NAME, "version-switcher__button")
        WebDriverWait(browser, WAIT_SECONDS).until(lambda _: button.text.strip() == "dev")
        button.click()
        browser.find_element(By.CSS_SELECTOR, '.version-switcher__menu a[data-version="0.1.0"]').click()
        WebDriverWait(browser, WAIT_SECONDS).until(
            lambda _: browser.current_url == f"{address}/0.1.0/guide/proofs.html"
        )
