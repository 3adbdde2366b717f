"""The page of a sheet, one HTML file: what all sheets share, and what each puts into it."""

import json
from collections.abc import Mapping, Sequence
from importlib import resources


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
        "SCRIPT": "\n".join(map(_file, scripts)),
        "DATA": told,  # last: a picture may be called anything
    }
    made = _file("sheet.html")
    for name, content in parts.items():
        before, _, after = made.partition(f"/*{name}*/")
        made = before + content + after
    return made


def _file(name: str) -> str:
    return resources.files("robust_lib.curation").joinpath(name).read_text("utf-8")
