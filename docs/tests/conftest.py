"""The built site, served to this machine, and one headless Chromium for a module's tests."""

import functools
import http.server
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SITE = Path(__file__).parents[1] / "_build" / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built site."""
    assert (SITE / "playground" / "index.html").exists(), "build the site first: bash docs/build.sh"
    return SITE


@contextmanager
def served(folder):
    """Serve a folder to this machine only."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def address(site):
    """Serve the site."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """Start Chromium once for all tests of a module."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()
