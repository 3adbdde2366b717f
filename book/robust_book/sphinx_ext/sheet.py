"""A picture that a run has drawn, such as the contact sheet of a data set."""

from pathlib import Path

from PIL import Image

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.page import Page


def draw(page: Page, name: str, *words: str) -> Html:
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
