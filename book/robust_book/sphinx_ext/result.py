"""Numbers in prose, from the run by the role {result} or from papers by name, never typed.

`{result}` + "inc_2_mce.best_accuracy" shows the text that the run saved under this key.
"""

import re
from collections.abc import ItemsView, Mapping
from typing import Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.findings import unbroken
from robust_book.sphinx_ext.page import Page, note_results, page_of
from robust_lib.errors import InputError
from robust_lib.results.notation import spelled
from robust_lib.results.reported import Reported, reported

LOGGER = logging.getLogger(__name__)

UNKNOWN = ("not measured", "not defined", "not judged", "not known", "unmeasured")
"""What a chapter saves in the place of a number that it has not."""


class Result(SphinxRole):
    """Role that replaces a key of the results by its number; an unknown key is an error."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the number as a node, or the key itself next to a warning."""
        note_results(self.env)
        try:
            markup = number(page_of(self.env.app, self.env.docname), self.text)
        except InputError as error:
            LOGGER.warning("%s", error, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        return [nodes.raw("", str(markup), format="html")], []


def number(page: Page, key: str) -> Html:
    """Return a number of the results, with its meaning on hover or focus.

    Raises:
        InputError: no built chapter saved a number under this key.
    """
    known = {name: entry for saved in page.results.values() for name, entry in numbers(saved)}
    if key not in known:
        near = [name for name in known if name.split(".")[0] == key.split(".")[0]] or list(known)
        raise InputError(
            f"Expected a number that a run saved, but there is none under {key!r}. Known keys: "
            f"{', '.join(sorted(near)) or 'none'}."
        )
    entry = known[key]
    meaning = [str(entry["convention"])]
    if entry.get("n") is not None:
        meaning.append(f"n = {entry['n']:,}")
    shown = Html(text(unbroken(str(entry["text"]))))
    if told := "; ".join(filter(None, meaning)):
        tip = f'<span class="rb-tip" role="tooltip">{text(told)}</span>'
        named = f'class="rb-result" data-result="{text(key)}"'
        shown = Html(f'<span {named} tabindex="0">{shown}{tip}</span>')
    return Html(in_prose(str(entry["text"]), str(shown)))


def in_prose(said: str, shown: str) -> str:
    """Return a number as its sentence shows it, in brackets if there are words in its place.

    >>> in_prose("5 %", "5 %"), in_prose("not measured: no control", "<b>not measured</b>")
    ('5 %', '[<b>not measured</b>]')
    """
    return f"[{shown}]" if said.partition(":")[0] in UNKNOWN else shown


def numbers(saved: Mapping[str, Any]) -> ItemsView[str, Mapping[str, Any]]:
    """Return the (key, entry) pairs of a chapter's saved numbers."""
    found: Mapping[str, Mapping[str, Any]] = saved.get("numbers", {})
    return found.items()


_PLACE = re.compile(r"\{([^{}]+)\}")


def filled(prose: str) -> str:
    """Return a text with the names of printed numbers replaced by the numbers.

    >>> filled("mCE is {inc-tab1 mce resnet50}.")
    'mCE is 76.7 %.'
    """
    return _PLACE.sub(lambda found: printed_number(found[1]), prose)


def printed_number(name: str) -> str:
    """Return a printed number by item, metric, model and conditions, such as "vid-tab1 drop k=10".

    Raises:
        InputError: the paper prints no such number.
    """
    item, metric, *others = name.split()
    wanted = dict(word.split("=") for word in others if "=" in word)
    models = [word for word in others if "=" not in word]
    for row in reported(item):
        if row.metric == metric and not row.is_claim and _fits(row, models, wanted):
            return spelled(row.value, row.unit).replace("-", "\N{MINUS SIGN}")
    raise InputError(
        f"Expected a number that a paper prints, but found none for {name!r}. "
        f"The numbers of {item} are in data_manifests/reported/."
    )


def _fits(row: Reported, models: list[str], wanted: dict[str, str]) -> bool:
    told = all(str(getattr(row, key)) == value for key, value in wanted.items())
    return told and (not models or row.model == models[0])
