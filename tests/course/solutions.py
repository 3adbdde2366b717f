"""The solutions of the exercises, and where their words are told, whatever markup they stand in."""

import html
import json
import re

from robust_book.course import copies
from robust_lib import atomic, paths

NAMES = sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))
SPAN = 6  # so many words in a row are somebody's sentence, not chance
_MARKUP = re.compile(r"<[^>]*>|\{\w+(?::\w+)?\}`[^`]*`|\]\([^)]*\)")


def source(name):
    """Return a committed notebook."""
    return json.loads((paths.notebooks() / f"{name}.ipynb").read_text("utf-8"))


def answers(name):
    """Return the folded answers of a chapter."""
    cells = [cell for cell in source(name)["cells"] if cell["cell_type"] == "markdown"]
    whole = "\n\n".join("".join(cell["source"]) for cell in cells)
    return [part.answer for part in copies.parts(whole.partition(copies.HEADING)[2], name)]


def spans(text):
    """Return all rows of words of a text; escapes of JSON and of HTML are no words."""
    plain = _MARKUP.sub(" ", html.unescape(text.replace("\\n", " ").replace('\\"', '"')))
    words = re.findall(r"[a-z]{3,}", plain.lower())
    return {tuple(words[at : at + SPAN]) for at in range(len(words) - SPAN + 1)}


def told(folder):
    """Return the files that hold most of a solution: (path below the folder, chapter)."""
    wanted = [(name, found) for name in NAMES for one in answers(name) if (found := spans(one))]
    seen = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            there = spans(path.read_text("utf-8"))
        except UnicodeDecodeError:  # a picture, a font
            continue
        where = path.relative_to(folder).as_posix()
        seen += [(where, name) for name, each in wanted if len(each & there) > len(each) / 2]
    return sorted(set(seen))


def students(folder):
    """Write the student's copy of every chapter, and return the folder."""
    for name in NAMES:
        made = copies.made(
            source(name), name, "student", profile="smoke", numbers={}, chapters=NAMES
        )
        atomic.write_json(folder / f"{name}.ipynb", made)
    return folder
