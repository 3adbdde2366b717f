"""What there is to say where the browser is not there; what it prints is tested with the book."""

import os

import pytest

from robust_book.commands.pdf import browser
from robust_lib.errors import RunError


def tool(folder, name):
    path = folder / name
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def test_without_a_browser_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(browser.BROWSER, raising=False)
    with pytest.raises(RunError, match=r"no Chromium and chromedriver\. Install both"):
        browser.programs()


def test_a_browser_without_its_driver_is_not_enough(tmp_path, monkeypatch):
    tool(tmp_path, "chromium")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RunError, match=r"found no chromedriver\."):
        browser.programs()


def test_a_browser_of_another_name_is_named_by_a_variable(tmp_path, monkeypatch):
    driver = tool(tmp_path, "chromedriver")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path)]))
    monkeypatch.setenv(browser.BROWSER, "elsewhere/Google Chrome")
    assert browser.programs() == ("elsewhere/Google Chrome", driver)


class Early:
    """A driver that answers before a file is open, as it does under load."""

    def __init__(self):
        self.looks, self.opened = 0, False

    def get(self, address):
        self.opened = False

    def execute_script(self, script):
        if script == browser.OPENED:
            self.looks += 1
            self.opened = self.looks == 3
        return self.opened

    def execute_cdp_cmd(self, command, options):
        assert self.opened, "Printing failed"
        return {"data": "YQ=="}


def test_a_file_is_printed_once_it_is_open(tmp_path):
    pytest.importorskip("selenium", reason="needs what the extra `pdf` brings")
    assert browser.Printer(Early()).sheets(tmp_path / "a.html") == b"a"
