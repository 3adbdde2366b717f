"""The verdict strip under a chapter's title: a chip an item, each a link down the page."""

from bookext.page import Page
from robust_lib.html.markup import Html, lines, text
from robust_lib.html.verdict_chip import chip


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return the strip of a chapter, by default of the page's own.

    Raises:
        InputError: the chapter is not part of this site.
    """
    name, saved = page.chapter(notebook)
    base = "" if name == page.name else page.to(f"{name}.html")
    chips = [
        f"<li>{chip(item['verdict'], item['item'], base + '#' + item['item'].lower())}</li>"
        for item in saved["items"]
    ]
    return lines(
        '<div class="rb-strip">',
        f'<p class="rb-badge"><span class="rb-label">This run</span> {text(saved["words"])}</p>',
        '<ul aria-label="Verdicts of this chapter">' if chips else None,
        *chips,
        "</ul>" if chips else None,
        "</div>",
    )
