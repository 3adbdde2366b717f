"""The chapter on enhancements in the miniature, and known predictions of all of its networks."""

from dataclasses import replace

import pytest

from robust_book.chapters import inc_3_enhancements as chapter
from robust_book.page import Page
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.run.start import start
from tests.chapters.toys import enhanced


@pytest.fixture(scope="module")
def run():
    """The chapter in the miniature, of which no picture is looked at."""
    return start(replace(chapter.CHAPTER, description="made-up numbers"), "mini")


@pytest.fixture(scope="module")
def known(run):
    """Rows, grid and normaliser: each network errs once more than the one before it."""
    return enhanced(run)


@pytest.fixture
def page(run, build):
    return Page(run)


@pytest.fixture(scope="module")
def rows(known):
    return known[0]


@pytest.fixture(scope="module")
def of(run, known):
    """The networks of an item, the paper's name -> ours."""
    return lambda item: enhancements.members(item, run.paper_names, known[1].models)
