"""The page of a directive, and the checked results of the displayed profile."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from robust_book.commands.site import PROVENANCE, output_faults
from robust_book.engine import ready
from robust_lib.config.papers import PaperCard, papers
from robust_lib.errors import InputError, one_of

RESULTS = "_static/results"


@dataclass(frozen=True)
class Page:
    """One page of the site that is being rendered.

    Attributes:
        results: records of the runs of all built chapters, by chapter.
        papers: in the book's order.
    """

    name: str
    folder: Path
    results: Mapping[str, Mapping[str, Any]]
    papers: tuple[PaperCard, ...] = ()
    repository: str = ""
    imprint: Mapping[str, str] = field(default_factory=dict)

    def to(self, target: str) -> str:
        """Return the address of a file of the site, relative to this page.

        >>> Page("decisions/index", Path(), {}).to("ledger.html")
        '../ledger.html'
        """
        return "../" * self.name.count("/") + target

    def item(self, key: str) -> Mapping[str, Any] | None:
        """Return the run's record of a ledger item; None if no built chapter has it."""
        saved = (item for result in self.results.values() for item in result["items"])
        return next((item for item in saved if item["item"] == key), None)

    def chapter(self, name: str | None = None) -> tuple[str, Mapping[str, Any]]:
        """Return a chapter's name and the record of its run; by default the page's own.

        Raises:
            InputError: the chapter is not part of this site.
        """
        name = name or self.name
        if name not in self.results:
            raise InputError(one_of("chapter", name, self.results))
        return name, self.results[name]

    def place(self, key: str) -> str | None:
        """Return the address of an item's block; None if no built chapter has it."""
        for notebook, result in self.results.items():
            if any(item["item"] == key for item in result["items"]):
                return self.to(f"{notebook}.html#{key.lower()}")
        return None

    def title(self, chapter: str) -> str:
        """Return the heading of a chapter from its notebook."""
        notebook = json.loads((self.folder / f"{chapter}.ipynb").read_text("utf-8"))
        texts = ("".join(cell["source"]) for cell in notebook["cells"])
        heads = (line for text in texts for line in text.splitlines() if line.startswith("# "))
        return next(heads, chapter).removeprefix("# ")

    def figure(self, key: str) -> str | None:
        """Return the address of an image that the run has drawn; None if it has not."""
        file = f"{RESULTS}/{key}.png"
        return self.to(file) if (self.folder / file).exists() else None

    def drawing(self, key: str) -> str | None:
        """Return a figure of the run as the text of its SVG file; None if it has none."""
        file = self.folder / RESULTS / f"{key}.svg"
        return file.read_text("utf-8") if file.exists() else None


def page_of(app: Sphinx, name: str) -> Page:
    """Return the page of that name in the book being rendered."""
    folder = Path(app.srcdir)
    return Page(
        name=name,
        folder=folder,
        results=read_results(folder),
        papers=papers(),
        repository=app.config.html_theme_options["repository_url"],
        imprint={
            "title": app.config.html_title,
            "author": app.config.author,
            "year": app.config.copyright,
        },
    )


def note_results(env: BuildEnvironment) -> None:
    """Mark the current page as outdated when its results change.

    A chapter depends on its own results; another page may depend on all of them.
    """
    folder = Path(env.app.srcdir)
    names = list(read_results(folder))
    shown = [env.docname] if env.docname in names else names
    for name in shown:
        env.note_dependency(f"{RESULTS}/{name}.json")
    if env.docname not in names:
        env.note_dependency("_toc.yml")


def write_contents_anew(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the chapters to write again: all, since each has a list of all at its side."""
    return [name for name in read_results(Path(app.srcdir)) if name in env.found_docs]


def write_side_by_side(app: Sphinx, env: BuildEnvironment) -> None:
    """Make Sphinx write pages on all cores, after it has read them one after another.

    One process more than there are cores, since the first of them hands out pages.
    """
    cores = (os.cpu_count() or 1) if ready.possible() else 1
    app.parallel = 1 + cores if cores > 1 else 1


@lru_cache(maxsize=4)
def read_results(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the results of every chapter that the book holds, by the chapter's name."""
    files = sorted((folder / RESULTS).glob("*.json"))
    return {
        file.stem: json.loads(file.read_text("utf-8"))
        for file in files
        if (folder / f"{file.stem}.ipynb").exists()
    }


LOGGER = logging.getLogger(__name__)


def warn_of_faults(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Warn of every fault; the site is built with warnings as errors."""
    for notebook in sorted(Path(app.srcdir).glob("*.ipynb")):
        for fault in faults(notebook):
            LOGGER.warning("%s", fault, location=notebook.stem)


def faults(notebook: Path) -> list[str]:
    """Return the faults of one chapter of the assembled book."""
    found = output_faults(json.loads(notebook.read_text("utf-8")))
    record = notebook.parent / RESULTS / f"{notebook.stem}.json"
    if not record.exists():
        return [*found, f"has no results: {RESULTS}/{record.name} is missing. Run it again."]
    known = json.loads(record.read_text("utf-8")).get("provenance", {})
    if missing := sorted(PROVENANCE - set(known)):
        found.append(f"has results of unknown origin: provenance lacks {', '.join(missing)}.")
    return found
