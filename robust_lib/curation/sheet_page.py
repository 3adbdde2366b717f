"""The page of a sheet, a single HTML file: the common frame, and the content of each sheet."""

import json
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from robust_lib.errors import DataError
from robust_lib.fetch.listing import require_text

BROWSERS = (".jpeg", ".jpg", ".jfif", ".png", ".apng", ".webp", ".gif", ".bmp", ".avif", ".ico")
"""Endings of the images that every browser shows."""


def address(picture: Path, page: Path) -> str:
    """Return the relative path from a page to an image.

    Raises:
        DataError: a kind of image that browsers do not show, or a path that is not UTF-8.

    >>> address(Path("pics/a b.png"), Path("sheets/review.html"))
    '../pics/a%20b.png'
    """
    if picture.suffix.lower() not in BROWSERS:
        raise DataError(
            f"Expected images that a browser shows ({', '.join(BROWSERS)}), but {picture} has "
            "another format, which would not be shown on the sheet. Convert it to .png."
        )
    require_text(picture.absolute())
    place = os.path.relpath(picture.absolute(), page.absolute().parent)
    return quote(Path(place).as_posix())


def page(
    body: str,
    *,
    title: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Mapping[str, object],
) -> str:
    """Return a sheet as one self-contained page.

    >>> made = page("review_sheet.html", title="Review", styles=["review_sheet.css"],
    ...     scripts=["review_sheet.js"], data={"title": "</script>"})
    >>> made.count("</script>"), "<title>Review</title>" in made
    (2, True)
    """
    # Inside a script element only "<" could end it early.
    told = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "TITLE": title,
        "STYLE": "\n".join(map(_file, styles)),
        "BODY": _file(body),
        "SCRIPT": program(scripts),
        "DATA": told,  # last: a picture may be called anything
    }
    made = _file("sheet.html")
    for name, content in parts.items():
        before, _, after = made.partition(f"/*{name}*/")
        made = before + content + after
    return made


def program(scripts: Sequence[str]) -> str:
    """Return the script of a sheet, as embedded in its page."""
    return "\n".join(map(_file, scripts))


def _file(name: str) -> str:
    return resources.files("robust_lib.curation").joinpath(name).read_text("utf-8")
