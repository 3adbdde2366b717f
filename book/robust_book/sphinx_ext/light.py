"""Smaller figures on a page: images become files, drawings lose their blanks.

A figure with many images, or with very many lines, becomes one file for each theme, which a browser
loads when the reader scrolls to it. Other line drawings stay in the page and take its colour.
"""

import base64
import hashlib
import io
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from robust_book.html.markup import Html, lines, text
from robust_book.html.svg import PHONE, again, beside, theme_svg, whole_id
from robust_book.sphinx_ext.nodes import Drawn
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib import paths
from robust_lib.results.reported import ledger

FOLDER = "_images"
SHARED = "robust.js"
INKS = {"light": "#1d2428", "dark": "#dee4e6"}
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
"""What is written in a figure, as robust.css has it, which files do not read."""

ASKED = {"what_if": "rb-what-if", "mistakes": "rb-mistakes"}
"""How names of files begin that some pages need -> the class of what needs them."""

_FULL = 60_000  # letters of pictures, from which on a figure is a file of its own
_LONG = 150_000  # letters of a drawing, from which on the same holds
_SMALL = 320  # pixels of a thumbnail's longer side: twice what it has on a page
_LEAST = 2_000  # letters; a smaller picture is as well off in its page
_SVG = re.compile(r'<svg class="rb-svg.*?</svg>', re.DOTALL)
_DATA = re.compile(r'="data:image/(png|jpeg|webp);base64,([A-Za-z0-9+/=\s]+)"')
_IMG = re.compile(r'<img (?![^>]*\bloading=)(?=[^>]*="data:image/)')
_SIZELESS = re.compile(
    r'<img (?=[^>]*src="(?:\.\./)*_images/([^"]+\.(?:png|jpe?g|webp|gif))")'
    r"(?![^>]*\b(?:width|style)=)"
)
_AGAIN = re.compile(r'<use href="#([^"]+)"')  # what the book draws a second time
_UNTURNED = re.compile(r' transform="rotate\(-0 [^"]*\)"')
_MARKS = re.compile(r'(<g clip-path="[^"]*")>(<use [^>]*( style="[^"]*")/>(?:<use [^>]*\3/>)+)</g>')
_FONTS = re.compile(r"font-family: [^;\"]+;? ?")
_RESULT = re.compile(
    r'(?<!href=")(?<!href="\.\./)(_static/results/[^"?&<>\s]+\.(?:png|webp|jpg|svg))(?=["&)])'
)
_PLACES = re.compile(r'\b(?:d|x|y|transform)="[^"]*"')
_FOR_PHONE = re.compile('<svg class="rb-svg rb-phone')  # a file, which others do not load
_CLASS = re.compile(r'<svg class="rb-svg([^"]*)"')
_SIDES = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def lighten(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Write a page's images to files, shorten its drawings, and load its own scripts in order."""
    if app.builder.format != "html":
        return
    wanted, pages = (None, pagename), app.env.found_docs
    body = context.get("body", "")
    unasked = tuple(stem for stem, mark in ASKED.items() if f'class="{mark}"' not in body)
    for kind in ("script_files", "css_files"):
        context[kind] = [
            one
            for one in context[kind]
            if of_page(one.filename, pages) in wanted
            and not Path(one.filename or "").stem.startswith(unasked)
        ]
    context["script_files"].sort(key=lambda one: place(one.filename))
    if "body" not in context:
        return
    folder = Path(app.outdir) / FOLDER
    up = f"{'../' * pagename.count('/')}{FOLDER}/"

    def file_of(found: re.Match[str]) -> str:
        if len(found[2]) < _LEAST:
            return found[0]
        return f'="{up}{picture(folder, found[1], base64.b64decode(found[2])).name}"'

    held = {f'id="{one}"' for one in _AGAIN.findall(body)}  # nothing can refer to a part of a file

    def drawing(found: re.Match[str]) -> str:
        svg = shortened(found[0])
        long = len(svg) >= _LONG and not any(one in svg for one in held)
        return themed(folder, up, svg).markup if long or full(svg) or _FOR_PHONE.match(svg) else svg

    files = {name: Path(app.srcdir) / file for file, name in app.builder.images.items()}
    body = sized(_IMG.sub('<img loading="lazy" ', body), files)
    body = _DATA.sub(file_of, _SVG.sub(drawing, body))
    context["body"] = dated(body, Path(app.srcdir))


def dated(body: str, folder: Path) -> str:
    """Return a page whose addresses of result images contain a digest, so that none is outdated.

    All images of a page share one digest, since a script assembles some addresses.

    Args:
        folder: folder of the book; downloads keep their names.
    """
    found = {one[1] for one in _RESULT.finditer(body)}
    files = {name: list(folder.glob(re.sub(r"{\w+}", "*", name))) for name in sorted(found)}
    held = "".join(_digest(file) for several in files.values() for file in sorted(several))
    sign = hashlib.sha256(held.encode()).hexdigest()[:8]
    return _RESULT.sub(lambda one: f"{one[0]}?v={sign}" if files[one[1]] else one[0], body)


def sized(body: str, files: Mapping[str, Path]) -> str:
    """Return a page whose images have their sides, so that nothing moves when they are loaded.

    Args:
        files: name of each image file of the site -> the file.
    """

    def sides(found: re.Match[str]) -> str:
        file = files.get(found[1])
        if file is None or not file.is_file():  # of a lost file, Sphinx itself warns
            return found[0]
        with Image.open(file) as image:
            return f'{found[0]}width="{image.width}" height="{image.height}" '

    return _SIZELESS.sub(sides, body)


@lru_cache(maxsize=4096)
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def full(svg: str) -> bool:
    """Return whether a figure holds so many images that it becomes a file.

    >>> full('<svg><image href="data:image/png;base64,AAAA"/></svg>')
    False
    """
    return sum(len(one[2]) for one in _DATA.finditer(svg)) >= _FULL


def of_page(file: str | None, pages: Collection[str]) -> str | None:
    """Return the page after which a script or style sheet is named; None if it is for all pages.

    >>> of_page("_static/leaderboard_plots.js", {"index", "leaderboard"})
    'leaderboard'
    >>> of_page("_static/robust.js", {"index", "leaderboard"})
    """
    name = Path(file or "").stem.partition("_")[0]
    return name if name in pages else None


def place(file: str | None) -> tuple[int, str]:
    """Return the sort key of a script on a page: third-party, shared, then the book's by name.

    >>> files = ["_static/atlas.js", "_static/robust.js", "_static/doctools.js"]
    >>> sorted(files, key=place)
    ['_static/doctools.js', '_static/robust.js', '_static/atlas.js']
    """
    name = Path(file or "").name
    if not name or not (paths.book() / "_static" / name).is_file():
        return 0, ""
    return (1, "") if name == SHARED else (2, name)


def shortened(svg: str) -> str:
    """Return a drawing without blanks between its parts and without fonts; it uses the page's.

    Coordinates are rounded to a hundredth of a point; marks of one style are told it once.

    >>> shortened('<svg class="rb-svg"> <text style="font-family: A, serif; fill: red">a</text>')
    '<svg class="rb-svg"><text style="fill: red">a</text>'
    """
    svg = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", svg))
    svg = _MARKS.sub(lambda one: f"{one[1]}{one[3]}>{one[2].replace(one[3], '')}</g>", svg)
    svg = _UNTURNED.sub("", svg)
    return _FONTS.sub("", _PLACES.sub(lambda found: _rounded(found[0]), svg))


def _rounded(numbers: str) -> str:
    return re.sub(
        r"\d+\.\d{3,}", lambda one: f"{float(one[0]):.2f}".rstrip("0").rstrip("."), numbers
    )


def themed(folder: Path, up: str, svg: str) -> Html:
    """Return a figure as two files, of which a page loads only the one for its theme.

    Args:
        up: relative path from the page to the folder.
    """
    title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)
    sides = _SIDES.search(svg)
    kind = _CLASS.search(svg)
    named = kind[1] if kind else ""
    svg = _DATA.sub(_smaller, svg)
    shown = []
    for theme, ink in INKS.items():
        drawn = svg.replace("currentColor", ink)
        drawn = drawn.replace('style="', f'style="font-family: {FONTS}; ', 1)
        if "xmlns=" not in drawn[: drawn.index(">")]:
            drawn = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        content = drawn.encode()
        file = put_hashed(folder, "svg", content)
        # Figures are measured in points, pictures of a page in pixels.
        width, height = (float(one) * 96 / 72 for one in sides.groups()) if sides else (0, 0)
        size = f' width="{width:.0f}" height="{height:.0f}"' if sides else ""
        shown.append(
            f'<img class="rb-svg{named} only-{theme}" src="{text(up)}{file.name}" loading="lazy"'
            f'{size} alt="{title[1] if title else ""}">'
        )
    return Html("".join(shown))


def picture(folder: Path, kind: str, content: bytes) -> Path:
    """Return the file of an image in a folder; lossless images stay lossless.

    Args:
        kind: png, jpeg or webp.
    """
    name = hashlib.sha256(content).hexdigest()[:20]
    for file in (folder / f"{name}.webp", folder / f"{name}.{kind}"):
        if file.exists():
            return file
    smaller = lossless(content) if kind == "png" else content
    kind = "webp" if smaller is not content else kind
    return put(folder / f"{name}.{kind}", smaller)


def lossless(content: bytes) -> bytes:
    """Return a PNG file as WebP with identical pixels if that is smaller."""
    made = io.BytesIO()
    Image.open(io.BytesIO(content)).save(made, "webp", lossless=True, exact=True)
    return made.getvalue() if made.tell() < len(content) else content


def _smaller(found: re.Match[str]) -> str:
    content = base64.b64decode(found[2])
    made = lossless(content) if found[1] == "png" else content
    if made is content:
        return found[0]
    return f'="data:image/webp;base64,{base64.b64encode(made).decode()}"'


def put_hashed(folder: Path, kind: str, content: bytes) -> Path:
    """Write a file whose name contains its digest, so that no browser shows an outdated one."""
    return put(folder / f"{hashlib.sha256(content).hexdigest()[:20]}.{kind}", content)


def put(file: Path, content: bytes) -> Path:
    """Write a file and return it; several processes write pages, some with the same image."""
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(f".{file.name}.{id(content)}")
    aside.write_bytes(content)
    aside.replace(file)
    return file


def once_more(page: Page, section: nodes.section, key: str, kind: str) -> Html | None:
    """Return a second copy of a figure of the run; None if it has none.

    Args:
        section: the whole page; a figure that it contains is drawn by reference.
        key: a ledger id, or the names of a chapter and its figure, joined by a dot.
        kind: purpose of the copy, so that all ids differ.
    """
    drawing = page.drawing(key)
    if drawing is None:
        return None
    title = next((item.title for item in ledger() if item.id == key), page.title(page.name))
    prefix, of = f"{kind}-{key.replace('.', '-')}", key.rpartition(".")[2].lower()
    there = f'id="{whole_id(drawing, of)}"'
    # A figure full of pictures becomes a file, to which nothing can refer.
    if not full(drawing) and any(there in one for one in map(_markup, section.findall())):
        shown = again(drawing, of=of, prefix=prefix, title=title)
    else:
        shown = theme_svg(drawing, prefix=prefix, title=title)
    narrow = page.drawing(f"{key}{PHONE}")
    return shown if narrow is None else beside(shown, narrow, prefix, title)


def _markup(node: nodes.Node) -> str:
    if isinstance(node, Drawn):
        return str(node["markup"])
    return node.astext() if isinstance(node, nodes.raw) else ""


def sheet(page: Page, name: str, *words: str) -> Html:
    """Return the image with a caption, or a sentence if this profile has not drawn it.

    The displayed image is smaller than the original, which is below for download.
    """
    caption = " ".join(words)
    address = page.figure(name)
    if address is None:
        return Html(f'<p class="rb-small">{text(caption)} This run has not drawn it.</p>')
    shown, (width, height) = _lighter(page.folder / address)
    return lines(
        '<figure class="rb-figure">',
        f'<img src="{text(str(Path(address).with_name(shown.name)))}" alt="{text(caption)}" '
        f'width="{width}" height="{height}" loading="lazy">',
        f'<figcaption class="rb-small">{text(caption)} '
        f'<a href="{text(address)}" download>png</a></figcaption></figure>',
    )


def thumbnail(page: Page, name: str, part: Sequence[float]) -> Html | None:
    """Return a part of a figure as a small image; None if this run has not drawn it.

    Args:
        part: left, top, right and bottom, as fractions of the figure's sides.
    """
    file = page.folder / RESULTS / f"{name}.png"
    if not file.exists():
        return None
    with Image.open(file) as whole:
        left, top, right, bottom = part
        box = (left * whole.width, top * whole.height, right * whole.width, bottom * whole.height)
        cut = whole.convert("RGB").crop(tuple(map(round, box)))  # type: ignore[arg-type]
    cut.thumbnail((_SMALL, _SMALL))
    made = io.BytesIO()
    cut.save(made, "webp", quality=85)
    shown = base64.b64encode(made.getvalue()).decode()
    return Html(
        f'<img class="rb-thumbnail" alt="" width="{cut.width}" height="{cut.height}" '
        f'src="data:image/webp;base64,{shown}">'
    )


def _lighter(file: Path) -> tuple[Path, tuple[int, int]]:
    """Return a copy of an image with a tenth of its bytes, and its sides in pixels."""
    copy = file.with_suffix(".webp")
    with Image.open(file) as picture:
        if not copy.exists():
            picture.convert("RGB").save(copy, "webp", quality=90)
        return copy, picture.size
