"""A picture that a run has drawn, such as the contact sheet of a data set."""

from bookext.page import Page
from robust_lib.html.markup import Html, lines, text


def draw(page: Page, name: str, *words: str) -> Html:
    """Return the picture with a caption, or a sentence where this profile has not drawn it."""
    caption = " ".join(words)
    address = page.figure(name)
    if address is None:
        return Html(f'<p class="rb-small">{text(caption)} This run has not drawn it.</p>')
    return lines(
        '<figure class="rb-figure">',
        f'<img src="{text(address)}" alt="{text(caption)}">',
        f'<figcaption class="rb-small">{text(caption)} '
        f'<a href="{text(address)}" download>png</a></figcaption></figure>',
    )
