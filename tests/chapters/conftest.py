"""A chapter's page, of what is at hand, in a folder of its own."""

import pytest

from robust_book.figures import phone, style
from tests.chapters import pages


@pytest.fixture(autouse=True)
def as_svg_alone(monkeypatch):
    """Draw each figure once; PNG and a phone's layout have tests in tests/figures."""
    monkeypatch.setattr(style, "png", lambda figure: b"")
    monkeypatch.setattr(phone, "fitted", lambda figure: False)


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The folder that a run writes to."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return tmp_path


@pytest.fixture
def page(request, build):
    """The page of the chapter that a module of tests calls so."""
    return pages.page(request.module.chapter)


@pytest.fixture
def run(page):
    """The run of that page."""
    return page.run
