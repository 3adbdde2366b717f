"""Metadata for other sites and the host: descriptions, addresses, cards, the 404 page.

Addresses are absolute if the environment contains the address of the published site. Otherwise they
are relative to the page, or omitted if a relative address has no meaning.
"""

import io
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.chapters.about import about
from robust_book.commands.site import published
from robust_book.html import policy
from robust_book.html.markup import text
from robust_book.sphinx_ext import light
from robust_book.sphinx_ext.nodes import Drawn
from robust_book.sphinx_ext.page import RESULTS
from robust_lib.curation import annotation_sheet

MISSING = "404"
"""The page that a host shows where it has none."""

UNLISTED = (MISSING, "search", "genindex")
LONGEST = 300  # letters of a description
WIDTH, HEIGHT = 1200, 630  # of a card, as messengers show it
INK, SOFT, ACCENT, GROUND = "#1d2428", "#55606a", "#0b6670", "#fdfdfb"  # of robust.css, light

# A host shows this page at any address: its own addresses begin in the folder that has the book,
# and places of its own are no places of the first page.
_STAY = """<script>
addEventListener("DOMContentLoaded", () =>
  document.querySelectorAll("a[href^='#']").forEach((one) =>
    (one.href = location.pathname + one.hash)));
</script>"""
_SEEK = """<script>
{
  const has = (folder) => {
    const ask = new XMLHttpRequest();
    ask.open("HEAD", `${folder}objects.inv`, false);
    try { ask.send(); } catch { return true; }
    return ask.status === 200;
  };
  let root = location.pathname.replace(/[^/]*$/, "");
  while (root !== "/" && !has(root)) root = root.replace(/[^/]*\\/$/, "");
  document.head.append(Object.assign(document.createElement("base"), { href: root }));
}
</script>"""


def head(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Write a page's description and card into its head, for sites that link to it."""
    if app.builder.format != "html":
        return
    # The layout has one already.
    tags = re.sub(r"<meta name=\"viewport\"[^>]*>\s*", "", context.get("metatags", ""))
    address = published()
    if page == MISSING:
        base = f'<base href="{text(address)}">' if address else _SEEK
        context["metatags"] = f"{tags}{base}{_STAY}"
        return
    if doctree is None:
        return
    told = description(doctree)
    title, site = plain(context["title"]), str(app.config.html_title)
    name = light.put_hashed(Path(app.outdir) / light.FOLDER, "png", card(app, page, title, told))
    up = address or "../" * page.count("/")
    named = [("description", told), ("twitter:card", "summary_large_image")]
    shared = [
        ("og:title", title),
        ("og:type", "website"),
        ("og:site_name", site),
        ("og:description", told),
        ("og:image", f"{up}{light.FOLDER}/{name.name}"),
        ("og:image:alt", f"{title}. {told}"),
        ("og:image:width", str(WIDTH)),
        ("og:image:height", str(HEIGHT)),
    ]
    if address:
        shared.append(("og:url", f"{address}{page}.html"))
        context["pageurl"] = f"{address}{page}.html"  # the theme's canonical address
    tags += "\n".join(
        [f'<meta name="{key}" content="{text(value)}">' for key, value in named if value]
        + [f'<meta property="{key}" content="{text(value)}">' for key, value in shared if value]
    )
    context["metatags"] = tags + "\n"


def description(doctree: nodes.document) -> str:
    """Return a chapter's question and this run's answer; for other pages, the first sentences."""
    strong = (one.astext() for one in doctree.findall(nodes.strong))
    question = next((plain(one) for one in strong if one.endswith("?")), "")
    # Words for searches alone are paragraphs of a kind of their own.
    several = (one for one in doctree.findall(nodes.paragraph) if type(one) is nodes.paragraph)
    told = [paragraph(one) for one in several]
    answer = next((one for one in told if one.startswith("This run")), "")
    if question and answer:
        answer = re.sub(r"^This run(?: \([^)]*\))?:? *", "", answer)
        return shortened(f"{question} {answer[:1].upper()}{answer[1:]}")
    return shortened(next(filter(None, told), ""))


def paragraph(node: nodes.paragraph) -> str:
    """Return a paragraph's text, with the numbers that are markup and without their tooltips."""
    markup = ""
    for one in node.findall():
        if isinstance(one, Drawn):
            markup += one["markup"]
        elif isinstance(one, nodes.Text):
            markup += text(one.astext())
    return plain(markup)


def plain(markup: str) -> str:
    """Return markup as plain text.

    >>> plain('It is <b>5 %<span class="rb-tip">n = 3</span></b> &amp; more')
    'It is 5 % & more'
    """
    from html import unescape

    shown = re.sub(r'<span class="rb-tip".*?</span>', "", markup, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", shown)).split())


def shortened(told: str) -> str:
    """Return at most 300 characters of a text, in whole sentences if possible.

    >>> shortened("One. " * 80)[-9:], len(shortened("word " * 80))
    ('One. One.', 296)
    """
    if len(told) <= LONGEST:
        return told
    whole = re.match(rf"(.{{80,{LONGEST - 1}}}[.?!])(?=\s)", told)
    return whole[1] if whole else textwrap.shorten(told, LONGEST, placeholder=" …")


def card(app: Sphinx, page: str, title: str, told: str) -> bytes:
    """Return the preview image of a page: its title and finding, and a chapter's figure."""
    from PIL import Image, ImageDraw, ImageOps

    found = about(page)
    kicker = found.kicker if found else ""
    name = title.removeprefix(kicker).lstrip(": ")
    file = Path(app.srcdir) / RESULTS / f"{found.finding}.png" if found and found.finding else None
    drawn = Image.new("RGB", (WIDTH, HEIGHT), GROUND)
    pen = ImageDraw.Draw(drawn)
    pen.rectangle((0, 0, 14, HEIGHT), ACCENT)
    shows = file is not None and file.exists()
    letters = 18 if shows else 44

    def write(at: int, words: str, face: str, size: int, wide: int, colour: str, lines: int) -> int:
        made = textwrap.wrap(words, wide, max_lines=lines, placeholder=" …")
        pen.text((60, at), "\n".join(made), colour, _font(face, size), spacing=size // 4)
        return at + round(len(made) * size * 1.3)

    site = str(app.config.html_title)
    at = write(56, kicker or site, "Sans", 26, 2 * letters, ACCENT, 5)
    at = write(at + 26, name, "Serif", 46, letters, INK, 5)
    if not shows or at < 380:
        write(at + 32, told, "Sans", 24, int(letters * 1.65), SOFT, 6)
    write(568, site, "Serif", 21, 80, SOFT, 1)
    if file is not None and shows:
        with Image.open(file) as saved:
            picture = ImageOps.contain(saved.convert("RGB"), (624, 554), Image.Resampling.LANCZOS)
        drawn.paste(picture, (540 + (624 - picture.width) // 2, (HEIGHT - picture.height) // 2))
    made = io.BytesIO()
    drawn.save(made, "png")
    return made.getvalue()


@cache
def _font(face: str, size: int) -> Any:
    """Return a font of the figures, `size` pixels high."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVu{face}.ttf", size)


def missing(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Return the page that a host shows for unknown addresses."""
    if app.builder.format == "html":
        yield MISSING, {}, "notfound.html"


def tell_robots(app: Sphinx, exception: Exception | None) -> None:
    """Write the files for search engines: permission for all pages, and their list."""
    if exception is not None or app.builder.format != "html":
        return
    site, address = Path(app.outdir), published()
    lines = ["User-agent: *", "Allow: /"]
    if address:
        pages = sorted(set(app.env.found_docs) - set(UNLISTED))
        entries = "".join(f"<url><loc>{text(address + one)}.html</loc></url>" for one in pages)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        whole = (
            f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{space}">{entries}</urlset>'
        )
        (site / "sitemap.xml").write_text(whole + "\n", "utf-8")
        lines.append(f"Sitemap: {address}sitemap.xml")
    (site / "robots.txt").write_text("\n".join(lines) + "\n", "utf-8")


def guard(app: Sphinx, exception: Exception | None) -> None:
    """Add the content policy to each page, as the last step of its rendering."""
    if exception is not None or app.builder.format != "html":
        return
    known = [program.strip() for program in annotation_sheet.programs()]
    for page in sorted(Path(app.outdir).rglob("*.html")):
        written = page.read_text("utf-8")
        if (guarded := policy.guarded(written, known)) != written:
            page.write_text(guarded, "utf-8", newline="\n")
