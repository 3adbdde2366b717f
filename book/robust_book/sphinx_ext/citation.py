"""How to cite the book, with the repository's one address."""

from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.page import Page

ENTRY = """\
@misc{{robustness_reproduced,
  title  = {{{title}: an executable companion to five robustness papers}},
  author = {{{{{author}}}}},
  year   = {{{year}}},
  url    = {{{repository}}}
}}"""


def draw(page: Page) -> Html:
    """Return the BibTeX entry."""
    entry = ENTRY.format(repository=page.repository, **page.imprint)
    return Html(f'<div class="highlight rb-entry"><pre tabindex="0">{text(entry)}</pre></div>')
