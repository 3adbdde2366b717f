"""Names that examples in docstrings have at hand, as the cells of a notebook have them."""

from collections.abc import Iterator
from typing import Any

import pytest

CHAPTERS = "robust_book.chapters."
PROTOCOLS = "robust_lib.protocols."
PAPERS = "robust_lib.run.papers."


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
