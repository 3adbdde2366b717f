"""The site for a class: the same pages without the folded solutions.

A committed notebook contains the solutions. So each copy of one is replaced by the student's copy
or left out, and so is each button that leads to one, here or in the repository.
"""

import re
import shutil
from collections.abc import Collection
from pathlib import Path

from robust_book.verify.program import CLAIMS, PROGRAM
from robust_lib import paths

LEFT = '<p class="rb-course">Write your answer in the notebook of this chapter.</p>'
_FOLDED = re.compile(r"<details\b[^>]*\bsd-dropdown\b[^>]*>.*?</details>", re.DOTALL)
_SOLUTION = re.compile(r"<summary[^>]*>.{0,400}?\b(?:Solution|A way to look)\b", re.DOTALL)
_SOURCES = "_sources"
_CLAIMS = (CLAIMS, PROGRAM)  # which are of the whole pages
_OFFERED = re.compile(r'<li>\s*<a href="([^"]*\.ipynb)"[^>]*>.*?</li>', re.DOTALL)
_TEXT = re.compile(r'(class="btn__text-container">)[^<]*')
_NO_BUTTONS = re.compile(
    r'<div class="dropdown dropdown-\w+-buttons">(?:(?!<li>|</div>).)*</div>', re.DOTALL
)


def copied(source: Path, target: Path, notebooks: Path) -> None:
    """Copy a site without solutions; its pages offer the student's copies of notebooks."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".doctrees", *_CLAIMS))
    copies = {path.name: path for path in notebooks.glob("*.ipynb")}
    committed = {path.name for path in paths.notebooks().glob("*.ipynb")}
    for page in sorted(target.rglob("*.html")):
        text = without_solutions(page.read_text("utf-8"))
        page.write_text(offering(text, copies), "utf-8", newline="\n")
    for offered in sorted(target.rglob("*.ipynb")):
        if offered.parent == target / _SOURCES and offered.name in copies:
            shutil.copyfile(copies[offered.name], offered)
        elif offered.parent == target / _SOURCES or offered.name in committed:
            offered.unlink()
            _without_empty(offered.parent, target)


def _without_empty(folder: Path, top: Path) -> None:
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def offering(text: str, copies: Collection[str]) -> str:
    """Return a page whose buttons lead only to the student's copy of a notebook.

    >>> one = '<li><a href="{}"><i class="btn__text-container">As run</i></a></li>'
    >>> menu = '<div class="dropdown dropdown-run-buttons"><ul>{}</ul></div>'
    >>> offering(menu.format(one.format("_static/launch/0a/x.ipynb")), ["x.ipynb"])
    ''
    >>> "Notebook with exercises" in offering(one.format("_sources/x.ipynb"), ["x.ipynb"])
    True
    """

    def kept(found: re.Match[str]) -> str:
        folder, _, name = found[1].rpartition("/")
        if folder != _SOURCES or name not in copies:
            return ""
        return _TEXT.sub(r"\g<1>Notebook with exercises", found[0])

    return _NO_BUTTONS.sub("", _OFFERED.sub(kept, text))


def without_solutions(text: str) -> str:
    """Return a page without its folded solutions; other folded blocks stay.

    >>> block = '<details class="sd-dropdown"><summary>{}</summary>x</details>'
    >>> without_solutions(block.format("Three seeds")) == block.format("Three seeds")
    True
    >>> "x" in without_solutions(block.format("Solution")).replace(LEFT, "")
    False
    """

    def kept(found: re.Match[str]) -> str:
        return LEFT if _SOLUTION.search(found[0]) else found[0]

    return _FOLDED.sub(kept, text)
