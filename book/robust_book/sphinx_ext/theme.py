"""Corrections to pages of the theme, and removal of its unused files."""

import io
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from fontTools import subset
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from robust_book.html.markup import text
from robust_book.sphinx_ext.nodes import words


def without_live_code(app: Sphinx) -> None:
    """Undo the setup of sphinx_thebe, which always precedes this one; the site needs no kernel.

    Its scripts declare one constant twice, which is an error in every reader's console, and contain
    a remote address.
    """
    for listeners in app.events.listeners.values():
        listeners[:] = [
            one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")
        ]
    for files in (app.registry.css_files, app.registry.js_files):
        for one in [one for one in files if "thebe" in str(one[0])]:
            files.remove(one)  # type: ignore[arg-type]  # each list has its own


_SWITCH = re.compile(
    r'(<a class="(?:current )?reference internal"[^>]*>([^<]*)</a><details[^>]*><summary)>'
)


def say_roles(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Make entries of the reference list items of a list; name tables and the switches of pages."""
    if doctree is not None:
        # The role of an entry was withdrawn from the standard.
        body = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        context["body"] = with_names(apart(body))
    if pages := context.get("generate_toctree_html"):
        # The theme has asked already, and knows the answer to the very same words.
        def listed(**how: Any) -> Any:
            made = pages(**how)
            return named(str(made)) if how["kind"] == "sidebar" else made

        context["generate_toctree_html"] = listed


_REGION = re.compile(r'(role="region" tabindex="0" aria-label=")([^"]*)"')


def apart(body: str) -> str:
    """Return a page whose regions have distinct names.

    >>> region = '<p role="region" tabindex="0" aria-label="A">'
    >>> apart(region * 2)[-4:]
    '2)">'
    """
    seen = Counter[str]()

    def numbered(region: re.Match[str]) -> str:
        seen[region[2]] += 1
        more = f" ({seen[region[2]]})" if seen[region[2]] > 1 else ""
        return f'{region[1]}{region[2]}{more}"'

    return _REGION.sub(numbered, body)


_HEADING = re.compile(
    r"<h([1-6])\b[^>]*>(.*?)</h\1>|<table(?![^>]*aria-label)([^>]*>)(?!\s*<caption)", re.DOTALL
)


def with_names(body: str) -> str:
    """Return a page whose tables without a caption are named after the heading above them.

    >>> with_names("<h2>Costs</h2><table><caption>A</caption></table><table><tr></table>")[-38:]
    '<table aria-label="Costs"><tr></table>'
    """
    above, seen = "", Counter[str]()

    def one(found: re.Match[str]) -> str:
        nonlocal above
        if found[2] is not None:
            above = words(found[2]).replace(" : ", ": ")  # of a kicker
            return found[0]
        seen[above] += 1
        more = f" ({seen[above]})" if seen[above] > 1 else ""
        return f'<table aria-label="{text(above + more)}"{found[3]}'

    return _HEADING.sub(one, body)


def named(pages: str) -> str:
    """Return a list of pages in which each switch names the page whose entries it opens.

    >>> item = '<a class="reference internal" href="b.html">Birds</a><details open="open"><summary>'
    >>> named(item)[-34:]
    '<summary aria-label="Below Birds">'
    """
    return _SWITCH.sub(r'\1 aria-label="Below \2">', pages)


_KEPT = re.compile(
    r"""(<(pre|code|script|style|svg|textarea)\b.*?</\2>|<(?:[^<>"']|"[^"]*"|'[^']*')*>)""",
    re.DOTALL,
)
"""What is no running text: programs, drawings, and tags with what is in them."""


def keep_units(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Put a space that no line breaks at between each number of a page and its percent sign."""
    if "body" in context:
        context["body"] = joined(context["body"])


def joined(markup: str) -> str:
    r"""Return markup whose running text has such non-breaking spaces.

    >>> joined('<p title="5 %">5 % of <code>5 % 2</code></p>')
    '<p title="5 %">5\xa0% of <code>5 % 2</code></p>'
    """
    pieces, place = [], 0
    for kept in _KEPT.finditer(markup):
        pieces += [_joined(markup[place : kept.start()]), kept[0]]
        place = kept.end()
    return "".join([*pieces, _joined(markup[place:])])


def _joined(words: str) -> str:
    return re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", words)


_FONTS = "_static/vendor/fontawesome/webfonts"
_SHEETS = ("_static/styles/pydata-sphinx-theme.css", "_static/sphinx-design.min.css")
_SCRIPT = "_static/scripts/fontawesome.js"
_UNSHOWN = (
    "_static/*webpack-macros.html",
    "_static/locales",
    "_static/images/logo_*",
    "**/*.map",
)
"""Templates, translations, sources and signs of services that no page uses."""
_COMMENT = re.compile(r"(/\*.*?\*/)", re.DOTALL)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_LETTER = re.compile(r'\bcontent: *"\\(f[0-9a-f]{3})"')
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
_WORD = re.compile(r"-?[A-Za-z_][\w-]*")
_BUILT = ("bs-", "tooltip")  # scripts put names together that begin so


def remove_unused(app: Sphinx, exception: Exception | None) -> None:
    """Remove files from the rendered site that none of its pages and scripts names.

    Raises:
        ExtensionError: the theme no longer has the files to reduce.
    """
    site = Path(app.outdir)
    if exception is not None or app.builder.format != "html":
        return
    files = [*site.rglob("*.html"), *site.rglob("*.js")]
    # The theme's script of icons names all there are.
    named = (file for file in files if file.name not in ("fontawesome.js", "searchindex.js"))
    words = {word for file in named for word in _WORD.findall(file.read_text("utf-8"))}
    for name in _SHEETS:
        (site / name).write_text(without(_read(site / name), words), "utf-8")
    # Any style sheet may show an icon by its letter alone.
    sheets = (one.read_text("utf-8") for one in site.rglob("*.css"))
    letters = {int(letter, 16) for sheet in sheets for letter in _LETTER.findall(sheet)}
    fonts = sorted((site / _FONTS).glob("*.woff2"))
    if not fonts or not letters:
        raise ExtensionError(
            f"Expected icon fonts in {site / _FONTS}, and a style sheet that maps letters to "
            "icons, but this version of the theme lacks one of them. Adapt theme.py to it."
        )
    for font in fonts:
        _keep(font, letters)
        font.with_suffix(".ttf").unlink(missing_ok=True)
    # All pages ask for it; without it, they show the fonts' icons.
    (site / _SCRIPT).write_text("// The icons of this site are in its fonts.\n", "utf-8")
    for pattern in _UNSHOWN:
        for file in list(site.glob(pattern)):
            shutil.rmtree(file) if file.is_dir() else file.unlink()


def without(sheet: str, words: set[str]) -> str:
    """Return a style sheet without selectors of classes that are not in a set of words.

    Comments stay, since they name the authors.

    >>> without(".a,.b .c{x:1}/* by c. */@media print{.b{y:2}}p:not(.c){z:3}", {"a", "b"})
    '.a{x:1}/* by c. */@media print{.b{y:2}}p:not(.c){z:3}'
    """

    def kept(rule: re.Match[str]) -> str:
        some = [one for one in _selectors(rule[1]) if _shown(one, words)]
        return f"{','.join(some)}{{{rule[2]}}}" if some else ""

    return "".join(
        part if part.startswith("/*") else _RULE.sub(kept, part) for part in _COMMENT.split(sheet)
    )


def _selectors(names: str) -> list[str]:
    """Return the parts of a selector between commas, except commas inside brackets."""
    return re.split(r",(?![^(]*\))", names)


def _shown(selector: str, words: set[str]) -> bool:
    plain = re.sub(r"\([^)]*\)|\[[^\]]*\]", "", selector)
    return all(one in words or one.startswith(_BUILT) for one in _CLASS.findall(plain))


def _read(sheet: Path) -> str:
    if not sheet.exists():
        raise ExtensionError(
            f"Expected the theme's style sheet {sheet}, but there is none. Adapt theme.py to this "
            "version of the theme."
        )
    return sheet.read_text("utf-8")


def _keep(font: Path, letters: set[int]) -> None:
    """Leave some letters in a font."""
    options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=True)
    chooser, made = subset.Subsetter(options), io.BytesIO()
    with subset.load_font(str(font), options) as opened:
        chooser.populate(unicodes=letters)
        chooser.subset(opened)
        subset.save_font(opened, made, options)
    font.write_bytes(made.getvalue())
