"""The role {result}: a number in prose comes from the run, with its convention, never from a hand.

`{result}` + "inc_2_mce.best_accuracy" shows the text that the run saved under this key.
"""

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.findings import unbroken
from robust_book.sphinx_ext.page import Page, page_of
from robust_lib.errors import InputError

LOGGER = logging.getLogger(__name__)


class Result(SphinxRole):
    """A key of the results becomes its number; an unknown key is a warning, so an error."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the number as a node, or the key itself beside a warning."""
        try:
            markup = number(page_of(self.env.app, self.env.docname), self.text)
        except InputError as error:
            LOGGER.warning("%s", error, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        return [nodes.raw("", str(markup), format="html")], []


def number(page: Page, key: str) -> Html:
    """Return a number of the results, with what it means on hover or focus.

    Raises:
        InputError: no built chapter saved a number under this key.
    """
    known = {name: entry for saved in page.results.values() for name, entry in numbers(saved)}
    if key not in known:
        near = [name for name in known if name.split(".")[0] == key.split(".")[0]] or list(known)
        raise InputError(
            f"Expected a number that a run saved, but there is none under {key!r}. "
            f"Known here: {', '.join(sorted(near)) or 'none'}."
        )
    entry = known[key]
    meaning = [str(entry["convention"])]
    if entry.get("n") is not None:
        meaning.append(f"n = {entry['n']:,}")
    shown, told = text(unbroken(str(entry["text"]))), "; ".join(filter(None, meaning))
    if not told:  # a word, such as "not measured", says all there is to say
        return Html(shown)
    tip = f'<span class="rb-tip" role="tooltip">{text(told)}</span>'
    return Html(f'<span class="rb-result" tabindex="0">{shown}{tip}</span>')


def numbers(saved):
    """Return the (key, entry) pairs of a chapter's saved numbers."""
    return saved.get("numbers", {}).items()
