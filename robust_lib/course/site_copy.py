"""The site as a class gets it: the same pages, without the folded solutions."""

import re
import shutil
from pathlib import Path

LEFT = '<p class="rb-course">The answer is asked for in the notebook of this chapter.</p>'
_FOLDED = re.compile(r"<details\b[^>]*\bsd-dropdown\b[^>]*>.*?</details>", re.DOTALL)
_SOLUTION = re.compile(r"<summary[^>]*>.{0,400}?\b(?:Solution|A way to look)\b", re.DOTALL)


def copied(source: Path, target: Path, notebooks: Path) -> None:
    """Copy a site without solutions; what a page offers as its source is the student's copy.

    Args:
        source: a rendered site.
        target: a new folder.
        notebooks: the folder of the students' copies.
    """
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".buildinfo", ".doctrees"))
    for page in sorted(target.glob("*.html")):
        page.write_text(without_solutions(page.read_text("utf-8")), "utf-8")
    for offered in sorted(target.glob("_sources/*.ipynb")):
        copy = notebooks / offered.name
        if copy.exists():
            shutil.copyfile(copy, offered)
        else:
            offered.unlink()


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
