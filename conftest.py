"""Names that examples have at hand, as cells of a notebook have them, and the order of files."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from typing import Any

import hypothesis  # noqa: F401 - before there is much in memory, all of which it looks through
import pytest

CHAPTERS = "robust_book.chapters."
PROTOCOLS = "robust_lib.protocols."
PAPERS = "robust_lib.run.papers."
FIRST = (
    "tests/notebooks/test_miniature.py",
    "tests/notebooks/test_full_offline.py",
    "tests/commands/test_book.py",
    "tests/commands/test_course.py",
    "tests/book/test_architecture.py",
    "tests/commands/test_cli.py",
    "tests/test_wheel.py",
    "tests/commands/test_site.py",
    "tests/notebooks/test_full_profile.py",
    "tests/notebooks/test_book.py",
    "tests/notebooks/test_full_nae.py",
    "tests/soak/test_cluster.py",
)
"""The files that take longest: whoever begins with them ends when the others do. The first makes
what some of the later ones copy: see `tiny.begun`."""

# As `ready.skip_address_grammar` does for the book.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
# What comes by pip, tests make themselves: nothing of them goes outside.
os.environ["PIP_NO_INDEX"] = "1"

gc.disable()  # while tests are collected: a sixth of that time went by looking for garbage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.location[0], len(FIRST)))


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among all that was collected."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # some libraries complain of what is left at the end


@pytest.fixture(autouse=True)
def at_hand(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> Iterator[None]:
    """Give the examples of a chapter its `run` and its `page`, `toys` to put in, and `texts`.

    What chapters of a paper share has the same. Examples of a protocol have `toys` alone.
    """
    name = request.node.name
    if not isinstance(request.node, pytest.DoctestItem) or not name.startswith(
        (CHAPTERS, PAPERS, PROTOCOLS)
    ):
        yield
        return
    from tests.chapters import pages, toys  # only now: pytest has yet to watch their types

    given: dict[str, Any] = {"toys": toys}
    if name.startswith((CHAPTERS, PAPERS)):
        build = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").setenv("ROBUST_BUILD", str(build))
        page = pages.page(pages.chapter_of(name), "toys")
        given |= {"page": page, "run": page.run, "texts": toys.texts}
    doctest_namespace.update(given)
    yield
    for word in given:
        del doctest_namespace[word]
