"""Links that look like buttons: where a reader can go from here."""

from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.page import Page
from robust_lib.errors import InputError


def draw(page: Page, *entries: str) -> Html:
    """Return one button per entry, `page: words`; pages that this site lacks are left out.

    Raises:
        InputError: an entry without words.
    """
    made = []
    for entry in entries:
        target, _, words = entry.partition(": ")
        if not words:
            raise InputError(f"Expected `page: words` for a button, but got {entry!r}.")
        if any((page.folder / f"{target}{kind}").exists() for kind in (".md", ".ipynb")):
            href = page.to(f"{target}.html")
            made.append(f'<li><a class="rb-button" href="{text(href)}">{text(words)}</a></li>')
    return Html(f'<ul class="rb-buttons">{"".join(made)}</ul>')
