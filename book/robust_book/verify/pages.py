"""The numbers of a rendered page, as printed."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any

NUMBER = re.compile(r"(?:(?<!\w)[−-])?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
SILENT = {"script", "style"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """The numbers of a page as written, in order; of tables, the words next to each by its place.

    Also (ledger id, word) of each item's verdict, and (key, text) of each saved result of prose.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: list[str] = []
        self.context: dict[int, str] = {}
        self.verdicts: list[tuple[str, str]] = []
        self.words: list[list[str]] = []
        self._all: list[str] = []
        self._silent = 0
        self._open: list[tuple[str, str | None, bool]] = []
        self._key: str | None = None
        self._tip = False
        self._tables: list[dict[str, Any]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the start of tables, cells, results and ignored elements."""
        known = dict(attrs)
        if tag in SILENT:
            self._silent += 1
        if "data-verdict" in known and "id" in known:
            self.verdicts.append((str(known["id"]), str(known["data-verdict"])))
        if tag not in VOID:
            self._open.append((tag, self._key, self._tip))
        if "data-result" in known:
            self._key, self._tip = str(known["data-result"]), False
            self.words.append([self._key, ""])
        if known.get("class") == "rb-tip":
            self._tip = True
        if tag == "table":
            self._tables.append({"caption": "", "heads": [], "cells": None, "in": None})
        elif self._tables:
            self._cell_begins(tag)

    def says(self, texts: Iterable[str]) -> int:
        """Return the number of given texts that are on the page, regardless of blanks."""
        every = "".join("".join(self._all).split())
        return sum("".join(text.split()) in every for text in texts)

    def _cell_begins(self, tag: str) -> None:
        table = self._tables[-1]
        if tag == "tr":
            table["cells"] = []
        elif tag == "caption" or (tag in ("td", "th") and table["cells"] is not None):
            table["in"] = tag
            if tag != "caption":
                table["cells"].append((tag, [], []))

    def handle_endtag(self, tag: str) -> None:
        """Record the end of elements."""
        if tag in SILENT:
            self._silent = max(0, self._silent - 1)
        while self._open:
            last, self._key, self._tip = self._open.pop()
            if last == tag:
                break
        if not self._tables:
            return
        table = self._tables[-1]
        if tag == "table":
            self._tables.pop()
        elif tag == "tr" and table["cells"] is not None:
            self._row_ends(table)
        elif tag in ("td", "th", "caption"):
            table["in"] = None

    def _row_ends(self, table: dict[str, Any]) -> None:
        cells, table["cells"] = table["cells"], None
        words = [" ".join(texts) for _, texts, _ in cells]
        if cells and all(tag == "th" for tag, _, _ in cells):
            table["heads"].append(words)
            return
        row = " ".join(one for one in words if re.search(r"[^\W\d]{2}", one))
        for column, (_, _, places) in enumerate(cells):
            heads = " ".join(head[column] for head in table["heads"] if column < len(head))
            for place in places:
                self.context[place] = f"{row} | {heads} | {table['caption']}"

    def handle_data(self, data: str) -> None:
        """Collect the numbers in a text."""
        if self._silent:
            return
        self._all.append(data)
        if self._key is not None and not self._tip:
            self.words[-1][1] += data
        table: dict[str, Any] = [{"in": None, "cells": None}, *self._tables[-1:]][-1]
        if table["in"] == "caption":
            table["caption"] += data
        cell = table["cells"][-1] if table["cells"] and table["in"] in ("td", "th") else None
        if cell is not None:
            cell[1].append(data.strip())
        for found in NUMBER.findall(data):
            if cell is not None and table["in"] == "td":
                cell[2].append(len(self.shown))
            self.shown.append(found)


def value_of(shown: str) -> tuple[float, float]:
    """Return the value of a number written on a page, and half a unit of its last digit."""
    plain = shown.replace("−", "-").replace(",", "")
    digits = plain.partition("e")[0].partition(".")[2]
    return float(plain), 0.5 * 10.0 ** -len(digits)


def rounds_to(value: float, shown: str, slack: float = 1e-6) -> bool:
    """Return whether a row's number, as a fraction or unchanged, rounds to `shown`.

    Args:
        slack: tolerance as a share of half a digit, for numbers of single precision.
    """
    written, half = value_of(shown)
    return any(
        abs(scale * value - written) <= half * (1 + slack) + 1e-12 for scale in (1, 100, -1, -100)
    )
