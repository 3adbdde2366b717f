"""Check every number of a rendered site against its results; plain Python 3, nothing to install.

    python verify.py SITE [--cache CACHE] [--values]

A site carries `claims.json`: the numbers of each page as they are shown, the row of the results
that they are, and the SHA-256 of every file. This program reads the pages again, follows numbers to
their rows, and judges printed numbers and comparisons of claims again. With --cache it also reads
stored predictions and weights. With --values it leaves checksums aside: what is found then is found
by the values alone.
"""

import argparse
import csv
import hashlib
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

Check = Callable[[], Iterator[str]]
FORMAT = 1
CLAIMS, PROGRAM = "claims.json", "verify.py"
RESULTS = "_static/results"
NUMBER = re.compile(r"(?:(?<!\w)[−-])?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
SILENT = {"script", "style"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """The numbers of a page as written, in order; of tables, the words beside each by its place.

    Also (ledger id, word) of each item's verdict, and (key, text) of each saved result of prose.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: list[str] = []
        self.context: dict[int, str] = {}
        self.verdicts: list[tuple[str, str]] = []
        self.words: list[list[str]] = []
        self._silent = 0
        self._open: list[tuple[str, str | None, bool]] = []
        self._key: str | None = None
        self._tip = False
        self._tables: list[dict[str, Any]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where tables, cells, results and what is not read begin."""
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

    def _cell_begins(self, tag: str) -> None:
        table = self._tables[-1]
        if tag == "tr":
            table["cells"] = []
        elif tag == "caption" or (tag in ("td", "th") and table["cells"] is not None):
            table["in"] = tag
            if tag != "caption":
                table["cells"].append((tag, [], []))

    def handle_endtag(self, tag: str) -> None:
        """Note where they end."""
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
        """Take the numbers of a text."""
        if self._silent:
            return
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
    """Return a number as it is written on a page, and half a unit of its last digit."""
    plain = shown.replace("−", "-").replace(",", "")
    digits = plain.partition("e")[0].partition(".")[2]
    return float(plain), 0.5 * 10.0 ** -len(digits)


def rounds_to(value: float, shown: str) -> bool:
    """Return whether a row's number, a fraction or as it is, is written as `shown`."""
    written, half = value_of(shown)
    return any(
        abs(scale * value - written) <= half * (1 + 1e-6) + 1e-12 for scale in (1, 100, -1, -100)
    )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


COMPARISON = re.compile(
    r"(?P<a>[−\d.,]+)(?P<unit> %| points)? (?P<sign><=|>=|<|>) (?P<b>[−\d.,]+)(?: %| points)? by "
    r"(?P<by>[−\d.,]+) \[(?P<low>[−\d.,]+), (?P<high>[−\d.,]+)\][^:;()]*(?:\([^)]*interval\))?: "
    r"(?P<word>holds|does not hold|not decided)"
)
DECIDED = ("holds", "does not hold", "not decided")
PRINTED = ("match", "within interval", "differs", "as printed")
WORDS = (
    *("does not hold", "differs", "holds", "within interval", "match", "not decided"),
    *("premise fails", "not comparable", "missing", "as printed", "by construction", "shown"),
)


def comparison_faults(arithmetic: str) -> Iterator[str]:
    """Yield what is wrong with the comparisons that a verdict's arithmetic spells out."""
    for found in COMPARISON.finditer(arithmetic):
        low, high, by = (value_of(found[one])[0] for one in ("low", "high", "by"))
        word, told = found["word"], found[0]
        if not low - 1e-9 <= by <= high + 1e-9:
            yield f"{told}: the difference lies outside its interval"
        # An end of 0.0 may be of either sign before it was rounded.
        if (word == "holds" and low < 0) or (word == "does not hold" and high > 0):
            yield f"{told}: the interval contains equality"
        if word == "not decided" and (low > 0 or high < 0) and "at the least" not in arithmetic:
            yield f"{told}: the interval excludes equality"
        (a, a_step), (b, b_step), (_, step) = (value_of(found[one]) for one in ("a", "b", "by"))
        if abs(abs(a - b) - abs(by)) > a_step + b_step + step + 1e-9:
            yield f"{told}: the difference is not that of the numbers"


def printed_word(verdict: Mapping[str, Any]) -> str | None:
    """Return the word that follows from a printed number and ours; None where it is not judged."""
    if verdict["status"] not in ("printed", "setting") or verdict["ours"] is None:
        return None
    if not NUMBER.fullmatch(verdict["reported"]):
        return None
    number, half = value_of(verdict["reported"])
    scale = 100.0 if verdict["unit"] in ("percent", "points") else 1.0
    number, half, ours = number / scale, half / scale, verdict["ours"]
    if abs(ours - number) <= half * (1 + 1e-9):
        return "as printed" if verdict["status"] == "setting" else "match"
    low, high = verdict["low"], verdict["high"]
    if low is not None and high is not None and low <= number <= high:
        return "within interval"
    return "differs"


class Site:
    """A rendered site, its claims, and what is wrong with them."""

    def __init__(
        self, folder: str | Path, cache: Path | None = None, *, checksums: bool = True
    ) -> None:
        self.folder, self.cache, self.checksums = Path(folder), cache, checksums
        self.counts = dict.fromkeys(("pages", "numbers", "rows", "keys", "verdicts", "stored"), 0)
        path = self.folder / CLAIMS
        if not path.is_file():
            raise SystemExit(f"Expected {path}, which the rendering writes, but there is none.")
        self.claims = json.loads(path.read_text("utf-8"))
        if self.claims.get("format") != FORMAT:
            raise SystemExit(f"Expected {path} to be of format {FORMAT}. Take its own verify.py.")

    def units(self) -> dict[str, tuple[set[str], Check]]:
        """Return name -> (files that a check reads, the check), one for each page and chapter."""
        known: dict[str, tuple[set[str], Check]] = {"claims": ({CLAIMS}, self.seal)}
        results: dict[str, list[str]] = {}
        for name in self.claims["chapters"]:
            files = results[name] = [f"{RESULTS}/{name}.json", f"{RESULTS}/{name}.csv"]
            parts = [f"{RESULTS}/{one}.csv" for one in self.claims["chapters"][name]["parts"]]
            known[f"results of {name}"] = ({*files, *parts}, partial(self.results, name))
        for page, told in self.claims["pages"].items():
            read = {page, *results.get(told["chapter"], ())}
            known[page] = (read, partial(self.page, page))
        if self.checksums:
            for name in self.claims["files"]:
                known[f"checksum of {name}"] = ({name}, partial(self.file, name))
            known["list of files"] = (set(), self.others)
        if self.cache is not None:
            for name in self.claims["stored"]:
                known[f"stored {name}"] = ({f"cache/{name}"}, partial(self.stored, name))
        return known

    def faults(self) -> list[str]:
        """Return all that is wrong, one line each."""
        return [fault for _, check in self.units().values() for fault in readable(check)]

    def seal(self) -> Iterator[str]:
        """Yield whether claims.json was changed by itself."""
        told = {key: value for key, value in self.claims.items() if key != "seal"}
        if self.checksums and sealed(told) != self.claims.get("seal"):
            yield f"{CLAIMS} was changed after it was written"

    def file(self, name: str) -> Iterator[str]:
        """Yield whether a file is another one than was rendered, or than its job recorded."""
        path = self.folder / name
        if not path.is_file() or digest(path) != self.claims["files"][name]:
            yield f"{name} lacks, or is not the file that was rendered: its checksum differs"

    def others(self) -> Iterator[str]:
        """Yield the pages and results that nobody rendered."""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.suffix in (".html", ".csv") and name not in self.claims["files"]:
                yield f"{name} was not rendered with this site"

    def text(self, name: str) -> str:
        """Return a file's text; empty where it lacks."""
        path = self.folder / name
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a CSV file of results, one mapping a row."""
        return list(csv.DictReader(io.StringIO(self.text(f"{RESULTS}/{name}.csv"))))

    def saved(self, chapter: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
        """Return what a chapter's run saved, and its rows."""
        return json.loads(self.text(f"{RESULTS}/{chapter}.json")), self.rows(chapter)

    def page(self, name: str) -> Iterator[str]:
        """Yield the numbers of a page that are not those of its results."""
        told = self.claims["pages"][name]
        found = Page(self.text(name))
        self.counts["pages"] += 1
        self.counts["numbers"] += len(found.shown)
        expected = told["shown"].split(" ") if told["shown"] else []
        if found.shown != expected:
            both = zip([*found.shown, ""], [*expected, ""], strict=False)
            at = next((at for at, (one, other) in enumerate(both) if one != other), 0)
            near = " ".join(found.shown[max(0, at - 2) : at + 3])
            yield f"{name}: number {at + 1} is not the one that was rendered, near {near}"
            return
        held: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {}
        for chapter in {one for one, _, _ in told["rows"].values()} | {
            key.partition(".")[0] for key, _ in found.words
        }:
            held[chapter] = self.saved(chapter)
        for place, (chapter, row, column) in told["rows"].items():
            rows, shown = held[chapter][1], found.shown[int(place)]
            self.counts["rows"] += 1
            value = rows[row].get(column) if row < len(rows) else None
            if not value or not rounds_to(float(value), shown):
                yield f"{name}: {shown} is not {column} of row {row + 1} of {chapter}.csv ({value})"
        for key, words in found.words:
            chapter = key.partition(".")[0]
            entry = held[chapter][0].get("numbers", {}).get(key)
            self.counts["keys"] += 1
            said = None if entry is None else str(entry["text"]).split()
            if words.split() != said:
                yield f"{name}: {key} is {words!r} there and {said} in the results"
        items = self.saved(told["chapter"])[0].get("items", ()) if told["chapter"] else ()
        saved = {one["item"]: one["verdict"] for one in items}
        for item, word in found.verdicts:
            if item in saved and saved[item] != word:
                yield f"{name}: the verdict of {item} is {word!r} there, {saved[item]!r} in its run"

    def results(self, chapter: str) -> Iterator[str]:
        """Yield what is wrong with a chapter's rows, saved numbers and verdicts."""
        record, rows = self.saved(chapter)
        told = self.claims["chapters"][chapter]
        named = f"{chapter}.csv"
        for place, row in enumerate(rows):
            low, value, high = (float(row[one] or "nan") for one in ("low", "value", "high"))
            if value < low - 1e-9 or value > high + 1e-9:
                yield f"{named}: the value of row {place + 1} lies outside its interval"
        if len(rows) != told["rows"]:
            yield f"{named}: {len(rows)} rows, where {told['rows']} were rendered"
        if self.checksums:
            for name, recorded in record.get("files", {}).items():
                known = self.claims["files"].get(f"{RESULTS}/{name}")
                if known is not None and known != recorded:
                    yield f"{name}: its checksum is not the one that the run of {chapter} recorded"
        every = {tuple(row.values()) for row in rows}
        for item in told["parts"]:
            if lost := [one for one in self.rows(item) if tuple(one.values()) not in every]:
                yield f"{item}.csv: {len(lost)} of its rows are none of {named}"
        yield from self.verdicts(chapter, record, rows)

    def verdicts(
        self, chapter: str, record: Mapping[str, Any], rows: list[dict[str, str]]
    ) -> Iterator[str]:
        """Yield the verdicts of a chapter that do not follow from its numbers."""
        every = ("value", "low", "high")
        known = {float(row[one]) for row in rows for one in every if row.get(one)}
        for item in record.get("items", ()):
            words = {one["verdict"] for one in item["verdicts"]}
            most = next((word for word in WORDS if word in words), "shown")
            if item["verdict"] != most:
                yield f"{item['item']}: {item['verdict']!r}, but {most!r} is its most telling word"
            for one in item["verdicts"]:
                self.counts["verdicts"] += 1
                where = f"{item['item']}, {one['metric']} of {one['model']}"
                said, word = one["arithmetic"], one["verdict"]
                if one["ours"] not in known | {None} and one["status"] != "setting":
                    yield f"{where}: {one['ours']} is no number of {chapter}.csv"
                expected = printed_word(one)
                if expected is not None and word in PRINTED and word != expected:
                    yield f"{where}: {word!r}, but {expected!r} follows from its numbers"
                # Of a claim that follows by construction, numbers are compared as they are.
                if one["status"] != "direction" or word == "by construction":
                    continue
                if word in DECIDED and word not in said:
                    yield f"{where}: {word!r} is not what its arithmetic says: {said}"
                for fault in comparison_faults(said):
                    yield f"{where}: {fault}"

    def stored(self, name: str) -> Iterator[str]:
        """Yield whether stored predictions or weights are others than when the site was made."""
        path = (self.cache or Path()) / name
        self.counts["stored"] += 1
        if not path.is_file() or digest(path) != self.claims["stored"][name]:
            yield f"{name} lacks, or is not what the results were computed from"


def readable(check: Check) -> list[str]:
    """Return what a check finds, or that what it reads is not of this format."""
    try:
        return list(check())
    except (ValueError, KeyError, TypeError, IndexError) as error:
        return [f"A file is not as it was rendered: {type(error).__name__}, {error}"]


def sealed(claims: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all claims."""
    return hashlib.sha256(json.dumps(claims, sort_keys=True).encode()).hexdigest()


def main() -> int:
    """Print what is wrong with a site, and return the exit status."""
    asked = argparse.ArgumentParser(description="Check every number of a rendered site.")
    asked.add_argument("site", type=Path)
    asked.add_argument("--cache", type=Path)
    asked.add_argument("--values", action="store_true")
    given, began = asked.parse_args(), time.monotonic()
    site = Site(given.site, given.cache, checksums=not given.values)
    faults = site.faults()
    told = site.counts
    sys.stdout.write(
        "".join(f"{fault}\n" for fault in faults)
        + f"{told['numbers']:,} numbers on {told['pages']} pages are those that were rendered; "
        f"{told['rows']:,} of them were followed to their rows, {told['keys']:,} results of the "
        f"prose to what runs saved; {told['verdicts']:,} verdicts and {told['stored']:,} files of "
        f"predictions and weights were checked in {time.monotonic() - began:.0f} s: "
        f"{len(faults) or 'no'} fault{'' if len(faults) == 1 else 's'}.\n"
    )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
