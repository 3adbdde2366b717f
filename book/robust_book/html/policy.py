"""Content security policy of a page: a browser refuses everything that the page does not use.

Nothing remote is loaded or sent. Scripts are the site's own files and, by checksum, those that the
theme writes into the page's frame. The article contains names, tables and outputs of notebooks; of
the scripts in it, only known programs run.
"""

import base64
import hashlib
import html
import re
from collections.abc import Collection, Iterable

from robust_book.html.markup import Html

# A page opened as a file has the site's own files under this scheme.
_OWN = "'self' file:"
_RULES = {
    "default-src": "'none'",
    "script-src": _OWN,
    # Figures, formulas and the theme style their parts in place.
    "style-src": f"{_OWN} 'unsafe-inline'",
    "img-src": f"{_OWN} data:",
    "font-src": f"{_OWN} data:",
    "connect-src": _OWN,
    "form-action": _OWN,
    "base-uri": "'self'",
}
_META = '<meta http-equiv="Content-Security-Policy"'
_PLACE = re.compile(r"<meta charset=\"utf-8\"\s*/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_ARTICLE = re.compile(r"<article\b.*</article>", re.DOTALL)
_SHEET = re.compile(r'\bsrcdoc="([^"]*)"')
_DATA = re.compile(r"\bsrc=|\btype=\"application/(?:ld\+)?json\"")


def guarded(page: str, known: Collection[str] = ()) -> str:
    """Return a page with its policy right after its encoding; a page with a policy is unchanged.

    Args:
        page: a whole page, with everything that it shows.
        known: programs that may run in whole pages embedded in an article.

    Raises:
        ValueError: the page does not name its encoding.

    >>> page = '<meta charset="utf-8"><script>let a = 1</script>'
    >>> guarded(page).count("sha256-"), guarded(guarded(page)) == guarded(page)
    (1, True)
    """
    place = _PLACE.search(page)
    if place is None:
        raise ValueError('Expected a page with <meta charset="utf-8">, but got one without.')
    head, rest = page[: place.end()], page[place.end() :]
    return page if rest.startswith(_META) else f"{head}{meta(scripts(page, known))}{rest}"


def meta(programs: Iterable[str] = ()) -> Html:
    """Return the policy as a tag for the head of a page.

    Args:
        programs: exact text of the scripts in the page that may run.
    """
    allowed = sorted({f"'{_checksum(program)}'" for program in programs})
    rules = {**_RULES, "script-src": " ".join([_OWN, *allowed])}
    policy = "; ".join(f"{name} {value}" for name, value in rules.items())
    return Html(f'{_META} content="{policy}">')


def scripts(page: str, known: Collection[str] = ()) -> list[str]:
    """Return the scripts in a page's frame, and the known ones of pages embedded in its article.

    >>> article = '<article><script>2</script><i srcdoc="&lt;script&gt;3&lt;/script&gt;"></article>'
    >>> scripts(f"<script>1</script>{article}"), scripts(article, ["3"])
    (['1'], ['3'])
    """
    held = "".join(html.unescape(sheet) for sheet in _SHEET.findall(page))
    return [
        *_programs(_ARTICLE.sub("", page)),
        *(program for program in _programs(held) if program.strip() in known),
    ]


def _programs(markup: str) -> list[str]:
    return [program for words, program in _SCRIPT.findall(markup) if not _DATA.search(words)]


def _checksum(program: str) -> str:
    digest = hashlib.sha256(program.replace("\r\n", "\n").encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
