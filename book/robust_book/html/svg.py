"""Adaptation of matplotlib's SVG files to pages with several figures, in light and in dark."""

import re

from robust_book.html.markup import Html, text
from robust_lib.errors import InputError

# The colour that figures draw text, axes and ticks in; on the page it becomes the text's colour.
INK = "#1b1b1f"

PHONE = ".phone"
"""How the name of a figure goes on that is drawn for a phone."""

STAMP = "stamp"
"""The id of what a figure says of its run: on a page, where that is said once, it is left out."""

_STAMP = re.compile(rf'<g id="{STAMP}">.*?</g>', re.DOTALL)
_NUMBER = r"(\d+(?:\.\d+)?)"
_LINE = re.compile(
    rf"font-size: {_NUMBER}px.*?(?:translate\(|rotate\(-?0 )[-\d.]+ {_NUMBER}\)", re.DOTALL
)
# What drawing functions call lines that are no data, several in a figure; and images, which
# matplotlib calls by what they hold: two alike would have one id.
_KIND = re.compile(r' id="(?:reference|joint|shade|image[0-9a-f]+)"')
_BELOW = 9  # points below the last line of a stamp that is the lowest of all that is drawn
_HEIGHT = re.compile(rf'(<svg[^>]*? height="){_NUMBER}(pt"[^>]*? viewBox="0 0 [\d.]+ ){_NUMBER}')
_NOT_DRAWN = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL
)
_WHOLE = re.compile(r'<g id="([^"]+)">')  # matplotlib's group of all that it draws
_WIDTH = re.compile(rf'<svg[^>]*\bwidth="{_NUMBER}pt"')
_NARROW = 290  # points: what a phone shows at its natural size
_SAID = re.compile(r"(<text\b[^>]*\bfill: )(#[0-9a-f]{6})(?![0-9a-f])", re.IGNORECASE)
_OWN, _OWN_IF_PALE = 60, 40  # percent of its colour that writing keeps
_DARK = 0.1  # of white's lightness, up to which a colour is as good as black
_PALE = 0.75  # of white's lightness, from which on a colour is pale: yellow is
_REFERENCE = re.compile(r'(\bid="|url\(#|href="#)')


def theme_svg(svg: str, *, prefix: str, title: str, narrow: str | None = None) -> Html:
    """Return an SVG that can be embedded in a page: themed, named, and without clashing ids.

    The text colour becomes `currentColor`, and so does black, which matplotlib leaves implicit. Ids
    and references to them get `prefix`. Text in another colour is mixed with the text colour, so
    that it has contrast on a light and on a dark page. The style sheet, which would affect the
    whole page, becomes attributes of the figure alone.

    Args:
        svg: text of the file, as matplotlib writes it.
        prefix: prefix that is unique on the page, e.g. the ledger id.
        title: content of the figure, for screen readers.
        narrow: the version for a phone, which narrow pages show instead.

    Raises:
        InputError: the text contains no `<svg>` element.
    """
    if narrow is not None:
        return beside(theme_svg(svg, prefix=prefix, title=title), narrow, prefix, title)
    start = svg.find("<svg")
    drawn = without_stamp(_NOT_DRAWN.sub("", svg[start:]).strip())
    drawn = _KIND.sub("", drawn)
    drawn = _REFERENCE.sub(lambda found: f"{found.group(1)}{prefix}-", drawn)
    drawn = re.sub(re.escape(INK), "currentColor", drawn, flags=re.IGNORECASE)
    drawn = _SAID.sub(_legible, drawn)
    attributes, closed, body = drawn.removeprefix("<svg").partition(">")
    if start < 0 or not closed:
        raise InputError(
            f"Expected the text of an SVG file for {prefix}, but found no <svg> in it."
        )
    width = _WIDTH.search(drawn)
    wide = width is not None and float(width[1]) > _NARROW
    opening = (
        f'<svg class="rb-svg{" rb-wide" * wide}" role="img" aria-labelledby="{prefix}-title" '
        'style="stroke-linejoin: round; stroke-linecap: butt; fill: currentColor"'
    )
    return Html(f'{opening}{attributes}><title id="{prefix}-title">{text(title)}</title>{body}')


def beside(wide: Html, narrow: str, prefix: str, title: str) -> Html:
    """Return a figure and its version for a phone, of which the page shows one."""
    small = theme_svg(narrow, prefix=f"{prefix}-phone", title=title).markup
    desk = wide.markup.replace('class="rb-svg', 'class="rb-svg rb-desk', 1)
    return Html(desk + small.replace('class="rb-svg', 'class="rb-svg rb-phone', 1))


def without_stamp(drawing: str) -> str:
    """Return a drawing without the stamp that describes its run, with its height reduced.

    >>> line = '<text style="font-size: 8px" transform="translate(9 94)">toys</text>'
    >>> stamp = f'<g id="stamp">{line}</g>'
    >>> without_stamp(f'<svg width="9pt" height="99pt" viewBox="0 0 9 99"><g/>{stamp}</svg>')
    '<svg width="9pt" height="86pt" viewBox="0 0 9 86"><g/></svg>'
    """
    stamp = _STAMP.search(drawing)
    if stamp is None:
        return drawing
    left = drawing[: stamp.start()] + drawing[stamp.end() :]
    lines, sides = _LINE.findall(stamp[0]), _HEIGHT.search(left)
    if not lines or sides is None or float(sides[4]) - float(lines[-1][1]) > _BELOW:
        return left
    top = float(lines[0][1]) - float(lines[0][0])
    return _HEIGHT.sub(lambda found: f"{found[1]}{top:g}{found[3]}{top:g}", left, count=1)


def _legible(found: re.Match[str]) -> str:
    """Return coloured text closer to the text colour, legible on both white and black."""
    shade = found[2].lower()
    red, green, blue = (int(shade[at : at + 2], 16) for at in (1, 3, 5))
    light = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    if shade == "#ffffff" or light < _DARK:  # on a picture or a patch, chosen for what is behind
        return found[0]
    own = _OWN_IF_PALE if light > _PALE else _OWN
    return f"{found[1]}color-mix(in srgb, {shade} {own}%, currentColor)"


def again(svg: str, *, of: str, prefix: str, title: str) -> Html:
    """Return a second copy of a figure of the same page, drawn by reference.

    Args:
        svg: text of the file, as for `theme_svg`.
        of: the prefix under which the figure is on the page.
        title: content of the figure, for screen readers.

    Raises:
        InputError: the text contains no `<svg>` element, or no group in it.
    """
    whole = theme_svg(svg, prefix=prefix, title=title).markup
    first = whole.index("</title>") + len("</title>")
    return Html(f'{whole[:first]}<use href="#{whole_id(svg, of)}"/></svg>')


def whole_id(svg: str, prefix: str) -> str:
    """Return the id of a figure's outer group on a page where it has a prefix.

    >>> whole_id('<svg><g id="figure_1"></g></svg>', "inc-fig2")
    'inc-fig2-figure_1'
    """
    found = _WHOLE.search(svg)
    if found is None:
        raise InputError("Expected a group with an id in the text of an SVG file, but found none.")
    return f"{prefix}-{found[1]}"
