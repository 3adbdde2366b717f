"""One browser, one server and one built site for all tests of this folder.

The site is the folder named by ROBUST_SITE, else the newest one under build/, else a tiny book
built on the spot: so these tests run before `make book`, too.
"""

import functools
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from robust_lib import paths

from .visit import LOADED, Visit, visit, wait

PREFIX = "/a-book/"  # a site works under any path, of which nothing was said when it was rendered
HERE = Path(__file__).resolve().parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the built site."""
    if named := os.environ.get("ROBUST_SITE"):
        return Path(named).resolve()
    built = sorted(paths.build().glob("*/site"), key=lambda folder: folder.stat().st_mtime)
    if built:
        return built[-1]
    root = tmp_path_factory.mktemp("book") / "project"
    made = subprocess.run(
        [sys.executable, str(HERE / "fixture.py"), str(root)], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def pages(site: Path) -> list[str]:
    """Every page of the site, by its address below the site's root."""
    found = sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))
    own = [page for page in found if not page.startswith("_static/")]
    assert "index.html" in own
    return own


@pytest.fixture(scope="session")
def visits(browser, server, pages) -> dict[str, Visit]:
    """What happens on each page; one visit serves all that asks."""
    return {page: visit(browser, server + page) for page in pages}


@pytest.fixture(scope="session")
def server(site: Path, tmp_path_factory):
    """The address of the site, served as a host of static pages serves it."""
    root = tmp_path_factory.mktemp("served")
    (root / PREFIX.strip("/")).symlink_to(site)
    served = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Pages, directory=str(root), missing=site / "404.html")
    )
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}{PREFIX}"
    served.shutdown()
    served.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium that remembers what it asked for and what it complained of."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium with chromedriver on this machine; the site is not driven")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chromium = webdriver.Chrome(options=options, service=Service(driver))
    chromium.command_executor.client_config.timeout = 300
    chromium.set_page_load_timeout(120)
    chromium.set_script_timeout(300)  # axe takes its time on pages with long tables
    driven = chromium.get

    def get(address: str) -> None:
        # Under load the driver may answer while the page's scripts have not run yet.
        driven(address)
        assert wait(chromium, LOADED, 120), f"{address} does not finish loading"

    chromium.get = get
    yield chromium
    chromium.quit()


class _Pages(SimpleHTTPRequestHandler):
    """Static files; an address without a file gets the site's own 404 page."""

    def __init__(self, *args, missing: Path, **kwargs):
        self.missing = missing
        super().__init__(*args, **kwargs)

    def send_error(self, code, message=None, explain=None):
        if code != 404 or not self.missing.exists():
            return super().send_error(code, message, explain)
        body = self.missing.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, format, *args):
        """Stay silent."""
