"""Chromium without a window: it opens pages from files, and prints them."""

import base64
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust_book.commands.pdf import paper
from robust_lib.errors import RunError

BROWSER = "ROBUST_BROWSER"
"""The environment variable with the path of a Chromium or Chrome that is not found by its name."""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
)
LONGEST = 300  # seconds that a page may take
OPENED = 'return !window.before && document.readyState === "complete"'


@dataclass(frozen=True)
class Printed:
    """A page of the site on paper.

    Attributes:
        figures: ids of the figures and blocks on it.
    """

    pdf: bytes
    title: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class Printer:
    """A running browser."""

    driver: Any

    def page(self, file: Path, places: Collection[str] = ()) -> Printed:
        """Return a page of the site, printed.

        Args:
            places: ids of this page that other pages link to.

        Raises:
            RunError: a table is wider than the sheet, or hides rows, or a figure is not shown, or
                an image is broken.
        """
        self._open(file)
        told = self.driver.execute_async_script(paper.PREPARE, *paper.arguments(places))
        if any(told[name] for name in ("cut", "folded", "broken", "hidden")):
            cut, folded, broken = (
                "; ".join(told[name]) or "none" for name in ("cut", "folded", "broken")
            )
            raise RunError(
                f"Expected all of {file.name} on paper, but these tables are cut: {cut}; these "
                f"hide rows: {folded}; these images are broken: {broken}; and {told['hidden']} "
                "figures are hidden. See print.css and commands/pdf/paper.py."
            )
        return Printed(self._print(paper.options()), told["title"], tuple(told["figures"]))

    def sheets(self, file: Path, *, tagged: bool = True) -> bytes:
        """Return the printed sheets of a file that has its own margins.

        Args:
            tagged: whether headings are tagged; without tags, it can be laid over a tagged page.
        """
        self._open(file)
        return self._print(paper.options(margins=False) | {"generateTaggedPDF": tagged})

    def _open(self, file: Path) -> None:
        """Open a file; under load, the driver's own answer may come before the page does."""
        from selenium.webdriver.support.wait import WebDriverWait

        self.driver.execute_script("window.before = true")
        self.driver.get(file.resolve().as_uri())
        wait = WebDriverWait(self.driver, LONGEST, poll_frequency=0.02)
        wait.until(lambda driver: driver.execute_script(OPENED))

    def _print(self, options: dict[str, Any]) -> bytes:
        made = self.driver.execute_cdp_cmd("Page.printToPDF", options)
        return base64.b64decode(made["data"])


@contextmanager
def printer() -> Iterator[Printer]:
    """Yield a browser that lays pages out for the sheet; it is closed at the end of the block.

    Raises:
        RunError: Chromium, chromedriver or selenium is missing.
    """
    program, driver = programs()
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise RunError(
            "Expected selenium, which drives the browser, but it is not installed. Install the "
            "packages for printing: pip install 'robust-lib[pdf]'."
        ) from None
    options = webdriver.ChromeOptions()
    options.binary_location = program
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        for flag in [*FLAGS.split(), f"--user-data-dir={own}"]:
            options.add_argument(flag)
        chromium = webdriver.Chrome(options=options, service=Service(driver))
        try:
            chromium.set_page_load_timeout(LONGEST)
            chromium.set_script_timeout(LONGEST)
            executor: Any = chromium.command_executor
            executor.client_config.timeout = LONGEST
            chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            size = {"width": paper.width(), "height": 1200, "deviceScaleFactor": 1, "mobile": False}
            chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            yield Printer(chromium)
        finally:
            chromium.quit()


def programs() -> tuple[str, str]:
    """Return the paths of Chromium and of its driver.

    Raises:
        RunError: one of them is missing.
    """
    named = os.environ.get(BROWSER)
    program = named or next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        lacking = " and ".join(
            name for name, path in (("Chromium", program), ("chromedriver", driver)) if not path
        )
        raise RunError(
            f"Expected Chromium and chromedriver, which print the book, but found no {lacking}. "
            "Install both, of the same version: on Debian the packages chromium and "
            f"chromium-driver; or Chrome with its driver, and set {BROWSER} to the path of the "
            f"browser if its name is not one of {', '.join(PROGRAMS)}."
        )
    return program, driver
