"""Figures of a run: one shown again by reference, and pictures such as contact sheets."""

from pathlib import Path

from docutils import nodes
from PIL import Image

from robust_book.html.markup import Html, lines, text
from robust_book.html.svg import again, theme_svg, whole_id
from robust_book.sphinx_ext.light import full
from robust_book.sphinx_ext.nodes import Drawn
from robust_book.sphinx_ext.page import Page
from robust_lib.results.reported import ledger


def once_more(page: Page, section: nodes.section, key: str, kind: str) -> Html | None:
    """Return a figure of the run; None where it has none.

    Args:
        section: the whole page; a figure that it holds is referred to.
        key: a ledger id, or a chapter's name, a dot and its figure's.
        kind: for what, so that all ids differ.
    """
    drawing = page.drawing(key)
    if drawing is None:
        return None
    title = next((item.title for item in ledger() if item.id == key), page.title(page.name))
    prefix, of = f"{kind}-{key.replace('.', '-')}", key.rpartition(".")[2].lower()
    there = f'id="{whole_id(drawing, of)}"'
    # A figure full of pictures becomes a file, to which nothing can refer.
    if not full(drawing) and any(there in one for one in map(_markup, section.findall())):
        return again(drawing, of=of, prefix=prefix, title=title)
    return theme_svg(drawing, prefix=prefix, title=title)


def _markup(node: nodes.Node) -> str:
    if isinstance(node, Drawn):
        return str(node["markup"])
    return node.astext() if isinstance(node, nodes.raw) else ""


def sheet(page: Page, name: str, *words: str) -> Html:
    """Return the picture with a caption, or a sentence where this profile has not drawn it.

    What is shown is lighter than the picture itself, which stands below for download.
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


def _lighter(file: Path) -> tuple[Path, tuple[int, int]]:
    """Return a copy of a picture with a tenth of its bytes, and its sides in pixels."""
    copy = file.with_suffix(".webp")
    with Image.open(file) as picture:
        if not copy.exists():
            picture.convert("RGB").save(copy, "webp", quality=90)
        return copy, picture.size
