"""A notebook that failed, was not executed, or has no results never becomes a page unnoticed."""

import json
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from robust_book.commands.site import PROVENANCE, output_faults
from robust_book.sphinx_ext.page import RESULTS

LOGGER = logging.getLogger(__name__)


def check(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Warn of every fault; the site is built with warnings as errors."""
    for notebook in sorted(Path(app.srcdir).glob("*.ipynb")):
        for fault in faults(notebook):
            LOGGER.warning("%s", fault, location=notebook.stem)


def faults(notebook: Path) -> list[str]:
    """Return what is wrong with one chapter of the assembled book."""
    found = output_faults(json.loads(notebook.read_text("utf-8")))
    record = notebook.parent / RESULTS / f"{notebook.stem}.json"
    if not record.exists():
        return [*found, f"has no results: {RESULTS}/{record.name} is missing. Run it again."]
    known = json.loads(record.read_text("utf-8")).get("provenance", {})
    if missing := sorted(PROVENANCE - set(known)):
        found.append(f"has results of unknown origin: provenance lacks {', '.join(missing)}.")
    return found
